// What all pages of a task share: elements, words that are heard, texts with marks, keys, and asking the server.

// Make an element. Text is only ever text: nothing here is read as HTML.
export function make(tag, given = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in made && !name.includes("-")) made[name] = value;
    else if (value !== false && value != null) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return made;
}

export const find = (id) => document.getElementById(id);
export const fill = (place, ...children) => place.replaceChildren(...children.flat(Infinity).filter((child) => child != null && child !== false));
export const said = (words) => { find("said").textContent = words; };
export const counted = (number, one, many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
export const name = (words) => make("bdi", {}, String(words));

// Something that no other action is called: a key is sent again with the same action, and counts once.
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((each) => each.toString(16).padStart(2, "0")).join("");
}

// What a browser keeps between visits; where it keeps nothing, what is kept lasts as long as the page.
const here = new Map();
export const kept = {
  get: (key) => {
    if (here.has(key)) return here.get(key);
    try { return localStorage.getItem(key); } catch { return null; }
  },
  set: (key, value) => {
    try { localStorage.setItem(key, value); here.delete(key); return true; } catch { here.set(key, value); return false; }
  },
  remove: (key) => {
    here.delete(key);
    try { localStorage.removeItem(key); } catch { /* it was never kept */ }
  },
  keys: (start) => {
    let there = [];
    try { there = Object.keys(localStorage); } catch { /* nothing is kept */ }
    return [...new Set([...there, ...here.keys()])].filter((key) => key.startsWith(start)).sort();
  },
};

// The server: `Away` says that it did not answer, `Refused` that it did, and what it said.
export class Away extends Error {}
export class Refused extends Error {
  constructor(problem, status) { super(problem); this.status = status; }
}

async function problemOf(answer) {
  const text = await answer.text();
  try { return JSON.parse(text).problem ?? text; } catch { /* a page */ }
  return new DOMParser().parseFromString(text, "text/html").querySelector(".problem")?.textContent ?? answer.statusText;
}

export async function ask(path, given = {}, body = undefined) {
  const query = new URLSearchParams(Object.entries(given).filter(([, value]) => value != null && value !== "")).toString();
  const request = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(query ? `${path}?${query}` : path, request).catch(() => null);
  if (!answer || [502, 503, 504].includes(answer.status)) throw new Away("The server does not answer.");
  if (!answer.ok) throw new Refused(await problemOf(answer), answer.status);
  return answer.status === 204 ? null : answer.json();
}

// Offsets count characters as Python does: one for each code point, not for each half of one.
export const points = (text) => [...text].length;
export const units = (text, at) => [...text].slice(0, at).join("").length;

// Which stretches of a text are marked: the words of the topic, one's own words, and the passage that is the reason.
const WORD = /[\p{L}\p{N}]+/gu;
const LOOSE = 3; // letters by which a word may be longer than a term, or shorter: wing, wings

function alike(word, term) {
  if (word === term) return true;
  const [short, long] = word.length < term.length ? [word, term] : [term, word];
  return short.length > LOOSE && long.length - short.length <= LOOSE && long.startsWith(short);
}

const MOST_MARKED = 2_000; // stretches of a text: more take a browser longer than they help anybody

function stretches(text, terms, own) {
  const found = [];
  const wanted = [...new Set(terms.map((each) => each.toLowerCase()))];
  const known = new Map();
  for (const { 0: word, index } of wanted.length ? text.matchAll(WORD) : []) {
    const low = word.toLowerCase();
    if (!known.has(low)) known.set(low, wanted.some((term) => alike(low, term)));
    if (known.get(low) && found.push([index, index + word.length, "term"]) >= MOST_MARKED) break;
  }
  const low = text.toLowerCase();
  for (const phrase of low.length === text.length ? own : []) {
    for (let at = low.indexOf(phrase); at >= 0 && found.length < 2 * MOST_MARKED; at = low.indexOf(phrase, at + phrase.length)) found.push([at, at + phrase.length, "own"]);
  }
  return found;
}

// Of a long text the beginning is shown, and more on demand: a browser lays megabytes out for seconds.
export const PAGE = 50_000; // characters

// Show how much of a text is not shown, on a button that shows more of it.
export function drawRest(shown, whole, more) {
  find("rest").hidden = shown >= whole;
  find("longer").textContent = `Show more: ${shown.toLocaleString("en")} of ${whole.toLocaleString("en")} characters are shown`;
  find("longer").onclick = more;
}

export function marked(text, { terms = [], own = [], passage = null } = {}) {
  const found = stretches(text, terms, own.map((each) => each.toLowerCase()).filter(Boolean));
  if (passage) found.push([units(text, passage.start), units(text, passage.end), "passage"]);
  const cuts = [...new Set([0, text.length, ...found.flatMap(([start, end]) => [start, end])])].sort((a, b) => a - b);
  const whole = document.createDocumentFragment();
  found.sort(([a], [b]) => a - b);
  let first = 0;
  for (let i = 0; i + 1 < cuts.length; i++) {
    const [start, end] = [cuts[i], cuts[i + 1]];
    while (first < found.length && found[first][1] <= start && found[first][0] < start) first++;
    const kinds = new Set();
    for (let j = first; j < found.length && found[j][0] <= start; j++) if (found[j][1] >= end) kinds.add(found[j][2]);
    const piece = text.slice(start, end);
    whole.append(kinds.size ? make("mark", { className: [...kinds].join(" ") }, piece) : piece);
  }
  return whole;
}

// Where a selection starts and ends in the text of a place, in characters.
export function selected(place) {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  if (!place.contains(range.startContainer) || !place.contains(range.endContainer)) return null;
  const before = document.createRange();
  before.setStart(place, 0);
  before.setEnd(range.startContainer, range.startOffset);
  const start = points(before.toString());
  const quote = range.toString();
  return quote.trim() ? { start, end: start + points(quote), quote } : null;
}

// Guidelines are written in a little of Markdown: headings, lists, paragraphs, quotes, *stress*, **weight**, `code`, links.
const INLINE = /\*\*(.+?)\*\*|\*(.+?)\*|`(.+?)`|\[([^\[\]]+)\]\((https?:\/\/[^\s)]+)\)/gu;

function inline(text) {
  const parts = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    const [all, strong, stress, code, words, to] = found;
    parts.push(text.slice(at, found.index));
    if (strong) parts.push(make("strong", {}, strong));
    else if (stress) parts.push(make("em", {}, stress));
    else if (code) parts.push(make("code", {}, code));
    else parts.push(make("a", { href: to, target: "_blank", rel: "noopener noreferrer" }, words));
    at = found.index + all.length;
  }
  return [...parts, text.slice(at)];
}

export function markdown(text) {
  const made = [];
  let list = null;
  for (const block of text.replace(/\r\n?/g, "\n").split(/\n(?=#{1,6} |\s*[-*+] |\s*\d+[.)] )|\n\s*\n/u)) {
    const [, hashes, heading] = /^\s*(#{1,6}) +([^\n]*)/u.exec(block) ?? [];
    const [, bullet, item] = /^\s*([-*+]|\d+[.)]) +(.*)/su.exec(block) ?? [];
    if (item === undefined) list = null;
    if (heading !== undefined) {
      made.push(make(hashes.length < 3 ? "h3" : "h4", {}, inline(heading)));
      const rest = block.slice(block.indexOf(heading) + heading.length).trim();
      if (rest) made.push(make("p", {}, inline(rest)));
    } else if (item !== undefined) {
      const tag = /\d/.test(bullet) ? "ol" : "ul";
      if (list?.localName !== tag) made.push(list = make(tag));
      list.append(make("li", {}, inline(item)));
    } else if (block.trim()) {
      const quoted = block.trimStart().startsWith(">");
      made.push(make(quoted ? "blockquote" : "p", {}, inline(quoted ? block.replace(/^\s*> ?/gmu, "") : block)));
    }
  }
  return made;
}

// Grades and their keys: a whole grade from 0 to 9 is its own key, any other takes the highest that is free.
export function keyed(scale) {
  const own = ({ grade }) => (Number.isInteger(grade) && grade >= 0 && grade <= 9 ? String(grade) : null);
  const taken = new Set(scale.map(own));
  const free = [..."9876543210"].filter((each) => !taken.has(each));
  const words = ({ grade, label }) => (label && label !== String(grade) ? label : `Grade ${grade}`);
  return scale.map((each) => ({ ...each, label: words(each), key: own(each) ?? free.shift() ?? "" }));
}

export const labelOf = (scale, grade) => (grade == null ? "cannot judge" : scale.find((each) => each.grade === grade)?.label ?? String(grade));

// Single keys: not while somebody writes, nor while a dialog is open, and not at all where they are switched off.
const OFF = "cranfield-keys-off";
const WRITING = "input:not([type=checkbox]):not([type=radio]):not([type=button]), textarea, select, [contenteditable]";
export const keysAreOn = () => kept.get(OFF) !== "yes";

export function onKeys(pressed) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape" && event.target.matches?.(WRITING)) { event.target.blur(); return; }
    if (event.target.matches?.(WRITING) || (!keysAreOn() && event.key !== "?")) return;
    if (event.repeat && /^[0-9a-z=]$/i.test(event.key)) { event.preventDefault(); return; } // a key that is held judges once
    if (pressed(event.key, event)) event.preventDefault();
  });
}

export function help(keys) {
  const dialog = find("keys");
  const box = make("input", { type: "checkbox", checked: keysAreOn(), onchange: () => kept.set(OFF, box.checked ? "no" : "yes") });
  fill(dialog,
    make("h2", { id: "of-keys" }, "Keys"),
    make("dl", { className: "keys" }, keys.map(([names, does]) => [
      make("dt", {}, names.split(" ").flatMap((each) => [each === "…" ? "…" : make("kbd", {}, each), " "])), make("dd", {}, does)])),
    make("label", { className: "tick" }, box, "Use single keys"),
    make("form", { method: "dialog" }, make("button", {}, "Close")));
  find("open-keys").addEventListener("click", () => dialog.showModal());
  return () => dialog.showModal();
}

export const chip = (grade) => make("span", { className: `chip${grade == null ? " none" : grade > 0 ? " yes" : ""}` }, grade == null ? "–" : String(grade));

// The topic stands above all that is judged for it.
export function drawTopic({ id, title = "", fields = {} }) {
  const [first, ...more] = Object.entries(fields).filter(([field, words]) => words && field !== "title");
  fill(find("asked"), make("span", { className: "id" }, name(id)), " ", name(title || fields.title || ""));
  fill(find("wanted"), first ? name(first[1]) : "");
  find("more").hidden = !more.length;
  fill(find("more-text"), more.map(([field, words]) => [make("h2", { className: "field" }, field), make("p", {}, name(words))]));
}

// What sticks below the topic knows how high it is.
export function topicStays() {
  const told = ([{ target }]) => document.documentElement.style.setProperty("--under-topic", `${target.offsetHeight}px`);
  new ResizeObserver(told).observe(find("topic"));
}
