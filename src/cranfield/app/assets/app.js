"use strict";
// Figures, sorting, and lists whose documents can be moved. No measure is computed here.

const said = (words) => { document.getElementById("said").textContent = words; };

// A click in a figure leads to the topic, and to the run, that it is about.
function follow(datum) {
  if (!datum || datum.topic === undefined) return;
  const here = new URL(location.href);
  const to = new URL("/topic", here);
  to.searchParams.set("topic", datum.topic);
  const runs = datum.run !== undefined ? [datum.run] : here.searchParams.getAll("a").concat(here.searchParams.getAll("b"));
  for (const run of runs) to.searchParams.append("run", run);
  const measure = here.searchParams.get("measure");
  if (measure) to.searchParams.set("measure", measure);
  location.assign(to);
}

async function draw(place) {
  const answer = await fetch(place.dataset.figure);
  if (!answer.ok) {
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    place.textContent = page.querySelector(".problem")?.textContent ?? "This figure could not be drawn.";
    place.dataset.drawn = "no";
    return;
  }
  const spec = await answer.json();
  const options = {
    renderer: "canvas", actions: false, defaultStyle: false, ast: true, expr: vega.expressionInterpreter,
    tooltip: { disableDefaultStyle: true },
  };
  const { view } = await vegaEmbed(place, spec, options);
  place.setAttribute("role", "img");
  place.setAttribute("aria-label", spec.description ?? "");
  view.addEventListener("click", (event, item) => follow(item?.datum));
  place.dataset.drawn = "yes";
}

async function drawAll(within) {
  for (const place of within.querySelectorAll(".drawing:not([data-drawn])")) {
    try { await draw(place); } catch (error) { place.textContent = "This figure could not be drawn: " + error.message; place.dataset.drawn = "no"; }
  }
  document.documentElement.dataset.drawn = "yes";
}

// Tables are sorted by what stands in a column.
function key(row, place, numeric) {
  const text = row.cells[place].textContent.trim();
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

// What is changed is in the address: going back undoes it, and the address can be sent to others.
function changes() {
  const lists = document.querySelector(".lists");
  return JSON.parse(lists?.dataset.changes || "[]");
}

function show(changed, words) {
  const to = new URL(location.href);
  if (changed.length) to.searchParams.set("changes", JSON.stringify(changed)); else to.searchParams.delete("changes");
  history.pushState({}, "", to);
  return refresh(words);
}

async function refresh(words, focus) {
  const answer = await fetch(location.href);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const view = page.getElementById("view") ?? page.getElementById("content");
  const old = document.getElementById("view") ?? document.getElementById("content");
  delete document.documentElement.dataset.drawn;
  old.replaceWith(document.adoptNode(view));
  ready(view);
  said(words);
  await drawAll(view);
}

async function move(item, rank) {
  const run = item.closest(".ranked").dataset.run;
  const name = item.dataset.document;
  await show([...changes(), [run, name, rank]], `${name} moved to rank ${rank}`);
  document.querySelector(`.ranked[data-run=${CSS.escape(run)}] li[data-document=${CSS.escape(name)}]`)?.focus();
}

const undo = () => show(changes().slice(0, -1), "undone");

let dragged = null;

function ready(within) {
  for (const header of within.querySelectorAll("table.sortable thead th")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    button.addEventListener("click", () => sort(header));
    header.append(button);
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
    item.querySelector(".regrade").addEventListener("change", (event) => {
      const given = event.target.value;
      const name = item.dataset.document;
      if (given) show([...changes(), [name, given === "none" ? null : Number(given)]], `${name} has grade ${given}`);
    });
  }
  within.querySelector("[data-undo]")?.addEventListener("click", undo);
}

document.addEventListener("keydown", (event) => {
  if (event.key === "u" && !event.target.closest("input, select, textarea") && changes().length) undo();
});
window.addEventListener("popstate", () => refresh("back"));
ready(document);
drawAll(document);
