// What the explorer adds: figures that lead to lists, one cursor for lists and curves, and documents that can be moved.
// No measure is computed here.

import { draw, filled, go, hold, preparations, provisions, state, views } from "./app.js";

const on = (kind, heard) => document.addEventListener(kind, heard);

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

on("drawn", ({ target: place, detail: view }) => {
  if (isOfCurves(place)) {
    withCursor(view);
    place.dataset.drawn = "yes";
    rows.set(view, STEPS.flatMap((name) => view.data(name)));
    return share();
  }
  if (place.dataset.slot) return; // its page says what a click there does
  view.addEventListener("click", (event, item) => follow(item?.datum));
});

// Curves are as wide as there is room for, now and when the window, or what stands beside them, is another.
const OF_CURVES = '.drawing[data-slot^="curves"]';
const CURVES = `${OF_CURVES}[data-drawn=yes]`;
const BESIDE = { narrow: 146, wide: 206 }; // pixels: what stands beside the curves, in a wide figure words at their ends, too
const NARROW = 300; // pixels: curves that are narrower have no words at their ends

function widthIn({ clientWidth: room }) {
  const wide = Math.min(560, room - BESIDE.wide);
  return wide >= NARROW ? wide : Math.max(150, Math.min(NARROW - 1, room - BESIDE.narrow));
}

provisions.push((place) => (place.matches(OF_CURVES) ? { width: widthIn(place.parentElement) } : {}));

const rooms = new ResizeObserver((changed) => {
  for (const { target: region } of changed) {
    const view = views.get(region.querySelector(CURVES));
    if (view && view.width() !== widthIn(region)) view.width(widthIn(region)).resize().runAsync();
  }
});

preparations.push((within) => {
  rooms.disconnect();
  mapped.disconnect();
  for (const place of within.querySelectorAll(MAPS)) mapped.observe(place.parentElement);
  for (const place of within.querySelectorAll(OF_CURVES)) rooms.observe(place.parentElement);
});

// The heat map's cells are as large as its room lets them be: no stamp of few runs, and scrolled only where no name would be read.
const MAPS = '.drawing[data-figure^="/figure/heatmap"][data-drawn=yes]';
const CELLS = { least: 10, most: 44, high: 26 }; // pixels: names of narrower ones would run into each other
const mapped = new ResizeObserver((changed) => { for (const { target: region } of changed) mapIn(region); });

function mapIn(region) {
  const place = region.querySelector(MAPS);
  const view = place && views.get(place);
  if (!view) return;
  const [topics, runs] = ["x", "y"].map((name) => view.scale(name).domain().length);
  const labels = place.querySelector("canvas").clientWidth - topics * view.signal("x_step");
  const step = Math.max(CELLS.least, Math.min(CELLS.most, Math.floor((region.clientWidth - labels - 4) / topics)));
  const high = Math.max(12, Math.min(CELLS.high, Math.floor(320 / runs)));
  if (step === view.signal("x_step") && high === view.signal("y_step")) return;
  sizes.set(place, { x_step: step, y_step: high });
  draw(place);
}

// It is drawn anew, since Vega cannot move the labels of an axis of which one is called __proto__.
const sizes = new WeakMap();
provisions.push((place) => (sizes.has(place) ? { patch: (spec) => sized(spec, sizes.get(place)) } : {}));

function sized(spec, steps) {
  for (const signal of spec.signals) if (signal.name in steps) signal.value = steps[signal.name];
  return spec;
}

on("drawn", ({ target: place }) => {
  if (!place.dataset.figure.startsWith("/figure/heatmap")) return;
  place.dataset.drawn = "yes";
  mapIn(place.parentElement);
  mapped.observe(place.parentElement);
});

// The curves of all lists have the same axes: each figure is told the extremes of all.
const OTHERS = "others";
filled.add(OTHERS);
const AXES = { crp: ["crp", "crp_full_scale"], gain: ["gain", "gain_ideal"] };
const STEPS = ["steps", "before"];
const rows = new WeakMap(); // what each figure draws
const told = new WeakMap(); // what each figure was told

function share() {
  const all = [...document.querySelectorAll(CURVES)].map((place) => views.get(place));
  const ends = { low: {}, high: {} };
  for (const [axis, fields] of Object.entries(AXES)) {
    const drawn = all.flatMap((view) => rows.get(view));
    const values = drawn.flatMap((row) => fields.map((field) => row[field])).filter(Number.isFinite);
    ends.low[axis] = Math.min(...values);
    ends.high[axis] = Math.max(...values);
  }
  const words = JSON.stringify(ends);
  for (const view of all) {
    if (told.get(view) === words || all.length < 2) continue;
    told.set(view, words);
    view.data(OTHERS, [ends.low, ends.high]).runAsync();
  }
}

const isOfCurves = (place) => place.dataset.slot?.startsWith("curves");
on("given", ({ target: place, detail: data }) => {
  if (isOfCurves(place)) rows.set(views.get(place), data.flatMap(({ name, values }) => (STEPS.includes(name) ? values ?? [] : [])));
});
on("allgiven", share);

// One cursor: the figures of all lists, and the documents in them, say which rank it is on.
let cursor = 0;

function withCursor(view) {
  view.addSignalListener("cursor", (name, rank) => pointAt(rank ?? 0));
  if (cursor) view.signal("cursor", cursor).runAsync();
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

// The rank that was asked for holds at once, so that who is faster than the pages asks for the next one.
async function move(item, rank) {
  const { run, length } = item.closest(".ranked").dataset;
  const name = item.dataset.document;
  if (rank < 1 || rank > Number(length) || rank === rankOf(item)) return;
  item.dataset.rank = rank;
  await change([...changes(), [run, name, rank]], `${name} moved to rank ${rank}`);
  document.activeElement.closest(".ranked li")?.scrollIntoView({ block: "nearest" });
}

function group(label, options) {
  const made = Object.assign(document.createElement("optgroup"), { label });
  made.append(...options);
  return made;
}

// What could be changed is filled in when somebody asks: in long lists it would be most of the page. It has places, too,
// for fingers that cannot drag, since they move the page.
function offer(choice) {
  const rank = rankOf(listed(choice));
  const grades = JSON.parse(choice.closest("[data-grades]").dataset.grades);
  const places = { "to the top": 1, "one up": rank - 1, "one down": rank + 1 };
  const moves = Object.entries(places).filter(([, to]) => to >= 1 && to !== rank);
  choice.append(
    group("grade", [...grades.map((each) => new Option(each, each)), new Option("unjudged", "none")]),
    group("move", moves.map(([label, to]) => new Option(label, `rank ${to}`))),
  );
}

// Lists are long, and come anew with every change: what happens in them is heard at the document.
const listed = (target) => target.closest?.(".ranked li[data-rank]");
const movable = (target) => target.closest?.(".ranked li[draggable]");
const rankOf = (item) => Number(item.dataset.rank);

// A document is moved within its list; while a hand has it, the page stays.
let dragged = null;
let release = null;
const fits = (item) => item.parentElement === dragged?.parentElement;
const grasp = () => { release ??= hold(); };
const letGo = () => { release?.(); release = null; };

on("pointerover", ({ target }) => { if (listed(target)) pointAt(rankOf(listed(target))); });
on("pointerout", ({ target, relatedTarget: to }) => { if (listed(target) && !listed(target).contains(to)) pointAt(0); });
on("focusin", ({ target }) => {
  if (listed(target)) pointAt(rankOf(listed(target)));
  if (target.matches(".change") && target.length === 1) offer(target);
});
on("pointerdown", ({ target }) => { if (movable(target) && !target.closest("a, select")) grasp(); });
on("pointerup", letGo);
on("pointercancel", () => { if (!dragged) letGo(); }); // a drag ends the pointer's own events
on("dragstart", (event) => {
  dragged = movable(event.target);
  if (!dragged) return;
  grasp();
  event.dataTransfer.setData("text/plain", dragged.dataset.document);
});
on("dragend", () => { dragged = null; letGo(); });
on("dragover", (event) => {
  const item = movable(event.target);
  if (!item || !fits(item)) return;
  event.preventDefault();
  item.classList.add("over");
  item.classList.toggle("below", rankOf(item) > rankOf(dragged));
});
on("dragleave", ({ target, relatedTarget: to }) => {
  const item = movable(target);
  if (item && !item.contains(to)) item.classList.remove("over");
});
on("drop", (event) => {
  const item = movable(event.target);
  if (!item || !fits(item)) return;
  event.preventDefault();
  item.classList.remove("over");
  move(dragged, rankOf(item));
  letGo();
});
on("keydown", (event) => {
  const item = movable(event.target);
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!item || !event.altKey || !step) return;
  event.preventDefault();
  move(item, rankOf(item) + step);
});
// A choice that is typed is one letter after the other; each would be asked of another list, were the page replaced.
const TYPED = 500; // milliseconds after which a word is at its end
let typing = 0;
on("keydown", ({ target }) => {
  if (!target.matches("select")) return;
  grasp();
  clearTimeout(typing);
  typing = setTimeout(letGo, TYPED);
});
on("change", ({ target }) => {
  if (target.matches(".change") && target.value) {
    const item = movable(target);
    const name = item.dataset.document;
    const [, rank] = target.value.split("rank ");
    if (rank) move(item, Number(rank));
    else change([...changes(), [name, target.value === "none" ? null : Number(target.value)]], `${name} has grade ${target.value}`);
  }
  if (target.matches("[name=run][type=checkbox]")) target.nextElementSibling.disabled = !target.checked; // its order
  if (target.matches("select[data-state]")) state({ [target.dataset.state]: choicesOf(target) }, `${target.value} shown`);
});
on("click", ({ target }) => { if (target.closest("[data-undo]")) undo(); });

// Choices of the same name stand beside each other: each says one value of the state.
const choicesOf = (choice) => [...document.querySelectorAll(`select[data-state="${choice.dataset.state}"]`)].map((each) => each.value);

async function toSearch() {
  const field = () => document.querySelector("form[role=search] input[type=search]");
  if (!field()) await go(new URL("/search", location.href));
  field()?.focus();
}

on("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select, textarea")) return;
  if (event.key === "u" && changes().length) undo();
  if (event.key === "/") { event.preventDefault(); toSearch(); }
});
