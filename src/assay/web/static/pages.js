"use strict";
(function () {
  // Pages are readable without this script. It keeps them current, takes files that are dropped, and changes colours.
  var root = document.documentElement;
  var button = document.querySelector(".theme");
  var stored = null;
  try { stored = localStorage.getItem("assay-theme"); } catch (refused) { /* storage may be forbidden */ }
  function choose(theme) { if (theme === "dark" || theme === "light") { root.dataset.theme = theme; } }
  choose(stored);
  if (button) {
    button.hidden = false;
    button.addEventListener("click", function () {
      var dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      choose(dark ? "light" : "dark");
      try { localStorage.setItem("assay-theme", root.dataset.theme); } catch (refused) { /* as above */ }
    });
  }

  // On a narrow screen the names of the pages scroll: the one that is shown is seen.
  var here = document.querySelector("header.site nav [aria-current]");
  if (here) { here.parentElement.scrollLeft = here.offsetLeft - here.parentElement.offsetLeft - 40; }

  // What is meant for those without scripts reloads the page: parsed by a script it would be alive in here.
  function scripted(page) {
    page.querySelectorAll("noscript").forEach(function (one) { one.remove(); });
    return page;
  }
  scripted(document);

  // What the page shows is fetched anew when the server says that something changed, but not all the time.
  var known = document.body.dataset.version;
  var asked = known;
  var busy = false;
  var shownAt = Date.now();
  var SCROLLED = ".scroll, .wide-figure";
  var FOCUSED = "a, button, summary, [tabindex]";
  function pending() { return document.querySelector("[data-pending]") !== null; }
  function refresh(version) {
    if (busy || document.hidden || version === known || !document.querySelector("[data-live]")) { return; }
    var wait = Math.max(0, (pending() ? 200 : 2000) - (Date.now() - shownAt));
    busy = true;
    setTimeout(function () {
      fetch(location.pathname + location.search, { headers: { Accept: "text/html" } })
        .then(function (answer) { return answer.text(); })
        .then(function (text) {
          var fresh = scripted(new DOMParser().parseFromString(text, "text/html"));
          document.querySelectorAll("[data-live]").forEach(function (part) {
            var other = fresh.getElementById(part.id);
            if (!other || other.innerHTML === part.innerHTML) { return; }
            if (part.contains(document.activeElement) && document.activeElement.matches("input, textarea, select")) { return; }
            var open = Array.from(part.querySelectorAll("details")).map(function (one) { return one.open; });
            var scrolled = Array.from(part.querySelectorAll(SCROLLED)).map(function (one) { return [one.scrollLeft, one.scrollTop]; });
            var active = document.activeElement;
            var index = Array.from(part.querySelectorAll(FOCUSED)).indexOf(active);
            part.replaceChildren.apply(part, Array.from(document.importNode(other, true).childNodes));
            part.querySelectorAll("details").forEach(function (one, place) { if (open[place]) { one.open = true; } });
            part.querySelectorAll(SCROLLED).forEach(function (one, place) { if (scrolled[place]) { one.scrollTo(scrolled[place][0], scrolled[place][1]); } });
            if (index >= 0) {
              var others = Array.from(part.querySelectorAll(FOCUSED));
              var same = others.find(function (one) { return one.textContent === active.textContent; }) || others[index];
              if (same) { same.focus({ preventScroll: true }); }
            }
          });
          document.title = fresh.title;
          known = fresh.body.dataset.version || version;
          document.dispatchEvent(new CustomEvent("assay-refreshed"));
        })
        .catch(function () { known = ""; })
        .finally(function () {
          busy = false;
          shownAt = Date.now();
          if (asked !== known) { refresh(asked); }
        });
    }, wait);
  }

  // A part in which somebody types is not replaced: an answer that is awaited there is asked for again.
  setInterval(function () {
    if (pending()) { known = ""; refresh(asked); }
  }, 3000);

  var line = document.getElementById("work-line");
  var own = document.getElementById("work");
  function tell(jobs) {
    var job = jobs.find(function (one) { return one.state === "running" || one.state === "waiting"; });
    if (line) {
      line.hidden = !job || own !== null;
      if (job && !own) {
        var share = job.total ? " " + Math.floor(100 * job.done / job.total) + "%" : "";
        line.textContent = { import: "Importing ", review: "Reviewing ", analyse: "Analysing by recipe " }[job.kind] + job.title + share + (job.state === "waiting" ? " (waiting)" : "");
      }
    }
    if (!own) { return; }
    jobs.forEach(function (one) {
      var box = own.querySelector('[data-job="' + one.number + '"]');
      if (!box || one.state !== "running") { return; }
      var bar = box.querySelector("progress");
      if (bar && one.total) { bar.max = one.total; bar.value = one.done; }
      var detail = box.querySelector(".job-detail");
      var text = (one.kind !== "import" && one.total ? one.done.toLocaleString("en") + " of " + one.total.toLocaleString("en") + " positions. " : "") + one.detail;
      if (detail && detail.textContent !== text) { detail.textContent = text; }
    });
  }

  // A browser opens six connections to a server at most, and a stream of events takes one for good. So one tab, the
  // one with the lock, has the stream and tells the others. Locks need a secure context, which another machine in
  // the same network is not: there each tab has a stream, but only while it is looked at.
  var lost = document.getElementById("lost");
  var stream = null;
  var latest = null;
  var losing = null;
  var leaving = null;
  var tabs = navigator.locks && window.BroadcastChannel ? new BroadcastChannel("assay-events") : null;
  function take(news) {
    lost.hidden = !news.lost;
    if (news.lost) { return; }
    tell(news.jobs);
    asked = news.version;
    refresh(asked);
  }
  function pass(news) {
    clearTimeout(losing);
    losing = null;
    latest = news;
    take(news);
    if (tabs) { tabs.postMessage(news); }
  }
  function open() {
    stream = new EventSource("/events");
    stream.onmessage = function (event) { pass(JSON.parse(event.data)); };
    stream.onerror = function () {
      // A moment's grace: a page that is left, or a server that starts anew, is not worth a banner.
      if (losing === null) { losing = setTimeout(function () { pass({ lost: true }); losing = 0; }, 1500); }
      if (stream && stream.readyState === EventSource.CLOSED) { setTimeout(function () { if (stream) { open(); } }, 2000); }
    };
  }
  function shut() {
    clearTimeout(losing);
    losing = null;
    if (stream) { stream.close(); stream = null; }
  }
  function join() {
    if (!tabs) { if (!document.hidden && !stream) { open(); } return; }
    leaving = new AbortController();
    navigator.locks.request("assay-events", { signal: leaving.signal }, function () {
      open();
      return new Promise(function (done) { leaving.signal.addEventListener("abort", done); });
    }).catch(function () { /* the page was left before the lock came */ });
    tabs.postMessage({ missed: true });
  }
  function leave() {
    shut();
    if (leaving) { leaving.abort(); }
  }
  if (tabs) {
    tabs.onmessage = function (event) {
      if (!event.data.missed) { take(event.data); } else if (stream && latest) { tabs.postMessage(latest); }
    };
  }
  document.addEventListener("visibilitychange", function () {
    if (!tabs) { if (document.hidden) { shut(); } else { join(); } }
    refresh(asked);
  });
  addEventListener("pagehide", leave);
  addEventListener("pageshow", function (event) { if (event.persisted) { join(); } });
  join();

  // Files, which may be dropped on every page.
  var list = document.getElementById("uploads");
  var drop = document.getElementById("drop");
  function say(name, text) {
    var item = document.createElement("li");
    var who = document.createElement("bdi");
    who.textContent = name;
    item.append(who, ": ", text);
    list.append(item);
    return item;
  }
  function send(file) {
    if (file.size > Number(list.dataset.most)) {
      say(file.name, "is too large to be uploaded; name it as a file on this machine instead");
      return;
    }
    var item = say(file.name, "being sent …");
    fetch("/upload?name=" + encodeURIComponent(file.name), { method: "POST", body: file, headers: { Accept: "application/json" } })
      .then(function (answer) { return answer.json(); })
      .then(function (found) {
        if (found.error) { item.lastChild.textContent = found.error; } else if (own) { item.remove(); } else { item.lastChild.textContent = "is being imported: Home shows how far it is"; }
      })
      .catch(function () { item.lastChild.textContent = "could not be sent: is assay serve still running?"; });
  }
  var files = document.getElementById("files");
  if (files) { files.addEventListener("change", function (event) {
    Array.from(event.target.files).forEach(send);
    event.target.value = "";
  }); }
  ["dragenter", "dragover"].forEach(function (name) {
    addEventListener(name, function (event) { event.preventDefault(); (drop || document.body).classList.add("over"); });
  });
  ["dragleave", "drop"].forEach(function (name) {
    addEventListener(name, function (event) { event.preventDefault(); (drop || document.body).classList.remove("over"); });
  });
  addEventListener("drop", function (event) { Array.from(event.dataTransfer.files).forEach(send); });
})();
