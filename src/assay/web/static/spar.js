"use strict";
(function () {
  // A game against a simulated player.
  var place = document.getElementById("spar");
  var words = document.getElementById("spar-words");
  var note = document.getElementById("spar-note");
  var list = document.getElementById("spar-moves");
  var game = null;
  var timer = null;
  var asked = null;  // the number of the game whose strength was asked for
  function play(uci) { send("move", { uci: uci }); }
  var board = window.assay.board(document.getElementById("board"), play);

  function show(found) {
    game = found.game;
    document.getElementById("resign").hidden = !game || Boolean(game.result) || !game.moves.length;
    if (!game) { return; }
    // The card of a game that is over. Its engine begins by itself; where that failed there is a button.
    var answered = Boolean(game.verdict) && !game.reviewing;
    var over = Boolean(game.result) && Boolean(game.moves.length);
    document.getElementById("card").hidden = !over;
    document.getElementById("rate").hidden = !over || answered || game.reviewing || asked !== game.number;
    document.getElementById("verdict").textContent = answered ? game.verdict : "The engine looks at the game: the answer appears here.";
    var more = document.getElementById("verdict-more");
    more.hidden = !answered;
    var turning = document.getElementById("turning");
    turning.hidden = !answered || !game.turning_point;
    if (answered) { more.href = "/games/" + encodeURIComponent(game.game_id); }
    if (!turning.hidden) {
      turning.querySelector("span").textContent = game.turning_point.words;
      turning.querySelector("a").href = more.href + "#" + game.turning_point.ply;
    }
    if (over && !answered && !game.reviewing && !game.error && asked !== game.number) {
      asked = game.number;
      send("rate", {});
    }
    place.hidden = false;
    document.getElementById("spar-error").hidden = true;
    board.show({ fen: game.fen, last: game.last, legal: game.legal, check: game.check, flipped: !game.white });
    list.replaceChildren();
    for (var at = 0; at < game.moves.length; at += 2) {
      var row = document.createElement("li");
      [at / 2 + 1 + ".", game.moves[at], game.moves[at + 1] || ""].forEach(function (text) {
        var part = document.createElement("span");
        part.textContent = text;
        row.append(part);
      });
      list.append(row);
    }
    var last = game.moves.length ? "Last move: " + game.moves[game.moves.length - 1] + ". " : "";
    var failed = document.getElementById("spar-failed");
    failed.hidden = !game.error;
    failed.textContent = game.error;
    document.getElementById("again").hidden = !game.stuck;
    words.textContent = game.result ? last + "The game is over: " + game.result.replace(/-/g, "–") + " (" + game.why + ")." :
      game.thinking ? last + "The simulated player thinks." : game.stuck ? last + "The simulated player has not moved." : last + "Your move.";
    note.textContent = game.said;
    clearTimeout(timer);
    if (game.thinking) { timer = setTimeout(look, 300); }
  }
  function look() {
    fetch(place.dataset.address, { headers: { Accept: "application/json" } }).then(function (answer) { return answer.json(); }).then(show);
  }
  function send(wish, fields) {
    return fetch("/spar/" + wish, { method: "POST", body: new URLSearchParams(fields), headers: { Accept: "application/json" } })
      .then(function (answer) { return answer.json(); })
      .then(function (found) {
        var error = document.getElementById("spar-error");
        error.hidden = !found.error;
        error.textContent = found.error || "";
        if (!found.error) { show(found); }
      });
  }
  window.assay.typed(play);
  function begin(event) {
    event.preventDefault();
    send("new", { elo: document.getElementById("elo").value, colour: document.getElementById("colour").value, name: document.getElementById("name").value });
  }
  document.getElementById("new-game").addEventListener("submit", begin);
  document.getElementById("rematch").addEventListener("click", begin);
  document.getElementById("elo").addEventListener("input", function (event) { document.getElementById("elo-shown").textContent = event.target.value; });
  document.getElementById("again").addEventListener("click", function () { send("again", {}); });
  document.getElementById("resign").addEventListener("click", function () { send("resign", {}); });
  document.getElementById("rate").addEventListener("click", function () { send("rate", {}); });
  document.addEventListener("assay-refreshed", look);  // another tab may play the same game
  look();
})();
