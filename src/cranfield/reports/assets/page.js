"use strict";
// The page is whole without this: it draws the figures, sorts tables, and hands out their rows.

// Figures, one after the other, so that the page stays responsive.
async function draw() {
  for (const place of document.querySelectorAll(".drawing")) {
    const spec = JSON.parse(document.getElementById(place.dataset.spec).textContent);
    try {
      const words = place.getAttribute("aria-label");
      await vegaEmbed(place, spec, { renderer: "svg", tooltip: { theme: "light" }, actions: { export: true, source: false, compiled: false, editor: false } });
      // What is read aloud is the drawing; the menu beside it is for itself.
      const drawing = place.querySelector("svg.marks");
      drawing.style.minWidth = 0.6 * drawing.width.baseVal.value + "px"; // smaller letters are not read
      drawing.setAttribute("role", "img");
      drawing.setAttribute("aria-label", words);
      for (const part of drawing.children) part.setAttribute("aria-hidden", "true"); // it is read as one
      place.querySelector("summary").setAttribute("aria-label", "Save this figure");
      place.removeAttribute("role");
      place.removeAttribute("aria-label");
    } catch (error) {
      place.textContent = "This figure could not be drawn: " + error.message;
    }
  }
  document.documentElement.dataset.drawn = "yes";
}

// Rows to take away, as a file made from what is in the page.
function download(button) {
  const rows = document.getElementById(button.dataset.rows).textContent.replaceAll("\\u003c", "<");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([rows], { type: "text/csv;charset=utf-8" }));
  link.download = button.dataset.file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
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
for (const button of document.querySelectorAll("button.download")) button.addEventListener("click", () => download(button));

// Where the reader is, in the contents.
const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) {
    for (const link of links.values()) link.removeAttribute("aria-current");
    links.get(entry.target.id)?.setAttribute("aria-current", "true");
  }
}, { rootMargin: "0px 0px -70% 0px" });
for (const section of document.querySelectorAll("main section")) seen.observe(section);

if (document.querySelector(".drawing")) draw(); else document.documentElement.dataset.drawn = "yes";
