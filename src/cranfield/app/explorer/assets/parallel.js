// Parallel coordinates: what is brushed is in the address, and the page lists which lines are kept.

import { preparations, said, state, views } from "./app.js";
import { here } from "./explorer.js";

const BRUSH = 4; // points; the figure takes a brush shorter than 3 for a click
const SLACK = 0.01; // points; a line at the very end of a brush is kept, however its place was rounded
const PAUSE = 200; // milliseconds after which a brush is at rest

const ends = (axis) => ["low", "high"].map((end) => `${end}.${axis}`);
const axes = () => [...document.querySelectorAll("[data-axis]")].map((each) => each.dataset.axis);
const isParallel = (place) => place.dataset.figure.startsWith("/figure/parallel.json");

// Between which points of an axis lines are kept, as the address says it; null where all are.
function brushOf(view, axis, name) {
  const [low, high] = ends(name).map((end) => parseFloat(here().get(end)));
  if (Number.isNaN(low) && Number.isNaN(high)) return null;
  const scale = view.scale(`axis${axis}`);
  const [least, most] = scale.domain();
  const inside = (value) => scale(Math.min(most, Math.max(least, value)));
  const points = [inside(Number.isNaN(high) ? most : high), inside(Number.isNaN(low) ? least : low)];
  const [top, bottom] = [Math.min(...points), Math.max(...points)];
  const more = Math.max(SLACK, (BRUSH - (bottom - top)) / 2);
  return [top - more, bottom + more];
}

// Between which values of its measure the brush of an axis keeps lines, to four digits.
function valuesOf(view, axis) {
  const brush = view.signal(`brush${axis}`);
  if (!brush || Math.abs(brush[1] - brush[0]) < BRUSH) return [null, null];
  const scale = view.scale(`axis${axis}`);
  return [Math.max(...brush), Math.min(...brush)].map((point) => Number(scale.invert(point).toPrecision(4)));
}

let held = false; // whether a hand is at it
window.addEventListener("pointerdown", () => { held = true; }, true);
for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, () => { held = false; }, true);

const showing = new WeakSet(); // figures whose brushes are set by the address, not by a hand

async function show(view) {
  if (held) return; // what the hand does will be shown when it rests
  showing.add(view);
  axes().forEach((name, axis) => view.signal(`brush${axis}`, brushOf(view, axis, name)));
  await view.runAsync();
  showing.delete(view);
}

// The page is fetched anew, but who looks at the right end of a wide figure goes on looking there.
const scrolled = new WeakMap();

function stay(place) {
  const region = place.parentElement;
  region.scrollLeft = scrolled.get(place) ?? 0;
  region.addEventListener("scroll", () => { if (region.contains(place)) scrolled.set(place, region.scrollLeft); });
}

async function keep(given) {
  await state(given, "", "replace");
  said(document.querySelector("[data-kept]")?.textContent ?? "");
}

document.addEventListener("drawn", ({ target: place, detail: view }) => {
  if (!isParallel(place)) return;
  stay(place);
  show(view);
  axes().forEach((name, axis) => {
    let timer;
    const wait = () => { clearTimeout(timer); timer = setTimeout(rest, PAUSE); };
    const rest = () => {
      if (held) return wait();
      const [low, high] = ends(name);
      const [from, to] = valuesOf(view, axis);
      keep({ [low]: from, [high]: to });
    };
    view.addSignalListener(`brush${axis}`, () => { if (!showing.has(view)) wait(); });
  });
});

preparations.push((within) => {
  for (const place of within.querySelectorAll(".drawing[data-drawn=yes]")) {
    if (!isParallel(place)) continue;
    stay(place);
    show(views.get(place));
  }
  const form = within.querySelector("form[data-keep]");
  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const fields = [...form.querySelectorAll("[data-axis] input")];
    await keep(Object.fromEntries(fields.map((field) => [field.name, field.value || null])));
    document.querySelector("form[data-keep] button")?.focus();
  });
});
