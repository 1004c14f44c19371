// A query's first ten on one page: each is judged where it stands.

import { ask, fill, find, help, keyed, labelOf, make, onKeys, said } from "./pieces.js";
import { begin, card, failed, option } from "./lists.js";

const KEYS = [["↑ ↓", "choose a document (or k, j)"], ["0 … 9", "give it the grade, and move to the next"], ["c", "cannot judge"], ["t", "choose a topic"], ["?", "show these keys"]];
let task;
let outbox;
let scale = [];
let rows = [];
let at = 0;

function choose(place, focus = true) {
  at = Math.max(0, Math.min(rows.length - 1, place));
  rows.forEach((row, i) => (i === at ? row.place.setAttribute("aria-current", "true") : row.place.removeAttribute("aria-current")));
  if (!focus || !rows.length) return;
  rows[at].place.focus({ preventScroll: true });
  rows[at].place.scrollIntoView({ block: "nearest" });
}

function show(row) {
  for (const button of row.gives.children) button.setAttribute("aria-pressed", String(row.judged && button.dataset.grade === String(row.grade)));
}

function give(row, grade, by) {
  const sentence = row.why.querySelector("input").value.trim();
  if (grade != null && task.reason_from != null && grade >= task.reason_from && !sentence) {
    row.why.hidden = false;
    row.asked = { grade, by };
    row.why.querySelector("input").focus();
    said(`“${labelOf(scale, grade)}” needs a reason.`);
    return;
  }
  const { topic, document: document_ } = row;
  const reason = sentence ? { sentence, start: null, end: null } : null;
  const words = `“${labelOf(scale, grade)}” for ${document_}`;
  const seconds = Math.round((performance.now() - row.since) / 100) / 10;
  const before = row.saved;
  const had = { grade: row.grade, judged: row.judged };
  row.saved = before.then((event) => (event
    ? outbox.add("/api/amend", { event, grade, reason }, words).then(() => event)
    : outbox.add("/api/judge", { topic, document: document_, grade, reason, note: "", seconds, by }, words).then((answer) => answer.event)))
    .catch(() => { Object.assign(row, had); show(row); return before; }); // it was refused
  Object.assign(row, { grade, judged: true, asked: null });
  show(row);
  said(`${labelOf(scale, grade)}.`);
  choose(rows.indexOf(row) + 1);
}

function made(listed, topic, terms) {
  const row = { topic: topic.id, document: listed.document, grade: listed.mine, judged: Boolean(listed.event), saved: Promise.resolve(listed.event), since: performance.now() };
  row.gives = make("div", { className: "gives", role: "group", "aria-label": `Grade of ${listed.document}` },
    scale.map(({ grade, label, key }) => make("button", { type: "button", className: "give", "data-grade": grade, onclick: () => give(row, grade, "click") }, make("kbd", {}, key || String(grade)), make("span", {}, label))),
    make("button", { type: "button", className: "give", "data-grade": "null", onclick: () => give(row, null, "click") }, make("kbd", {}, "c"), make("span", {}, "Cannot judge")));
  const input = make("input", { dir: "auto", autocomplete: "off", onkeydown: (event) => {
    if (event.key === "Enter" && !event.isComposing && row.asked) { event.preventDefault(); give(row, row.asked.grade, row.asked.by); }
  } });
  row.why = make("label", { className: "why", hidden: true }, "Reason, then Enter ", input);
  row.place = card(listed, terms, row.gives, row.why);
  row.place.tabIndex = -1;
  row.place.addEventListener("focusin", () => { if (rows[at] !== row) choose(rows.indexOf(row), false); });
  show(row);
  return row;
}

async function turned(topic) {
  if (!topic) { fill(find("nothing"), make("p", {}, "No topic is assigned to you.")); return; }
  const mine = find("run").value;
  const { run, documents } = await ask("/api/first", { topic: topic.id, run: mine });
  if (find("which").value !== topic.id || find("run").value !== mine) return;
  find("run").value = run;
  rows = documents.map((each) => made(each, topic, topic.terms));
  fill(find("list"), rows.map((row) => row.place));
  find("nothing").hidden = rows.length > 0;
  fill(find("nothing"), make("p", {}, "This run retrieved no document for the topic."));
  scrollTo(0, 0);
  const first = rows.findIndex((row) => !row.judged);
  choose(first < 0 ? 0 : first, false);
}

const showHelp = help(KEYS);
onKeys((key) => {
  const row = rows[at];
  const grade = scale.find((each) => each.key === key);
  if (key === "?") showHelp();
  else if (key === "t") find("which").focus();
  else if (!row) return false;
  else if (key === "ArrowDown" || key === "j") choose(at + 1);
  else if (key === "ArrowUp" || key === "k") choose(at - 1);
  else if (key === "c") give(row, null, "key");
  else if (grade) give(row, grade.grade, "key");
  else return false;
  return true;
});

try {
  const begun = await begin(turned);
  ({ task, outbox } = begun);
  scale = keyed(task.scale);
  fill(find("run"), option("", "the best so far"), task.runs.map((run) => option(run, run)));
  find("run").addEventListener("change", () => { find("run").blur(); begun.turn().catch(failed); });
  await begun.turn();
} catch (error) { failed(error); }
