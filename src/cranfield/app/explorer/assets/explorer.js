// What the explorer adds: figures that lead to lists, one cursor for lists and curves, and documents that can be moved.
// No measure is computed here.

import { go, preparations, state, views } from "./app.js";

export const here = () => new URL(location.href).searchParams;

// A click in a figure leads to what it is about: a topic's lists, or a run.
function follow(datum) {
  if (!datum || (datum.topic === undefined && datum.run === undefined)) return;
  const to = new URL(datum.topic === undefined ? "/run" : "/topic", location.href);
  if (datum.topic !== undefined) to.searchParams.set("topic", datum.topic);
  const runs = datum.run !== undefined ? [datum.run] : [...here().getAll("run"), ...here().getAll("a"), ...here().getAll("b")];
  for (const run of runs) to.searchParams.append("run", run);
  if (here().get("measure")) to.searchParams.set("measure", here().get("measure"));
  go(to);
}

document.addEventListener("drawn", ({ target: place, detail: view }) => {
  if (place.dataset.slot?.startsWith("curves")) return withCursor(place, view);
  if (place.dataset.slot) return; // its page says what a click there does
  view.addEventListener("click", (event, item) => follow(item?.datum));
});

// One cursor: the figures of all lists, and the documents in them, say which rank it is on.
export const CURVES = '.drawing[data-drawn=yes][data-slot^="curves"]';
let cursor = 0;

function withCursor(place, view) {
  fit(place, view);
  view.signal("cursor", cursor).addSignalListener("cursor", (name, rank) => pointAt(rank ?? 0));
}

export function fit(place, view) {
  const room = place.parentElement.clientWidth - 132;
  view.width(Math.max(160, Math.min(560, room))).resize().runAsync();
}

function pointAt(rank) {
  if (rank === cursor) return;
  cursor = rank;
  for (const view of [...document.querySelectorAll(CURVES)].map((place) => views.get(place))) {
    if (view.signal("cursor") !== rank) view.signal("cursor", rank).runAsync();
  }
  for (const item of document.querySelectorAll(".ranked li.here")) item.classList.remove("here");
  if (rank) for (const item of document.querySelectorAll(`.ranked li[data-rank="${rank}"]`)) item.classList.add("here");
}

// What is changed is in the address: going back undoes it, and the address can be sent to others.
const changes = () => JSON.parse(here().get("changes") || "[]");
const change = (changed, words) => state({ changes: changed.length ? JSON.stringify(changed) : null }, words);
const undo = () => change(changes().slice(0, -1), "undone");

async function move(item, rank) {
  const run = item.closest(".ranked").dataset.run;
  const name = item.dataset.document;
  await change([...changes(), [run, name, rank]], `${name} moved to rank ${rank}`);
  document.querySelector(`.ranked[data-run="${CSS.escape(run)}"] li[data-document="${CSS.escape(name)}"]`)?.focus();
}

// What a document's grade could be is filled in when somebody asks: in long lists it would be most of the page.
function offer(grade) {
  const known = JSON.parse(grade.closest("[data-grades]").dataset.grades);
  grade.append(...known.map((each) => new Option(each, each)), new Option("unjudged", "none"));
}

let dragged = null;

preparations.push((within) => {
  for (const item of within.querySelectorAll(".ranked li[data-rank]")) {
    const rank = Number(item.dataset.rank);
    item.addEventListener("pointerenter", () => pointAt(rank));
    item.addEventListener("pointerleave", () => pointAt(0));
    item.addEventListener("focus", () => pointAt(rank));
  }
  for (const item of within.querySelectorAll(".ranked li[draggable]")) {
    item.addEventListener("dragstart", (event) => { dragged = item; event.dataTransfer.setData("text/plain", item.dataset.document); });
    item.addEventListener("dragover", (event) => {
      if (dragged?.parentElement !== item.parentElement) return;
      event.preventDefault();
      item.classList.add("over");
    });
    item.addEventListener("dragleave", () => item.classList.remove("over"));
    item.addEventListener("drop", (event) => { event.preventDefault(); move(dragged, Number(item.dataset.rank)); });
    item.addEventListener("keydown", (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!event.altKey || !step) return;
      event.preventDefault();
      const rank = Number(item.dataset.rank) + step;
      if (rank >= 1) move(item, rank);
    });
    const grade = item.querySelector(".regrade");
    grade.addEventListener("focus", () => offer(grade), { once: true });
    grade.addEventListener("change", (event) => {
      const given = event.target.value;
      const name = item.dataset.document;
      if (given) change([...changes(), [name, given === "none" ? null : Number(given)]], `${name} has grade ${given}`);
    });
  }
  within.querySelector("[data-undo]")?.addEventListener("click", undo);
  for (const choice of within.querySelectorAll("select[data-state]")) {
    choice.addEventListener("change", () => state({ [choice.dataset.state]: choicesOf(choice) }, `${choice.value} shown`));
  }
});

// Choices of the same name stand beside each other: each says one value of the state.
const choicesOf = (choice) => [...document.querySelectorAll(`select[data-state="${choice.dataset.state}"]`)].map((each) => each.value);

async function toSearch() {
  const field = () => document.querySelector("form[role=search] input[type=search]");
  if (!field()) await go(new URL("/search", location.href));
  field().focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select, textarea")) return;
  if (event.key === "u" && changes().length) undo();
  if (event.key === "/") { event.preventDefault(); toSearch(); }
});
