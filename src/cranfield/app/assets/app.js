// What all applications share: figures, tables to sort, and pages of which a part is replaced.

export const views = new WeakMap(); // what draws each figure

// What a figure is given before it is first drawn: functions of its place, which return options of vegaEmbed.
export const provisions = [];

// Rows of figures that the page itself fills, by their name.
export const filled = new Set();

export const said = (words) => { document.getElementById("said").textContent = words; };

const parsed = (text) => new DOMParser().parseFromString(text, "text/html");

// A figure's specification is what its address answers, unless it came with the page; it is asked for before its place
// is ready.
const coming = new WeakMap();

async function answered(address) {
  const answer = await fetch(address);
  if (answer.ok) return answer.json();
  throw new Error(parsed(await answer.text()).querySelector(".problem")?.textContent ?? answer.statusText);
}

function specification(place) {
  if (!coming.has(place)) {
    const came = place.querySelector("script");
    coming.set(place, came ? Promise.resolve(came.textContent).then(JSON.parse) : answered(place.dataset.figure));
  }
  return coming.get(place);
}

// What stands above a figure is broken into lines that a narrow room can hold.
const NARROW = 640; // pixels
const FONT = { text: "600 15px Helvetica, Arial, sans-serif", subtitle: "11.5px Helvetica, Arial, sans-serif" }; // the theme's
const FILLED = 0.75; // of the room: a line is not broken again when the window is made narrower
const pen = document.createElement("canvas").getContext("2d");

function broken(title, room) {
  const lines = (words) => words.reduce((all, word) => {
    const last = all.at(-1);
    if (last !== undefined && pen.measureText(`${last} ${word}`).width < FILLED * room) all[all.length - 1] = `${last} ${word}`;
    else all.push(word);
    return all;
  }, []);
  const found = { ...title };
  for (const part of Object.keys(FONT)) {
    pen.font = FONT[part];
    if (title[part]) found[part] = lines([title[part]].flat().join(" ").split(" "));
  }
  return found;
}

// Lists side by side are as narrow as their room: what is between them, and the names beside them.
const NARROWER = [0.7, 0.5, 0.35, 0.25];
const besides = (spec) => spec.layer?.some((view) => view.mark?.limit);
const NOT_THERE = ["not retrieved", "✕"]; // where the words would run into the ranks, a sign stands for them
const narrowed = (spec, part) => ({
  ...spec, width: spec.width * part, title: signed(spec), config: { ...spec.config, legend: { ...spec.config?.legend, columns: part < 0.3 ? 1 : 2 } },
  layer: spec.layer.map((view) => ({ ...view, mark: {
    ...view.mark, ...(view.mark?.limit && { limit: view.mark.limit * part }), ...(view.mark?.text === NOT_THERE[0] && { text: NOT_THERE[1] }),
  } })),
});

function signed({ title, layer, datasets }) {
  const said = layer.some(({ mark, data }) => mark?.text === NOT_THERE[0] && datasets[data.name].length);
  return said && title?.subtitle ? { ...title, subtitle: [...title.subtitle, NOT_THERE.toReversed().join(": ") + "."] } : title;
}

export async function draw(place) {
  const found = await specification(place);
  const room = place.parentElement.clientWidth;
  const spec = found.title?.text && room && room < NARROW ? { ...found, title: broken(found.title, room) } : found;
  const embedded = async (drawn) => (await vegaEmbed(place, drawn, {
    renderer: "canvas", actions: false, defaultStyle: false, ast: true, expr: vega.expressionInterpreter,
    tooltip: { disableDefaultStyle: true }, ...Object.assign({}, ...provisions.map((provide) => provide(place))),
  })).view;
  let view = await embedded(spec);
  for (const part of besides(spec) && room ? NARROWER : []) {
    if (place.querySelector("canvas").clientWidth <= room) break;
    view.finalize();
    view = await embedded(narrowed(spec, part));
  }
  place.setAttribute("role", "img");
  place.setAttribute("aria-label", spec.description ?? "");
  views.get(place)?.finalize();
  views.set(place, view);
  place.dispatchEvent(new CustomEvent("drawn", { bubbles: true, detail: view }));
  place.dataset.drawn = "yes";
}

// A figure with a slot keeps what draws it, and gets other rows: all figures do before any is drawn, since some share
// their axes, and each would be drawn twice.
function give(place, spec) {
  if (spec instanceof Error) { failed(place, spec); return false; }
  for (const { name, values } of spec.data) if (values && !filled.has(name)) views.get(place).data(name, values);
  place.setAttribute("aria-label", spec.description ?? "");
  place.dispatchEvent(new CustomEvent("given", { bubbles: true, detail: spec.data }));
  return true;
}

function redraw(places, specs) {
  const well = places.filter((place, i) => give(place, specs[i]));
  document.dispatchEvent(new CustomEvent("allgiven"));
  return Promise.all(well.map((place) => views.get(place).runAsync().catch((error) => failed(place, error))));
}

function failed(place, error) {
  place.textContent = `This figure could not be drawn: ${error.message}`;
  place.dataset.drawn = "no";
}

async function drawAll(within) {
  const places = [...within.querySelectorAll(".drawing:not([data-drawn])")];
  await Promise.all(places.map((place) => draw(place).catch((error) => failed(place, error))));
  document.documentElement.dataset.drawn = "yes";
}

// Tables are sorted by what stands in a column.
function key(row, place, numeric) {
  const text = row.cells[place].dataset.value ?? row.cells[place].textContent.trim();
  if (!numeric) return text;
  const number = parseFloat(text);
  return Number.isNaN(number) ? -Infinity : number;
}

function sort(header) {
  const numeric = header.classList.contains("number");
  const [usual, other] = numeric ? ["descending", "ascending"] : ["ascending", "descending"];
  const order = header.getAttribute("aria-sort") === usual ? other : usual;
  const turn = order === "ascending" ? 1 : -1;
  const body = header.closest("table").tBodies[0];
  const rows = [...body.rows].map((row) => [key(row, header.cellIndex, numeric), row]);
  rows.sort(([a], [b]) => turn * (numeric ? a - b || 0 : a.localeCompare(b)));
  body.append(...rows.map(([, row]) => row));
  for (const cell of header.parentElement.cells) cell.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", order);
}

function sortable(within) {
  for (const header of within.querySelectorAll("table.sortable thead th")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    button.addEventListener("click", () => sort(header));
    header.append(button);
  }
}

// A table that is wider than its room is set as cards, a row each, every value with the name of its column.
const fitted = new ResizeObserver((changed) => { for (const { target } of changed) fit(target); });

function fit(region) {
  region.classList.remove("cards");
  region.classList.toggle("cards", region.scrollWidth > region.clientWidth + 1);
}

function fitting(within) {
  fitted.disconnect();
  for (const table of within.querySelectorAll(".wide > table")) {
    const names = [...table.tHead?.rows[0]?.cells ?? []].map((each) => each.textContent.trim());
    for (const body of table.tBodies) {
      for (const row of body.rows) [...row.cells].forEach((cell, i) => { cell.dataset.name = names[i] ?? ""; });
    }
    fitted.observe(table.parentElement);
  }
}

// Which of the figures that are there take places of a new page: the same, and those of the same slot.
function staying(old, view) {
  const drawn = [...old.querySelectorAll(".drawing[data-drawn=yes]")];
  const stay = new Map();
  for (const place of view.querySelectorAll(".drawing")) {
    const { figure, slot } = place.dataset;
    const fits = drawn.findIndex((each) => each.dataset.figure === figure || (slot && each.dataset.slot === slot));
    if (fits >= 0) stay.set(place, drawn.splice(fits, 1)[0]);
  }
  return [stay, drawn];
}

// What stands on a page is found again on the next one by the names of what it stands in, and its place among its like.
const NAMES = ["id", "data-document", "data-run", "data-state", "name", "href", "aria-label"];

function again(element, old, view) {
  const steps = [];
  for (let each = element; each !== old; each = each.parentElement) {
    const known = NAMES.find((name) => each.hasAttribute(name));
    if (known) steps.unshift(`[${known}="${CSS.escape(each.getAttribute(known))}"]`);
    else if (each === element) steps.unshift(each.localName);
  }
  const path = steps.join(" ");
  return view.querySelectorAll(path)[[...old.querySelectorAll(path)].indexOf(element)];
}

// The server is a command that can be ended, while its pages are still looked at.
function unanswered() {
  document.getElementById("unanswered")?.remove();
  const told = Object.assign(document.createElement("p"), { id: "unanswered", className: "problem", role: "alert" });
  told.textContent = "The server does not answer: the command that shows these pages may have ended. Start it again, and reload this page.";
  document.getElementById("view").prepend(told);
  told.scrollIntoView({ block: "nearest" });
}

// The state of a page is its address: what changes the state writes a new one, and the page is fetched anew. What it
// says and the figures that stay change at once, and never contradict each other.
let asked = 0;

// A page is not replaced under a hand that holds something of it; one that is never seen to let go, does so after a while.
const LONGEST = 10_000; // milliseconds
let held = Promise.resolve();

export function hold() {
  let release;
  held = new Promise((done) => { release = done; });
  setTimeout(release, LONGEST);
  return release;
}

export async function refresh(words) {
  const mine = ++asked;
  delete document.documentElement.dataset.drawn;
  const text = await fetch(location.href).then((answer) => answer.text()).catch(unanswered);
  if (text === undefined || mine !== asked) return; // a later change has overtaken this one
  const page = parsed(text);
  if (!page.getElementById("view")) return location.reload(); // something else than a page of ours
  const old = document.getElementById("view");
  const view = document.adoptNode(page.getElementById("view"));
  const [stay, left] = staying(old, view);
  for (const place of view.querySelectorAll(".drawing")) if (!stay.has(place)) specification(place).catch(() => {});
  const stale = [...stay].filter(([place, kept]) => place.dataset.figure !== kept.dataset.figure);
  const specs = await Promise.all(stale.map(([place]) => specification(place).catch((error) => error)));
  await held;
  if (mine !== asked) return;
  document.title = page.title;
  document.querySelector("header")?.replaceWith(document.adoptNode(page.querySelector("header")));
  for (const [place, kept] of stay) {
    kept.dataset.figure = place.dataset.figure;
    place.replaceWith(kept);
  }
  for (const place of left) views.get(place)?.finalize();
  for (const open of old.querySelectorAll("details[open]")) again(open, old, view)?.setAttribute("open", "");
  const focused = old.contains(document.activeElement) && again(document.activeElement, old, view);
  old.replaceWith(view);
  if (focused) focused.focus({ preventScroll: true });
  ready(view);
  said(words);
  if (stale.length) await redraw(stale.map(([, kept]) => kept), specs);
  if (mine === asked) await drawAll(view);
}

// Write a state: `given` are names and their values, a list of them, or null for none.
export function state(given, words, how = "push") {
  const to = new URL(location.href);
  for (const [name, value] of Object.entries(given)) {
    to.searchParams.delete(name);
    for (const each of [value ?? []].flat()) to.searchParams.append(name, each);
  }
  history[how === "push" ? "pushState" : "replaceState"]({}, "", to);
  return refresh(words);
}

// Links and forms lead to pages that are put in the place of this one: what draws figures is loaded once.
export async function go(address) {
  if (address.pathname === location.pathname && address.search === location.search) return;
  history.pushState({}, "", address);
  scrollTo(0, 0);
  await refresh("");
  said(document.title);
}

const ours = (address) => address.origin === location.origin && address.hash === "";

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (!link || link.hasAttribute("download") || link.target || event.defaultPrevented) return;
  if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const address = new URL(link.href);
  if (!ours(address)) return;
  event.preventDefault();
  go(address);
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "get" || event.defaultPrevented) return;
  const address = new URL(form.action);
  address.search = new URLSearchParams(new FormData(form, event.submitter)).toString();
  event.preventDefault();
  go(address);
});

export const preparations = [sortable, fitting];

function ready(within) { for (const prepare of preparations) prepare(within); }

window.addEventListener("popstate", () => refresh("back"));
document.addEventListener("DOMContentLoaded", () => { ready(document); drawAll(document); });
