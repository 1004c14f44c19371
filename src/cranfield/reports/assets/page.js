"use strict";
// The page is whole without this: it sorts tables, and hands out their rows.

// Rows to take away, as a file made from what is in the page.
function download(button) {
  const rows = JSON.parse(button.closest(".table").querySelector("script").textContent);
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
for (const button of document.querySelectorAll(".table button.download")) button.addEventListener("click", () => download(button));

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
