"use strict";
(function () {
  // A game against the agent: squares are buttons, so that a keyboard and a screen reader can play too.
  var place = document.getElementById("spar");
  var board = document.getElementById("board");
  var words = document.getElementById("spar-words");
  var note = document.getElementById("spar-note");
  var list = document.getElementById("spar-moves");
  var game = null;
  var chosen = "";
  var timer = null;
  var names = window.assayBoard.names;
  var squares = window.assayBoard.squares;

  function side(letter) { return letter === letter.toUpperCase() ? "w" : "b"; }
  function draw() {
    var pieces = squares(game.fen);
    var focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.square : null;
    board.replaceChildren();
    for (var index = 0; index < 64; index++) {
      var rank = game.white ? 8 - Math.floor(index / 8) : Math.floor(index / 8) + 1;
      var file = game.white ? index % 8 : 7 - index % 8;
      var name = "abcdefgh"[file] + rank;
      var square = document.createElement("button");
      square.type = "button";
      square.dataset.square = name;
      square.className = (file + rank) % 2 ? "square-dark" : "square-light";
      var letter = pieces[name];
      var what = letter ? (side(letter) === "w" ? "white " : "black ") + names[letter.toUpperCase()] : "empty";
      square.setAttribute("aria-label", name + ", " + what + (chosen === name ? ", chosen" : ""));
      if (game.last.slice(0, 2) === name) { square.classList.add("from"); }
      if (game.last.slice(2, 4) === name) { square.classList.add("to"); }
      if (chosen === name) { square.classList.add("chosen"); }
      if (chosen && game.legal.some(function (one) { return one.slice(0, 4) === chosen + name; })) { square.classList.add("target"); }
      if (letter) {
        var image = document.createElement("img");
        image.src = "/static/piece/" + side(letter) + letter.toUpperCase() + ".svg";
        image.alt = "";
        square.append(image);
      }
      window.assayBoard.name(square, index, file, rank);
      board.append(square);
      if (name === focused) { square.focus(); }
    }
  }
  function show(found) {
    game = found.game;
    document.getElementById("resign").hidden = !game || Boolean(game.result) || !game.moves.length;
    if (!game) { return; }
    // The answer to "How strong did I play?": asked for, being worked out, there.
    var verdict = document.getElementById("verdict");
    var answered = Boolean(game.verdict) && !game.reviewing;
    document.getElementById("rate").hidden = !game.result || answered || game.reviewing;
    verdict.hidden = !answered && !game.reviewing;
    verdict.textContent = answered ? game.verdict : game.reviewing ? "The engine analyses the game: the answer appears here." : "";
    var more = document.getElementById("verdict-more");
    more.hidden = !answered;
    if (answered) { more.firstElementChild.href = "/games/" + encodeURIComponent(game.game_id); }
    place.hidden = false;
    document.getElementById("spar-error").hidden = true;
    draw();
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
      game.thinking ? last + "The agent thinks." : game.stuck ? last + "The agent has not moved." : last + "Your move.";
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
  function play(uci) { chosen = ""; send("move", { uci: uci }); }
  board.addEventListener("click", function (event) {
    var square = event.target.closest("[data-square]");
    if (!square || !game || !game.legal.length) { return; }
    var name = square.dataset.square;
    var fits = game.legal.filter(function (one) { return one.slice(0, 4) === chosen + name; });
    if (chosen && fits.length) {
      var queen = fits.find(function (one) { return one[4] === "q"; });
      play(queen || fits[0]);
      return;
    }
    chosen = chosen === name ? "" : game.legal.some(function (one) { return one.slice(0, 2) === name; }) ? name : "";
    draw();
  });
  document.getElementById("type-move").addEventListener("submit", function (event) {
    event.preventDefault();
    var input = document.getElementById("typed");
    play(input.value.trim());
    input.value = "";
  });
  document.getElementById("new-game").addEventListener("submit", function (event) {
    event.preventDefault();
    send("new", { elo: document.getElementById("elo").value, colour: document.getElementById("colour").value, name: document.getElementById("name").value });
  });
  document.getElementById("elo").addEventListener("input", function (event) { document.getElementById("elo-shown").textContent = event.target.value; });
  document.getElementById("again").addEventListener("click", function () { send("again", {}); });
  document.getElementById("resign").addEventListener("click", function () { send("resign", {}); });
  document.getElementById("rate").addEventListener("click", function () { send("rate", {}); });
  document.addEventListener("assay-refreshed", look);  // another tab may play the same game
  look();
})();
