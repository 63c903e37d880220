"use strict";
(function () {
  // Everything is readable without this script: it adds the choice of colours, and opens cards for paper.
  var root = document.documentElement;
  var button = document.querySelector(".theme");
  var stored = null;
  try { stored = localStorage.getItem("assay-theme"); } catch (refused) { /* a file may have no storage */ }
  function dark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }
  function choose(theme) {
    if (theme === "dark" || theme === "light") { root.dataset.theme = theme; }
  }
  choose(stored);
  choose(location.hash.slice(1));
  button.hidden = false;
  button.addEventListener("click", function () {
    choose(dark() ? "light" : "dark");
    try { localStorage.setItem("assay-theme", root.dataset.theme); } catch (refused) { /* as above */ }
  });

  var cards = Array.from(document.querySelectorAll("details"));
  document.querySelector(".buttons").hidden = false;
  document.querySelectorAll("[data-open]").forEach(function (one) {
    one.addEventListener("click", function () {
      document.querySelectorAll("details.card").forEach(function (card) { card.open = one.dataset.open === "all"; });
    });
  });
  if (matchMedia("(max-width: 44rem)").matches) {
    // Six figures stand one below the other there: more than one open card hides all that follows.
    document.querySelectorAll("details.card + details.card").forEach(function (card) { card.open = false; });
  }
  var closed = [];
  addEventListener("beforeprint", function () {
    closed = cards.filter(function (card) { return !card.open; });
    closed.forEach(function (card) { card.open = true; });
  });
  addEventListener("afterprint", function () { closed.forEach(function (card) { card.open = false; }); });
})();
