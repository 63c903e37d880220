"use strict";
(function () {
  // The board of every page. Squares are buttons: moves are made by dragging, by tapping or clicking two squares, and by
  // keys (arrows go from square to square, Enter chooses). The server says what is legal; here nobody knows the rules.
  var NAMES = { P: "pawn", N: "knight", B: "bishop", R: "rook", Q: "queen", K: "king" };
  var FILES = "abcdefgh";
  var DRAGGED = 5;  // pixels that a pointer moves before a tap is a drag

  function pieces_of(fen) {
    var pieces = {};
    fen.split(" ")[0].split("/").forEach(function (row, rank) {
      var file = 0;
      Array.from(row).forEach(function (letter) {
        if (/\d/.test(letter)) { file += Number(letter); return; }
        pieces[FILES[file] + (8 - rank)] = letter;
        file += 1;
      });
    });
    return pieces;
  }
  function is_white(letter) { return letter === letter.toUpperCase(); }
  function name_of(letter) { return (is_white(letter) ? "white " : "black ") + NAMES[letter.toUpperCase()]; }
  function picture(letter) {
    var image = document.createElement("img");
    image.src = "/static/piece/" + (is_white(letter) ? "w" : "b") + letter.toUpperCase() + ".svg";
    image.alt = "";
    image.draggable = false;
    return image;
  }
  function drawn(kind, attributes) {
    var made = document.createElementNS("http://www.w3.org/2000/svg", kind);
    Object.keys(attributes).forEach(function (name) { made.setAttribute(name, attributes[name]); });
    return made;
  }

  // `play` is told the UCI of a legal move; without it the board is a picture. Returns what changes the board:
  // show({fen, last, legal, arrows, check, flipped}).
  function board(box, play) {
    var state = { fen: "8/8/8/8/8/8/8/8 w - - 0 1", last: "", legal: [], arrows: [], check: false, flipped: false };
    var pieces = {};
    var chosen = "";
    var drag = null;
    var squares = [];
    var focus = "e2";
    for (var index = 0; index < 64; index++) {
      var made = document.createElement(play ? "button" : "span");
      if (play) { made.type = "button"; }
      squares.push(made);
    }
    box.setAttribute("role", play ? "group" : "img");
    box.replaceChildren.apply(box, squares);

    function square_at(index) {
      var file = state.flipped ? 7 - index % 8 : index % 8;
      return FILES[file] + (state.flipped ? Math.floor(index / 8) + 1 : 8 - Math.floor(index / 8));
    }
    function middle(square) {
      var file = FILES.indexOf(square[0]);
      return state.flipped ? [7.5 - file, square[1] - 0.5] : [file + 0.5, 8.5 - square[1]];
    }
    function arrow(uci, kind) {
      var from = middle(uci.slice(0, 2));
      var to = middle(uci.slice(2, 4));
      var length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
      var x = (to[0] - from[0]) / length;
      var y = (to[1] - from[1]) / length;
      var neck = [to[0] - 0.45 * x, to[1] - 0.45 * y];
      function side(point, by) { return (point[0] - by * y) + "," + (point[1] + by * x); }
      var points = [side(from, 0.09), side(neck, 0.09), side(neck, 0.25), to.join(","), side(neck, -0.25), side(neck, -0.09), side(from, -0.09)];
      return drawn("polygon", { points: points.join(" "), class: "arrow-" + kind });
    }
    function moves(from, to) { return state.legal.filter(function (move) { return move.slice(0, 2) === from && (!to || move.slice(2, 4) === to); }); }
    function mark(square, text, kind) {
      var label = document.createElement("span");
      label.className = kind;
      label.setAttribute("aria-hidden", "true");
      label.textContent = text;
      square.append(label);
    }
    function draw() {
      var king = state.check ? (state.fen.split(" ")[1] === "w" ? "K" : "k") : "";
      squares.forEach(function (square, index) {
        var name = square_at(index);
        var letter = pieces[name];
        var kinds = [(FILES.indexOf(name[0]) + Number(name[1])) % 2 ? "square-dark" : "square-light"];
        if (state.last && name === state.last.slice(0, 2)) { kinds.push("from"); }
        if (state.last && name === state.last.slice(2, 4)) { kinds.push("to"); }
        if (king && letter === king) { kinds.push("check"); }
        if (name === chosen) { kinds.push("chosen"); }
        if (chosen && moves(chosen, name).length) { kinds.push("target"); }
        if (moves(name).length) { kinds.push("movable"); }
        square.className = kinds.join(" ");
        square.dataset.square = name;
        if (play) { square.tabIndex = name === focus ? 0 : -1; }
        if (play) { square.setAttribute("aria-label", name + ", " + (letter ? name_of(letter) : "empty") + (name === chosen ? ", chosen" : "")); }
        square.replaceChildren();
        if (letter) { square.append(picture(letter)); }
        if (index >= 56) { mark(square, name[0], "coordinate"); }
        if (index % 8 === 0) { mark(square, name[1], "coordinate rank"); }
      });
      var old = box.querySelector(".arrows");
      if (old) { old.remove(); }
      if (state.arrows.length) {
        var layer = drawn("svg", { viewBox: "0 0 8 8", class: "arrows", "aria-hidden": "true" });
        state.arrows.forEach(function (one) { layer.append(arrow(one[0], one[1])); });
        box.append(layer);
      }
    }
    function attempt(from, to) {
      // Make the move where there is one; ask which piece where a pawn arrives.
      var fits = moves(from, to);
      if (!fits.length) { return false; }
      chosen = "";
      draw();
      if (fits.length > 1) { promote(fits); } else { play(fits[0]); }
      return true;
    }
    function promote(fits) {
      var asked = document.createElement("div");
      asked.className = "promotion";
      asked.setAttribute("role", "dialog");
      asked.setAttribute("aria-label", "Promote to");
      var white = state.fen.split(" ")[1] === "w";
      ["q", "r", "b", "n"].forEach(function (kind) {
        var move = fits.find(function (one) { return one[4] === kind; });
        if (!move) { return; }
        var one = document.createElement("button");
        one.type = "button";
        one.setAttribute("aria-label", NAMES[kind.toUpperCase()]);
        one.append(picture(white ? kind.toUpperCase() : kind));
        one.addEventListener("click", function (event) { event.stopPropagation(); asked.remove(); play(move); });
        asked.append(one);
      });
      asked.addEventListener("keydown", function (event) {
        event.stopPropagation();
        if (event.key === "Escape") { asked.remove(); squares[0].focus(); }
      });
      asked.addEventListener("pointerdown", function (event) { event.stopPropagation(); });
      box.append(asked);
      asked.firstElementChild.focus();
    }
    function choose(name) {
      if (chosen && attempt(chosen, name)) { return; }
      chosen = chosen === name ? "" : moves(name).length ? name : "";
      draw();
    }
    function square_of(target) { return target && target.closest ? target.closest("[data-square]") : null; }

    box.addEventListener("pointerdown", function (event) {
      var square = square_of(event.target);
      if (event.button || !square || !state.legal.length) { return; }
      event.preventDefault();  // the keyboard's place stays where it was, so that arrow keys step through a game
      drag = { from: square.dataset.square, x: event.clientX, y: event.clientY, image: null, id: event.pointerId };
    });
    addEventListener("pointermove", function (event) {
      if (!drag || drag.id !== event.pointerId) { return; }
      if (!drag.image) {
        if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAGGED || !moves(drag.from).length) { return; }
        chosen = drag.from;
        draw();
        drag.image = picture(pieces[drag.from]);
        drag.image.className = "dragged";
        drag.image.style.width = box.clientWidth / 8 + "px";
        box.querySelector('[data-square="' + drag.from + '"] img').classList.add("lifted");
        document.body.append(drag.image);
      }
      drag.image.style.left = event.clientX + "px";
      drag.image.style.top = event.clientY + "px";
    });
    function drop(event) {
      if (!drag || drag.id !== event.pointerId) { return; }
      var ended = drag;
      drag = null;
      var square = event.type === "pointerup" ? square_of(document.elementFromPoint(event.clientX, event.clientY)) : null;
      if (!ended.image) { if (square && box.contains(square)) { choose(square.dataset.square); } return; }
      ended.image.remove();
      if (!square || !box.contains(square) || !attempt(ended.from, square.dataset.square)) { chosen = ""; draw(); }
    }
    addEventListener("pointerup", drop);
    addEventListener("pointercancel", drop);
    box.addEventListener("click", function (event) {
      var square = square_of(event.target);
      if (square && event.detail === 0 && state.legal.length) { choose(square.dataset.square); }  // by a key, or assistive technology
    });
    box.addEventListener("keydown", function (event) {
      var step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -8, ArrowDown: 8 }[event.key];
      var index = squares.indexOf(document.activeElement);
      if (event.key === "Escape" && chosen) { chosen = ""; draw(); }
      if (!step || index < 0) { return; }
      event.preventDefault();
      event.stopPropagation();
      var next = index + step;
      if (next < 0 || next > 63 || (Math.abs(step) === 1 && Math.floor(next / 8) !== Math.floor(index / 8))) { return; }
      focus = square_at(next);
      squares.forEach(function (square, place) { square.tabIndex = place === next ? 0 : -1; });
      squares[next].focus();
    });
    function described() {
      return ["White", "Black"].map(function (side) {
        var own = Object.keys(pieces).filter(function (name) { return is_white(pieces[name]) === (side === "White"); });
        return side + " has " + own.map(function (name) { return NAMES[pieces[name].toUpperCase()] + " " + name; }).join(", ");
      }).join("; ") + (state.check ? ". Check" : "");
    }
    draw();  // squares have names before anything is shown on them
    return {
      show: function (change) {
        if ("fen" in change && change.fen !== state.fen) {  // what is being chosen stays when the same position is shown again
          chosen = "";
          var asked = box.querySelector(".promotion");
          if (asked) { asked.remove(); }
        }
        Object.assign(state, change);
        pieces = pieces_of(state.fen);
        draw();
        box.setAttribute("aria-label", "Board: " + described());
      },
      flip: function () { state.flipped = !state.flipped; draw(); }
    };
  }
  function value_in_words(value) {
    if (value.mate !== undefined) { return value.mate > 0 ? "mate in " + value.mate : "mated in " + -value.mate; }
    return (value.cp > 0 ? "+" : value.cp < 0 ? "−" : "") + (Math.abs(value.cp) / 100).toFixed(2);
  }
  function tried_in_words(answer) {
    // What the server says of a move that was tried.
    var text = answer.turn + (answer.white ? ". " : "… ") + answer.san;
    if (answer.over) { text += " ends the game: " + answer.over.replace(/-/g, "–") + "."; }
    if (answer.value === undefined) { return text + (answer.over ? "" : ": the engine has no value for it."); }
    text += (answer.over ? " It" : ": " + value_in_words(answer.value) + ",") + " expected score " + Math.round(100 * answer.expectation) + " of 100";
    if (!answer.better) { text += ", the best move"; } else if (answer.lost < 0.01) { text += ", as good as " + answer.better.san; } else {
      text += "; it loses " + Math.max(1, Math.round(100 * answer.lost)) + ", better is " + answer.better.san;
    }
    var of = answer.of_100 !== null ? answer.of_100 : answer.at_most;
    if (of !== null) {
      text += ". " + (answer.of_100 === null ? "At most " : "") + of.toFixed(of < 10 ? 1 : 0) + " of 100 players of " + answer.elo + " play it";
    }
    return text + ".";
  }
  function typed(play) {
    // The form in which a move is typed.
    var form = document.getElementById("type-move");
    if (!form) { return; }
    form.addEventListener("submit", function (event) {
      event.preventDefault();
      var input = form.querySelector("input");
      if (input.value.trim()) { play(input.value.trim()); }
      input.value = "";
    });
  }
  function pictures() {
    // Boards that only show a position: what it is stands in their attributes.
    document.querySelectorAll("[data-fen]:empty").forEach(function (box) {
      var arrows = ["better", "played"].filter(function (kind) { return box.dataset[kind]; }).map(function (kind) { return [box.dataset[kind], kind]; });
      board(box).show({ fen: box.dataset.fen, last: box.dataset.last || "", arrows: arrows, flipped: "flipped" in box.dataset });
    });
  }
  document.addEventListener("assay-refreshed", pictures);
  pictures();
  window.assay = { board: board, valueInWords: value_in_words, triedInWords: tried_in_words, typed: typed };
})();
