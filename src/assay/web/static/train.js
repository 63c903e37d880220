"use strict";
(function () {
  // Positions are asked one after another. What was wrong comes again after three others, and first the next time.
  var place = document.getElementById("train");
  if (!place || !place.dataset.train) { return; }  // not where pages are files
  var AGAIN = 3;
  var queue = null;
  var solved = 0;
  var asked = 0;
  var answered = false;
  var words = document.getElementById("train-words");
  var more = document.getElementById("train-more");
  var next = document.getElementById("train-next");
  var giveUp = document.getElementById("train-show");
  var link = document.getElementById("train-game");
  var board = window.assay.board(document.getElementById("board"), play);

  function count() {
    document.getElementById("train-count").textContent = asked ? solved + " of " + asked + " right; " + queue.length + " to go." : queue.length + " to go.";
  }
  function show() {
    answered = false;
    more.hidden = next.hidden = link.hidden = true;
    var one = queue[0];
    giveUp.hidden = !one;
    count();
    if (!one) {
      board.show({ legal: [], arrows: [] });
      document.getElementById("train-where").textContent = "";
      words.textContent = "That was all: " + solved + " of " + asked + " answers were right. What went wrong comes first the next time.";
      return;
    }
    var where = [one.opponent ? "against " + one.opponent : "", one.event, one.year || ""].filter(Boolean).join(", ");
    document.getElementById("train-where").textContent = "Move " + one.turn + (where ? ", " + where : "") + (one.last === "wrong" ? ". It went wrong last time." : "");
    board.show({ fen: one.fen, last: "", legal: one.legal, check: one.check, arrows: [], flipped: !one.white });
    words.textContent = (one.white ? "White" : "Black") + " to move: your move.";
  }
  function play(move) {  // an empty one asks to be told
    if (answered) { return; }
    var one = queue[0];
    answered = true;
    words.textContent = "…";
    fetch("/train/answer", { method: "POST", body: new URLSearchParams({ player: place.dataset.player, key: one.key, move: move }), headers: { Accept: "application/json" } })
      .then(function (answer) { return answer.json(); })
      .then(function (answer) {
        if (answer.error) { answered = false; words.textContent = answer.error + "."; return; }
        tell(one, answer, !move);
      })
      .catch(function () { answered = false; words.textContent = "The move could not be sent: is assay serve still running?"; });
  }
  function tell(one, answer, told) {
    var right = answer.right && !told;
    queue.shift();
    asked += 1;
    solved += right ? 1 : 0;
    if (!right) {
      one.last = "wrong";
      queue.splice(AGAIN, 0, one);
    }
    var arrows = right ? [] : [[answer.best.uci, "better"]].concat(told || answer.uci === answer.best.uci ? [] : [[answer.uci, "played"]]);
    board.show({ fen: right ? answer.fen : one.fen, last: right ? answer.uci : "", legal: [], check: right && answer.check, arrows: arrows });
    words.textContent = told ? answer.best.san + " was asked for." : (right ? "Right. " : "Not this. ") + window.assay.triedInWords(answer) + (right || answer.better ? "" : " Better is " + answer.best.san + ".");
    more.hidden = false;
    more.textContent = "In the game: " + answer.played + " (" + answer.kind + "). " + answer.text;
    link.hidden = next.hidden = false;
    link.href = answer.game;
    giveUp.hidden = true;
    next.focus();
    count();
  }
  function load() {
    if (queue || !document.querySelector("[data-lesson]")) { return; }  // the page says when there is one
    fetch(place.dataset.train, { headers: { Accept: "application/json" } })
      .then(function (answer) { return answer.json(); })
      .then(function (answer) {
        if (answer.error || !answer.exercises.length || queue) { return; }
        queue = answer.exercises;
        place.hidden = false;
        show();
      })
      .catch(function () { /* the server is gone, which the banner tells */ });
  }
  next.addEventListener("click", show);
  giveUp.addEventListener("click", function () { play(""); });
  window.assay.typed(play);
  document.addEventListener("assay-refreshed", load);
  load();
})();
