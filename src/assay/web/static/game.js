"use strict";
(function () {
  // A game on the board: stepping by keys, buttons and links, the options of each position, moves that are tried, and the slider of Elo.
  var game = document.getElementById("game");
  if (!game) { return; }
  var words = document.getElementById("position-words");
  var options = document.getElementById("options");
  var clocks = document.getElementById("clocks");
  var elo = document.getElementById("elo");
  var DEAR = 0.05;  // the expected score that a move must lose to be pointed at
  var positions = [];
  var chances = null;
  var by_elo = {};  // of 100 players of 1800 and of 2800, how many play each option
  var place = 0;
  var tried = [];  // moves that were tried from here on, each with what the server answered
  var board = window.assay.board(document.getElementById("board"), attempt);
  var shown = window.assay.valueInWords;
  var trying = game.dataset.try;  // not where pages are files

  function draw() {
    var here = tried.length ? tried[tried.length - 1] : positions[place];
    var before = place > 0 ? positions[place - 1] : {};
    var arrows = [];
    if (!tried.length && (before.lost || 0) >= DEAR) {
      if (before.best && before.best !== before.uci) { arrows.push([before.best, "better"]); }
      arrows.push([before.uci, "played"]);
    }
    if (tried.length && here.lost >= DEAR && tried.length === 1 && here.better) { arrows = [[here.better.uci, "better"], [here.uci, "played"]]; }
    board.show({ fen: here.fen, last: tried.length ? here.uci : before.uci || "", legal: trying ? here.legal : [], check: here.check, arrows: arrows });
    var bar = document.getElementById("expected");
    var expected = tried.length ? (here.expectation === undefined ? undefined : here.white ? here.expectation : 1 - here.expectation) : here.expected;
    bar.hidden = expected === undefined;
    if (!bar.hidden) {
      bar.firstElementChild.style.height = 100 * expected + "%";
      bar.setAttribute("aria-label", "Expected score of White: " + Math.round(100 * expected) + " of 100");
    }
  }
  function attempt(uci) {
    // A move on the board: the game's own goes on in the game, any other is tried.
    if (!tried.length && positions[place].uci === uci) { show(place + 1); return; }
    var moves = tried.map(function (one) { return one.uci; }).concat([uci]);
    words.textContent = "The engine looks at this move …";
    fetch(trying + "?ply=" + place + "&elo=" + elo.value + "&moves=" + encodeURIComponent(moves.join(",")))
      .then(function (answer) { return answer.json(); })
      .then(function (answer) {
        if (answer.error) { words.textContent = answer.error + "."; draw(); return; }
        tried.push(answer);
        draw();
        words.textContent = window.assay.triedInWords(answer);
        document.getElementById("untry").hidden = false;
      })
      .catch(function () { words.textContent = "The move could not be sent: is assay serve still running?"; draw(); });
  }
  function dots(here) { return here.turn + (here.white ? ". " : "… "); }
  function cell(row, text, kind) {
    var made = document.createElement(kind || "td");
    made.textContent = text;
    row.append(made);
    return made;
  }
  function list() {
    var here = positions[place];
    var there = chances && here.ply !== undefined ? chances[here.ply] : null;
    document.querySelector(".of-100").hidden = !there;
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
      if (there) {
        var of = there.options[index];
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
    if (there && there.others !== null) {
      var rest = document.createElement("tr");
      var title = cell(rest, "all other moves", "th");
      title.scope = "row";
      cell(rest, ""); cell(rest, ""); cell(rest, there.others.toFixed(there.others < 10 ? 1 : 0));
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
      var there = chances[one.ply];
      if (!there || !one.options) { return; }
      var most = Math.max.apply(null, there.options);
      all[one.white] += 1;
      expected += most;
      if (one.options[there.options.indexOf(most)].uci === one.uci) { hit[one.white] += 1; }
    });
    var sum = all.true + all.false;
    var place = document.getElementById("predicted");
    place.hidden = !sum;
    place.textContent = sum ? "The move that most of them would play was played in " + hit.true + " of " + all.true + " positions by White, in " +
      hit.false + " of " + all.false + " by Black; they themselves would play it in " + Math.round(expected / sum) + " of 100." : "";
  }
  function finders(here) {
    // How many players of two Elos find the best move there.
    var counts = [2800, 1800].map(function (of) {
      var there = by_elo[of] && by_elo[of][here.ply];
      return there && there.options[0] !== null ? Math.round(there.options[0]) : null;
    });
    return counts[0] === null || counts[1] === null ? "" : counts[0] + " of 100 players of 2800 find " + here.options[0].san + ", " + counts[1] + " of 1800";
  }
  function verdict(last) {
    var text = dots(last) + last.san + (last.mark || "");
    var best = (last.options || [])[0];
    var found_by = last.best ? finders(last) : "";
    if ((last.lost || 0) >= 0.005) {
      text += " lost " + Math.round(100 * last.lost) + " points of 100";
      if (last.best && last.best !== last.uci) { text += "; better was " + dots(last) + ((last.line || []).join(" ") || best.san); }
      text += (last.best && found_by ? ". " + found_by : "") + ".";
      return text + (last.until >= 3 ? " " + last.san + " looks good until depth " + last.until + "." : "");
    }
    return last.best && last.best === last.uci ? text + " was the best move" + (found_by ? ": " + found_by : "") + "." : "After " + text + ".";
  }
  function say() {
    var here = positions[place];
    var text = [place > 0 ? verdict(positions[place - 1]) : "The beginning."];
    if (here.uci) { text.push("Next: " + dots(here) + here.san + "."); }
    words.textContent = text.join(" ");
    var left = { true: null, false: null };
    positions.slice(0, place).forEach(function (one) { if (one.clock !== undefined) { left[one.white] = one.clock; } });
    clocks.textContent = left.true === null && left.false === null ? "" : "Clocks: White " + time(left.true) + ", Black " + time(left.false);
  }
  function human() {
    // Marks from what players of the chosen Elo do: most play better than this, or few find what alone is good.
    document.querySelectorAll("#moves [data-ply]").forEach(function (link) {
      var here = positions[Number(link.dataset.ply) - 1];
      var there = chances && here ? chances[here.ply] : null;
      var word = "";
      if (there && here.best) {
        var played = here.options.findIndex(function (one) { return one.uci === here.uci; });
        var better = 0;
        here.options.forEach(function (one, index) { if (played >= 0 && one.expectation >= here.options[played].expectation + DEAR) { better += there.options[index] || 0; } });
        if ((here.lost || 0) >= 0.1 && better >= 60) { word = "easy miss"; }
        var second = here.options[1];
        if (played === 0 && second && here.options[0].expectation - second.expectation >= 0.1 && there.options[0] <= 35) { word = "find"; }
      }
      var old = link.querySelector(".human");
      if (old) { old.remove(); }
      if (word) {
        var label = document.createElement("small");
        label.className = "human";
        label.textContent = " " + word;
        link.append(label);
      }
    });
  }
  function time(seconds) {
    if (seconds === null) { return "?"; }
    var whole = Math.floor(seconds);
    var parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60].map(function (n) { return String(n).padStart(2, "0"); });
    return parts.join(":");
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
    document.querySelectorAll(".game-figure").forEach(point_at);
  }
  function point_at(figure) {
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
    tried = [];
    document.getElementById("untry").hidden = true;
    draw(); list(); say(); mark();
    history.replaceState(null, "", "#" + place);
  }
  function dear(step) {
    for (var at = place + step; at > 0 && at < positions.length; at += step) {
      if ((positions[at - 1].lost || 0) >= DEAR) { return at; }
    }
    return step > 0 ? positions.length - 1 : 0;
  }
  var steps = {
    first: function () { show(0); }, back: function () { show(tried.length ? place : place - 1); }, forward: function () { show(place + 1); },
    last: function () { show(positions.length - 1); }, mistake: function () { show(dear(1)); }, untry: function () { show(place); },
    flip: function () { board.flip(); document.getElementById("expected").classList.toggle("flipped"); }
  };
  var keys = { ArrowLeft: steps.back, ArrowRight: steps.forward, Home: steps.first, End: steps.last, f: steps.flip,
    n: steps.mistake, p: function () { show(dear(-1)); } };
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
    var at = pointed(event);
    if (at !== null) { show(at); }
  });
  function pointed(event) {
    // The position after the move that a pointer is at in a figure; null elsewhere.
    var figure = event.target.closest ? event.target.closest(".game-figure") : null;
    if (!figure) { return null; }
    var box = figure.getBoundingClientRect();
    var x = (event.clientX - box.left) / box.width * figure.viewBox.baseVal.width;
    var share = (x - Number(figure.dataset.left)) / (Number(figure.dataset.right) - Number(figure.dataset.left));
    return Math.max(0, Math.min(positions.length - 1, Math.floor(share * Number(figure.dataset.plies)) + 1));
  }
  var hovered = document.getElementById("graph-words");
  document.addEventListener("pointermove", function (event) {
    var at = pointed(event);
    hovered.hidden = at === null || at === 0;
    if (hovered.hidden) { return; }
    var last = positions[at - 1];
    var parts = [dots(last) + last.san + (last.mark || "")];
    if (positions[at].expected !== undefined) { parts.push("White " + Math.round(100 * positions[at].expected) + " of 100"); }
    if (last.lost >= 0.005) { parts.push("lost " + Math.round(100 * last.lost)); }
    if (last.clock !== undefined) { parts.push("clock " + time(last.clock)); }
    hovered.textContent = parts.join(", ");
  });
  document.querySelectorAll("[data-copy]").forEach(function (one) {
    one.hidden = !navigator.clipboard;  // needs a secure context
    var title = one.textContent;
    one.addEventListener("click", function () {
      navigator.clipboard.writeText(one.dataset.copy === "fen" ? (tried.length ? tried[tried.length - 1] : positions[place]).fen : location.href)
        .then(function () { one.textContent = "Copied"; setTimeout(function () { one.textContent = title; }, 1500); })
        .catch(function () { one.textContent = "Not allowed"; });
    });
  });

  window.assay.typed(attempt);

  var timer = null;
  function fetched(of) { return fetch(game.dataset.chances + "?elo=" + of).then(function (answer) { return answer.json(); }); }
  function ask() {
    document.getElementById("elo-shown").textContent = elo.value;
    clearTimeout(timer);
    timer = setTimeout(function () {
      fetched(elo.value).then(function (answer) {
        if (answer.error || answer.elo !== Number(elo.value)) { return; }
        document.getElementById("slider").hidden = false;
        chances = answer.chances;
        predict();
        list();
        human();
      }).catch(function () { /* the server is gone, which the banner tells */ });
    }, 80);
  }
  elo.addEventListener("input", ask);
  function ask_others() {
    [1800, 2800].forEach(function (of) {
      fetched(of).then(function (answer) {
        if (answer.error) { return; }
        by_elo[of] = answer.chances;
        say();
      }).catch(function () { /* as above */ });
    });
  }

  // What is known of the positions, now and whenever something changed: the board follows the analysis.
  var known = "";
  function load() {
    fetch(game.dataset.board).then(function (answer) { return answer.text(); }).then(function (text) {
      mark();
      human();
      if (text === known) { return; }
      var answer = JSON.parse(text);
      if (answer.error) { if (!known) { words.textContent = answer.error; } return; }
      var first = !known;
      known = text;
      if (first) { elo.value = answer.usual_elo; }
      positions = answer.positions;
      if (first) { show(Number(location.hash.slice(1)) || 0); } else if (!tried.length) { show(place); }
      var note = document.getElementById("slider-note");
      var analysed = positions.some(function (one) { return one.options; });
      note.hidden = !analysed || !answer.no_chances;
      note.textContent = note.hidden ? "" : "How many players would play each move: " + answer.no_chances + ".";
      if (analysed && !answer.no_chances) { ask(); ask_others(); }
    }).catch(function () { /* the server is gone, which the banner tells */ });
  }
  document.addEventListener("assay-refreshed", load);
  load();
})();
