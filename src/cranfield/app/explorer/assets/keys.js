// Keys: lists and tables are one stop each, and arrows go through them; links lead to each; ? shows all keys.

import { preparations } from "./app.js";

const on = (kind, heard) => document.addEventListener(kind, heard);

// What arrows go through: the documents of a list, the rows of a table. Only one of them is reached by Tab.
const ROVING = ".ranked, table.sortable tbody";
const CONTROLS = "a[href], button, select, input:not([type=radio])"; // radio buttons of a name are one stop as it is
const items = (container) => [...container.children].filter((each) => each.matches("[tabindex]") || each.querySelector(CONTROLS));
const controls = (item) => [...(item.matches("li") ? [item] : []), ...item.querySelectorAll(CONTROLS)];

function reach(item, reached) {
  for (const each of controls(item)) each.tabIndex = reached ? 0 : -1;
}

const current = new WeakMap(); // the item of each container that Tab reaches

function turnTo(container, item) {
  const before = current.get(container);
  if (before === item) return;
  if (before) reach(before, false);
  reach(item, true);
  current.set(container, item);
}

preparations.push((within) => {
  for (const container of within.querySelectorAll(ROVING)) {
    const [first, ...others] = items(container);
    for (const item of others) reach(item, false);
    if (first) turnTo(container, first);
  }
});

const itemOf = (target) => {
  const container = target.closest?.(ROVING);
  const item = container && items(container).find((each) => each.contains(target));
  return item ? [container, item] : [];
};

on("focusin", ({ target }) => {
  const [container, item] = itemOf(target);
  if (item) turnTo(container, item);
});

on("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("select, input, textarea")) return;
  const [container, item] = itemOf(event.target);
  if (!item) return;
  const all = items(container);
  const at = all.indexOf(item);
  const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: all.length - 1 }[event.key];
  if (to === undefined || !all[to]) return;
  event.preventDefault();
  const place = controls(item).indexOf(event.target);
  const there = controls(all[to]);
  (there[place] ?? there[0]).focus();
});

// Links to parts of the page: where they lead gets the focus, and the address stays the state of the page.
function goTo(part) {
  const list = part.querySelector(".ranked");
  (list && current.get(list) ? controls(current.get(list))[0] : part).focus();
  part.scrollIntoView({ block: "nearest" });
}

on("click", (event) => {
  const link = event.target.closest("#view a.skip");
  if (link) {
    event.preventDefault();
    goTo(document.getElementById(link.hash.slice(1)));
  }
  if (event.target.closest("[data-keys]")) document.getElementById("keys").showModal();
});

on("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input:not([type=range]), select, textarea")) return;
  if (event.key === "?") document.getElementById("keys")?.showModal();
  const list = /^[1-4]$/.test(event.key) && document.getElementById(`of-list-${event.key}`);
  if (list) goTo(list);
  if (event.key === "s") (event.target.closest(".listed") ?? document).querySelector("a[data-swap]")?.click();
});
