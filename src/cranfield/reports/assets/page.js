"use strict";
// The page is whole without this: it sorts tables, hands out rows and texts, and opens on paper what is closed.

// Rows to take away, as a file made from what is in the page.
function download(button) {
  const rows = JSON.parse(button.closest(".table").querySelector("script").textContent);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([rows], { type: "text/csv;charset=utf-8" }));
  link.download = button.dataset.file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// A text for the clipboard: that of the page's data beside the button, or of the command before it.
async function copy(button) {
  const data = button.parentElement.querySelector("script");
  const text = button.previousElementSibling?.matches("code") ? button.previousElementSibling.textContent : JSON.parse(data.textContent);
  const taken = await navigator.clipboard?.writeText(text).then(() => true, () => false) || selected(text);
  const said = button.textContent;
  button.textContent = taken ? "copied" : "not allowed here";
  setTimeout(() => { button.textContent = said; }, 1500);
}

// Frames of notebooks refuse the clipboard, but not that a selection is copied.
function selected(text) {
  const place = Object.assign(document.createElement("textarea"), { value: text, className: "heard" });
  document.body.append(place);
  place.select();
  const taken = document.execCommand("copy");
  place.remove();
  return taken;
}

// What a cell is sorted by: its first number where the column has numbers, or else its text.
function key(row, place, numeric) {
  const text = row.cells[place].textContent.trim();
  if (!numeric) return text;
  const number = parseFloat(text.replace("−", "-").replaceAll(",", ""));
  return Number.isNaN(number) ? -Infinity : number;
}

function sort(header) {
  const body = header.closest("table").tBodies[0];
  const numeric = header.classList.contains("number");
  const usual = numeric ? "descending" : "ascending";
  const other = numeric ? "ascending" : "descending";
  const order = header.getAttribute("aria-sort") === usual ? other : usual;
  const turn = order === "ascending" ? 1 : -1;
  const rows = [...body.rows].map((row) => [key(row, header.cellIndex, numeric), row]);
  rows.sort(([a], [b]) => turn * (numeric ? a - b || 0 : a.localeCompare(b)));
  body.append(...rows.map(([, row]) => row));
  for (const cell of header.parentElement.cells) cell.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", order);
}

for (const header of document.querySelectorAll("thead th")) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...header.childNodes);
  button.addEventListener("click", () => sort(header));
  header.append(button);
}
for (const button of document.querySelectorAll(".table button.download")) button.addEventListener("click", () => download(button));

for (const button of document.querySelectorAll("button.copy")) button.addEventListener("click", () => copy(button));

// A link leads to what is closed, too.
function openLinked() {
  const part = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const closed = part && (part.matches(".appendix") ? part.querySelector("details") : part.closest("details"));
  if (closed) closed.open = true;
}
addEventListener("hashchange", openLinked);
openLinked();

// On paper everything is open, and a drawing is in slices, between which a page may end; then all is as it was.
const TALLEST = 480; // pixels of a drawing that stays whole
const SLICE = [120, 280]; // the least and the most pixels of a slice
const shut = [];

addEventListener("beforeprint", () => {
  shut.push(...document.querySelectorAll("main details:not([open])"));
  for (const part of shut) part.open = true;
  for (const drawing of document.querySelectorAll(".drawing svg.marks")) slice(drawing);
});
addEventListener("afterprint", () => {
  for (const part of shut.splice(0)) part.open = false;
  for (const slices of document.querySelectorAll(".slices")) slices.remove();
  for (const drawing of document.querySelectorAll(".drawing.sliced")) drawing.classList.remove("sliced");
});

// Each slice shows a part of the drawing, which is there once.
function slice(drawing) {
  const [width, height] = [drawing.width.baseVal.value, drawing.height.baseVal.value];
  if (height <= TALLEST) return;
  const root = drawing.querySelector("g");
  root.id ||= `drawing-${[...document.querySelectorAll("svg.marks")].indexOf(drawing)}`;
  const slices = Object.assign(document.createElement("div"), { className: "slices" });
  slices.setAttribute("aria-hidden", "true");
  let top = 0;
  for (const bottom of ends(drawing, height)) {
    const part = inSvg("svg", { viewBox: `0 ${top} ${width} ${bottom - top}`, width, height: bottom - top });
    part.append(inSvg("use", { href: `#${root.id}` }));
    slices.append(part);
    top = bottom;
  }
  drawing.parentElement.classList.add("sliced");
  drawing.after(slices);
}

function inSvg(name, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

// Where the slices of a drawing end: where the fewest marks are cut, and no word if that can be.
function ends(drawing, height) {
  const cut = new Float64Array(Math.ceil(height) + 2);
  const shown = drawing.getBoundingClientRect();
  const scale = height / shown.height;
  for (const mark of drawing.querySelectorAll("text, path, line, rect")) {
    const box = mark.getBoundingClientRect();
    const from = Math.max(0, Math.floor((box.top - shown.top) * scale) + 1);
    const to = Math.min(height, Math.ceil((box.bottom - shown.top) * scale) - 1);
    for (let y = from; y <= to; y++) cut[y] += mark.tagName === "text" ? 1e6 : 1;
  }
  const [least, most] = SLICE;
  const found = [];
  for (let top = 0; height - top > most;) {
    let best = top + (top ? least : 1.5 * least);
    for (let y = best; y <= Math.min(top + most, height - least); y++) if (cut[y] <= cut[best]) best = y;
    found.push(top = best);
  }
  return [...found, height];
}

// Where the reader is, in the contents.
const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) {
    for (const link of links.values()) link.removeAttribute("aria-current");
    links.get(entry.target.id)?.setAttribute("aria-current", "true");
  }
}, { rootMargin: "0px 0px -70% 0px" });
for (const section of document.querySelectorAll("main section")) seen.observe(section);

if (!document.querySelector(".drawing")) document.documentElement.dataset.drawn = "yes";
