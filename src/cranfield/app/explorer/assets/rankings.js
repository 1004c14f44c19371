// All rankings in one figure: a drag chooses, a click picks. What is chosen and picked is in the address; what the page
// says of it, the figure shows.

import { preparations, refresh, said, state, views } from "./app.js";

const SHORT = 4; // pixels: a shorter drag is a click
const NEAR = 8; // pixels: a click that is no farther from a point is a click on it
const LARGE = 420; // pixels: no side of the figure is longer
const ENDS = ["x_from", "x_to", "y_from", "y_to"];

const onPage = () => JSON.parse(document.querySelector("[data-rankings]")?.dataset.rankings ?? "null");
const isOfAll = (place) => place.dataset.slot?.startsWith("rankings") ?? false;
const none = (...names) => Object.fromEntries(names.map((name) => [name, null]));

// Show in the figure what the page says.
function show(place, view) {
  const { brush, kept, picks } = onPage();
  const ends = [...view.scale("x").domain(), ...view.scale("y").domain()];
  const rows = view.data("rankings");
  const found = picks.map(([run, topic]) => rows.find((row) => row.run === run && row.topic === topic));
  const side = Math.max(200, Math.min(LARGE, place.parentElement.clientWidth - 84));
  view.data("picked", found.flatMap((row, i) => (row ? [{ x: row.x, y: row.y, nth: String(i + 1) }] : [])));
  view.signal("brush", brush && brush.map((end, i) => end ?? ends[i])).signal("kept", kept);
  view.width(side).height(side).runAsync();
}

// The ranking that is nearest to where the pointer went down, or null if none is near.
function nearest(view) {
  const [x, y] = view.signal("start");
  const [across, up] = [view.scale("x"), view.scale("y")];
  let [found, least] = [null, NEAR];
  for (const row of view.data("rankings")) {
    const far = Math.hypot(across(row.x) - x, up(row.y) - y);
    if (far <= least) [found, least] = [row, far];
  }
  return found;
}

async function choose(brush) {
  const rounded = brush.map((end) => String(Number(end.toPrecision(5))));
  await state(Object.fromEntries(ENDS.map((name, i) => [name, rounded[i]])), "", "replace");
  said(document.getElementById("chosen").textContent);
}

function pick({ run, topic }, beside) {
  const picks = [...(beside ? onPage().picks.slice(0, 1) : []), [run, topic]];
  state({ pick_run: picks.map((each) => each[0]), pick_topic: picks.map((each) => each[1]) }, `${run} on topic ${topic} shown`);
}

function clear() {
  const page = onPage();
  if (page?.brush || page?.picks.length) state(none(...ENDS, "pick_run", "pick_topic"), "cleared");
}

document.addEventListener("drawn", ({ target: place, detail: view }) => {
  if (!isOfAll(place)) return;
  let from = null;
  let dragged = false;
  place.addEventListener("pointerdown", ({ clientX: x, clientY: y }) => { from = { x, y }; dragged = false; });
  window.addEventListener("pointerup", ({ clientX: x, clientY: y }) => {
    if (!from) return;
    dragged = Math.max(Math.abs(x - from.x), Math.abs(y - from.y)) >= SHORT;
    from = null;
    if (dragged && view.signal("brush")) choose(view.signal("brush"));
  });
  window.addEventListener("pointercancel", () => { from = null; });
  view.addEventListener("click", (event, item) => {
    if (dragged) return;
    const ranking = item?.mark.name === "points" ? item.datum : item?.mark.name === "field" ? nearest(view) : undefined;
    if (ranking) pick(ranking, event.shiftKey);
    else if (ranking === null) clear();
  });
  show(place, view);
});

// A link to another state of this page, or to a place on it: what is drawn stays.
async function stay(event) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (event.currentTarget.hash) return document.querySelector(event.currentTarget.hash).focus();
  const headings = event.currentTarget.closest(".counts") ? "#chosen" : ".picked h2";
  history.pushState({}, "", event.currentTarget.href);
  await refresh("");
  [...document.querySelectorAll(headings)].pop().focus();
}

preparations.push((within) => {
  for (const place of within.querySelectorAll(".drawing[data-drawn=yes]")) {
    if (isOfAll(place)) show(place, views.get(place));
  }
  for (const link of within.querySelectorAll("a[data-here]")) link.addEventListener("click", stay);
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.target.closest("input, select")) clear();
});
