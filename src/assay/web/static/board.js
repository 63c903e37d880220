"use strict";
(function () {
  // A game on the board: stepping by keys, buttons and links, the options of each position, and the slider of Elo.
  var game = document.getElementById("game");
  if (!game) { return; }
  var board = document.getElementById("board");
  var words = document.getElementById("position-words");
  var options = document.getElementById("options");
  var clocks = document.getElementById("clocks");
  var elo = document.getElementById("elo");
  var positions = [];
  var chances = null;
  var place = 0;
  var flipped = false;
  var names = window.assayBoard.names;
  var squares = window.assayBoard.squares;

  function draw() {
    var here = positions[place];
    var pieces = squares(here.fen);
    var last = place > 0 ? positions[place - 1].uci : "";
    var best = here.best || "";
    board.replaceChildren();
    for (var index = 0; index < 64; index++) {
      var rank = flipped ? Math.floor(index / 8) + 1 : 8 - Math.floor(index / 8);
      var file = flipped ? 7 - index % 8 : index % 8;
      var name = "abcdefgh"[file] + rank;
      var square = document.createElement("div");
      square.className = (file + rank) % 2 ? "square-dark" : "square-light";
      if (last.slice(0, 2) === name) { square.classList.add("from"); }
      if (last.slice(2, 4) === name) { square.classList.add("to"); }
      if (best.slice(0, 2) === name || best.slice(2, 4) === name) { square.classList.add("best"); }
      if (pieces[name]) {
        var image = document.createElement("img");
        var letter = pieces[name];
        image.src = "/static/piece/" + (letter === letter.toUpperCase() ? "w" : "b") + letter.toUpperCase() + ".svg";
        image.alt = "";
        square.append(image);
      }
      window.assayBoard.name(square, index, file, rank);
      board.append(square);
    }
  }
  function dots(here) { return here.turn + (here.white ? ". " : "… "); }
  function shown(value) {
    if (value.mate !== undefined) { return value.mate > 0 ? "mate in " + value.mate : "mated in " + -value.mate; }
    return (value.cp > 0 ? "+" : value.cp < 0 ? "−" : "") + (Math.abs(value.cp) / 100).toFixed(2);
  }
  function cell(row, text, kind) {
    var made = document.createElement(kind || "td");
    made.textContent = text;
    row.append(made);
    return made;
  }
  function list() {
    var here = positions[place];
    var found = chances && here.ply !== undefined ? chances[here.ply] : null;
    document.querySelector(".of-100").hidden = !found;
    options.replaceChildren();
    (here.options || []).forEach(function (one, index) {
      var row = document.createElement("tr");
      var head = cell(row, one.san, "th");
      head.scope = "row";
      if (one.uci === here.uci) {
        row.className = "is-played";
        var mark = document.createElement("small");
        mark.textContent = " played";
        head.append(mark);
      }
      cell(row, shown(one.value));
      cell(row, Math.round(100 * one.expectation) + "%");
      if (found) {
        var of = found.options[index];
        var last = cell(row, of === null ? "" : of.toFixed(of < 10 ? 1 : 0) + " ");
        var bar = document.createElement("span");
        bar.className = "bar-box";
        var inner = document.createElement("span");
        inner.style.width = Math.min(100, of || 0) + "%";
        bar.append(inner);
        last.append(bar);
      }
      options.append(row);
    });
    if (found && found.others !== null) {
      var rest = document.createElement("tr");
      var title = cell(rest, "all other moves", "th");
      title.scope = "row";
      cell(rest, ""); cell(rest, ""); cell(rest, found.others.toFixed(found.others < 10 ? 1 : 0));
      options.append(rest);
    }
    if (!options.children.length) {
      var empty = document.createElement("tr");
      var only = cell(empty, here.uci === undefined ? "The game ends here." : "Not analysed yet.");
      only.colSpan = 4;
      options.append(empty);
    }
  }
  function predict() {
    // Predicted against played: how often a side played what players of the chosen Elo play most there.
    var hit = { true: 0, false: 0 };
    var all = { true: 0, false: 0 };
    var expected = 0;
    positions.forEach(function (one) {
      var found = chances[one.ply];
      if (!found || !one.options) { return; }
      var most = Math.max.apply(null, found.options);
      all[one.white] += 1;
      expected += most;
      if (one.options[found.options.indexOf(most)].uci === one.uci) { hit[one.white] += 1; }
    });
    var sum = all.true + all.false;
    var place = document.getElementById("predicted");
    place.hidden = !sum;
    place.textContent = sum ? "The move that most of them would play was played in " + hit.true + " of " + all.true + " positions by White, in " +
      hit.false + " of " + all.false + " by Black; they themselves would play it in " + Math.round(expected / sum) + " of 100." : "";
  }
  function say() {
    var here = positions[place];
    var text = [];
    if (place > 0) {
      var last = positions[place - 1];
      text.push("After " + dots(last) + last.san + (last.lost >= 0.005 ? ", which lost " + Math.round(100 * last.lost) + " points in a hundred" : "") + ".");
    } else {
      text.push("The beginning.");
    }
    if (here.uci) { text.push("Next: " + dots(here) + here.san + "."); }
    words.textContent = text.join(" ");
    board.setAttribute("aria-label", "Board: " + described(here.fen));
    var left = { true: null, false: null };
    positions.slice(0, place).forEach(function (one) { if (one.clock !== undefined) { left[one.white] = one.clock; } });
    clocks.textContent = left.true === null && left.false === null ? "" : "Clocks: White " + time(left.true) + ", Black " + time(left.false);
  }
  function time(seconds) {
    if (seconds === null) { return "?"; }
    var whole = Math.floor(seconds);
    var parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60].map(function (n) { return String(n).padStart(2, "0"); });
    return parts.join(":");
  }
  function described(fen) {
    var pieces = squares(fen);
    return ["White", "Black"].map(function (side) {
      var own = Object.keys(pieces).filter(function (name) { return (pieces[name] === pieces[name].toUpperCase()) === (side === "White"); });
      return side + " has " + own.map(function (name) { return names[pieces[name].toUpperCase()] + " " + name; }).join(", ");
    }).join("; ");
  }
  function mark() {
    document.querySelectorAll("#moves [data-ply]").forEach(function (one) {
      if (Number(one.dataset.ply) === place) {
        one.setAttribute("aria-current", "step");
        var box = document.getElementById("moves-box");
        box.scrollTop = one.offsetTop - box.offsetTop - box.clientHeight / 2;
      } else {
        one.removeAttribute("aria-current");
      }
    });
    var figure = document.querySelector(".game-figure");
    if (!figure) { return; }
    var line = figure.querySelector(".cursor");
    if (!line) {
      line = document.createElementNS("http://www.w3.org/2000/svg", "line");
      line.setAttribute("class", "cursor");
      figure.append(line);
    }
    var wide = Number(figure.dataset.right) - Number(figure.dataset.left);
    var x = Number(figure.dataset.left) + wide * Math.max(0, place - 0.5) / Math.max(1, Number(figure.dataset.plies));
    line.setAttribute("x1", x); line.setAttribute("x2", x);
    line.setAttribute("y1", figure.dataset.top); line.setAttribute("y2", figure.dataset.bottom);
  }
  function show(wanted) {
    if (!positions.length) { return; }
    place = Math.max(0, Math.min(positions.length - 1, wanted));
    draw(); list(); say(); mark();
    history.replaceState(null, "", "#" + place);
  }
  function dear(step) {
    for (var at = place + step; at > 0 && at < positions.length; at += step) {
      if ((positions[at - 1].lost || 0) >= 0.05) { return at; }
    }
    return step > 0 ? positions.length - 1 : 0;
  }
  var steps = {
    first: function () { show(0); }, back: function () { show(place - 1); }, forward: function () { show(place + 1); },
    last: function () { show(positions.length - 1); }, flip: function () { flipped = !flipped; show(place); }
  };
  var keys = { ArrowLeft: steps.back, ArrowRight: steps.forward, Home: steps.first, End: steps.last, f: steps.flip,
    ArrowDown: function () { show(dear(1)); }, ArrowUp: function () { show(dear(-1)); } };
  addEventListener("keydown", function (event) {
    if (event.target.matches("input, textarea, select") || event.ctrlKey || event.altKey || event.metaKey) { return; }
    if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
  });
  document.querySelectorAll("[data-step]").forEach(function (one) {
    one.addEventListener("click", function () { steps[one.dataset.step](); });
  });
  document.addEventListener("click", function (event) {
    var link = event.target.closest("#moves [data-ply]");
    if (link) { event.preventDefault(); show(Number(link.dataset.ply)); return; }
    var figure = event.target.closest(".game-figure");
    if (figure) {
      var box = figure.getBoundingClientRect();
      var x = (event.clientX - box.left) / box.width * figure.viewBox.baseVal.width;
      var share = (x - Number(figure.dataset.left)) / (Number(figure.dataset.right) - Number(figure.dataset.left));
      show(Math.floor(share * Number(figure.dataset.plies)) + 1);
    }
  });

  var timer = null;
  function ask() {
    document.getElementById("elo-shown").textContent = elo.value;
    clearTimeout(timer);
    timer = setTimeout(function () {
      fetch(game.dataset.chances + "?elo=" + elo.value).then(function (answer) { return answer.json(); }).then(function (found) {
        var note = document.getElementById("slider-note");
        document.getElementById("slider").hidden = Boolean(found.error);
        note.hidden = !found.error;
        note.textContent = found.error ? "How many players would play each move: " + found.error + "." : "";
        if (found.error || found.elo !== Number(elo.value)) { return; }
        chances = found.chances;
        predict();
        list();
      });
    }, 80);
  }
  elo.addEventListener("input", ask);

  // What is known of the positions, now and whenever something changed: the board follows the analysis.
  var known = "";
  function load() {
    fetch(game.dataset.board).then(function (answer) { return answer.text(); }).then(function (text) {
      mark();
      if (text === known) { return; }
      var found = JSON.parse(text);
      if (found.error) { if (!known) { words.textContent = found.error; } return; }
      var first = !known;
      known = text;
      positions = found.positions;
      show(first ? Number(location.hash.slice(1)) || 0 : place);
      if (positions.some(function (one) { return one.options; })) { ask(); }
    }).catch(function () { /* the server is gone, which the banner tells */ });
  }
  document.addEventListener("assay-refreshed", load);
  load();
})();
