// Where an organiser settles what people graded differently: one document after the other, by keys.

import { PAGE, ask, chip, counted, drawRest, drawTopic, fill, find, help, keyed, labelOf, make, marked, name, newKey, onKeys, said, topicStays } from "./pieces.js";
import { idOf, read } from "./bench.js";
import { failed, option } from "./lists.js";
import { Outbox, showSaving, spaceOf } from "./saving.js";

const KEYS = [["0 … 9", "settle it by this grade, and go on to the next"], ["c", "it cannot be judged"], ["u", "undo the last settlement"], ["j k", "go on without settling, or back"], ["n", "write a note"], ["t", "choose a topic"], ["?", "show these keys"]];
let task;
let outbox;
let scale = [];
let all = []; // as the server has them, and what was settled here since
let now = null; // which document it is about
let seen = null; // the same, once it is shown
const done = [];

const filters = () => ({ topic: find("which").value, by: Number(find("by").value), whose: find("whose").value, state: find("which-state").value });
const apart = ({ grades }) => { const given = grades.map(({ grade }) => grade); return Math.max(...given) - Math.min(...given); };

function fits(each) {
  const { topic, by, whose, state } = filters();
  return (!topic || each.topic === topic) && apart(each) >= by && (!whose || each.grades.some(({ assessor }) => assessor === whose))
    && (!state || each.is_settled === (state === "settled"));
}

function drawProgress() {
  const open = all.filter((each) => !each.is_settled).length;
  const shown = all.filter(fits).length;
  find("progress").textContent = `${open.toLocaleString("en")} of ${counted(all.length, "document")} to settle${shown === open ? "" : `; ${shown.toLocaleString("en")} shown`}`;
}

function drawFilters() {
  const { topic, by, whose } = filters();
  const count = (of) => all.filter((each) => !each.is_settled && of(each)).length;
  const titles = new Map(task.topics.map((each) => [each.id, each.title]));
  const topics = [...new Set(all.map((each) => each.topic))];
  const named = (id) => `${id}${titles.get(id) ? `: ${titles.get(id)}` : ""} (${count((each) => each.topic === id)} open)`;
  fill(find("which"), option("", "All topics"), topics.map((id) => option(id, named(id))));
  const sizes = [...new Set(all.map(apart))].sort((a, b) => a - b);
  fill(find("by"), option(0, "any"), sizes.map((size) => option(size, `${size} or more (${count((each) => apart(each) >= size)} open)`)));
  const people = [...new Set(all.flatMap(({ grades }) => grades.map(({ assessor }) => assessor)))].sort();
  fill(find("whose"), option("", "anybody"), people.map((who) => option(who, who)));
  Object.assign(find("which"), { value: topic }); Object.assign(find("by"), { value: String(by) }); Object.assign(find("whose"), { value: whose });
  if (!find("which").value) find("which").value = "";
}

function drawGiven({ grades, is_settled: is, settled }, text) {
  fill(find("given"), grades.map(({ assessor, grade, note, reason, program }) => {
    const quote = reason?.start == null ? "" : [...text].slice(reason.start, reason.end).join("");
    const seen = quote ? make("button", { type: "button", className: "more", onclick: () => drawText({ start: reason.start, end: reason.end }) }, "Show in the text") : "";
    return make("li", {}, make("p", {}, chip(grade), " ", make("b", {}, name(assessor)), program ? " (program)" : "", ": ", labelOf(scale, grade)),
      reason?.sentence ? make("p", {}, name(reason.sentence)) : "", quote ? make("blockquote", {}, name(quote), " ", seen) : "", note ? make("p", { className: "under" }, "Note: ", name(note)) : "");
  }));
  find("hint").textContent = is ? `Settled: ${labelOf(scale, settled)}. Another grade replaces it.` : "";
  for (const button of find("grades").children) button.setAttribute("aria-pressed", String(is && button.dataset.grade === String(settled)));
}

function drawText(passage = null) {
  const topic = task.topics.find(({ id }) => id === now.topic);
  if (passage) now.shown = Math.max(now.shown, 2 * passage.end); // characters, of which two may be one
  drawRest(Math.min(now.shown, now.text.length), now.text.length, () => { now.shown += PAGE; drawText(passage); });
  fill(find("text"), marked(now.text.slice(0, now.shown), { terms: topic?.terms ?? [], passage }));
  if (passage) find("text").querySelector(".passage")?.scrollIntoView({ block: "center" });
}

async function open(each, words = "") {
  for (const id of ["paper", "grading"]) find(id).hidden = !each;
  find("nothing").hidden = Boolean(each);
  now = each;
  seen = null; // until its text is there, no key settles it
  drawProgress();
  if (!each) {
    const left = all.filter((one) => !one.is_settled).length;
    const told = left ? "Nothing is left that fits: choose other topics, sizes or people." : all.length ? "All disagreements are settled." : "Nobody graded a document differently from others.";
    fill(find("nothing"), make("p", {}, told));
    said([words, told].filter(Boolean).join(" "));
    return;
  }
  drawTopic(task.topics.find(({ id }) => id === each.topic) ?? { id: each.topic });
  find("note").value = "";
  for (const id of ["doc-title", "doc-id", "text", "given"]) fill(find(id));
  try {
    const doc = await (each.doc ?? fetched(each));
    if (now !== each) return;
    const { title, text } = read(doc);
    Object.assign(each, { text, shown: PAGE });
    fill(find("doc-title"), name(title || each.document));
    fill(find("doc-id"), title ? name(each.document) : "");
    drawText();
    if (doc.missing) fill(find("text"), make("p", { className: "problem" }, "The text of this document is missing from the task."));
    drawGiven(each, text);
    seen = each;
    scrollTo(0, 0);
    find("paper").focus({ preventScroll: true });
    said([words, title || each.document].filter(Boolean).join(" Next: "));
    const next = after(each);
    if (next) fetched(next); // it is there before it is needed
  } catch (error) { find("hint").textContent = error.message; each.doc = undefined; }
}

function fetched(each) {
  each.doc ??= ask("/api/document", { topic: each.topic, document: each.document });
  each.doc.catch(() => {});
  return each.doc;
}

function after(each, step = 1) {
  const at = all.indexOf(each);
  const others = [...all.slice(at + 1), ...all.slice(0, Math.max(at, 0))];
  return (step > 0 ? others : others.reverse()).find(fits) ?? null;
}

function move(step) { const next = now && after(now, step); if (next) open(next); }

function give(grade) {
  if (!seen) return;
  const each = seen;
  const before = { settled: each.settled, is_settled: each.is_settled };
  const key = newKey();
  const next = after(each);
  Object.assign(each, { settled: grade, is_settled: true });
  const mine = { each, key, before };
  done.push(mine);
  outbox.add("/api/adjudicate", { topic: each.topic, document: each.document, grade, note: find("note").value.trim() }, `“${labelOf(scale, grade)}” for ${each.document}`, key)
    .catch(() => { Object.assign(each, before); done.splice(done.indexOf(mine), 1); drawProgress(); }); // it was refused
  open(next && fits(next) ? next : all.find((one) => one !== each && fits(one)) ?? null, `${labelOf(scale, grade)}.`);
}

function undo() {
  const last = done.pop();
  if (!last) { find("hint").textContent = "There is nothing to undo on this page."; return; }
  outbox.add("/api/undo", { of: last.key }, `Undoing what settled ${last.each.document}`);
  Object.assign(last.each, last.before);
  open(last.each, "Undone.");
}

async function refresh() {
  const here = new Map(done.map(({ each }) => [idOf(each), each]));
  const { disagreements } = await ask("/api/disputes");
  all = disagreements.map((each) => here.get(idOf(each)) ?? each);
  drawFilters();
}

const showHelp = help(KEYS);
onKeys((key) => {
  const grade = scale.find((each) => each.key === key);
  if (grade) give(grade.grade);
  else if (key === "c") give(null);
  else if (key === "u") undo();
  else if (key === "j" || key === "ArrowRight") move(1);
  else if (key === "k" || key === "ArrowLeft") move(-1);
  else if (key === "n") find("note").focus();
  else if (key === "t") find("which").focus();
  else if (key === "?") showHelp();
  else return false;
  return true;
});

try {
  task = await ask("/api/task");
  scale = keyed(task.scale);
  outbox = new Outbox(spaceOf(task));
  showSaving(outbox);
  topicStays();
  find("title").textContent = task.title;
  find("me").textContent = task.me.name;
  document.title = `${task.title} - cranfield judge`;
  fill(find("grades"), [...scale, { grade: null, label: "Cannot judge", key: "c" }].map(({ grade, label, key }) => make("button", {
    type: "button", className: "give", "data-grade": String(grade), "aria-keyshortcuts": key, onclick: () => give(grade),
  }, make("kbd", {}, key || String(grade)), make("span", {}, label))));
  for (const [id, act] of Object.entries({ undo, before: () => move(-1), after: () => move(1) })) find(id).addEventListener("click", act);
  for (const id of ["which", "by", "whose", "which-state"]) find(id).addEventListener("change", ({ target }) => { target.blur(); open(now && fits(now) ? now : all.find(fits) ?? null); });
  await refresh();
  await open(all.find(fits) ?? null);
} catch (error) { failed(error); }
