// What pages of lists share: beginning, choosing a topic, and documents as cards.

import { Refused, ask, drawTopic, fill, find, kept, make, marked, name, topicStays } from "./pieces.js";
import { Outbox, showSaving, spaceOf } from "./saving.js";

const LONG = 420; // characters from which a text is folded

export function option(value, words) { return make("option", { value }, words); }

export function failed(error) {
  const told = error instanceof Refused ? error.message : "The server does not answer. Your judgments are kept in this browser; reload this page once it is back.";
  find("nothing").hidden = false;
  fill(find("nothing"), make("p", { className: "problem" }, told));
}

// Read the task and choose a topic; `turned` is told which.
export async function begin(turned) {
  const task = await ask("/api/task");
  const space = spaceOf(task);
  const outbox = new Outbox(space);
  showSaving(outbox);
  topicStays();
  find("title").textContent = task.title;
  find("me").textContent = task.me.name;
  const choice = find("which");
  fill(choice, task.topics.map(({ id, title }) => option(id, `${id}${title ? `: ${title}` : ""}`)));
  const before = kept.get(`${space}/topic`);
  if (task.topics.some(({ id }) => id === before)) choice.value = before;
  const turn = () => {
    kept.set(`${space}/topic`, choice.value);
    const topic = task.topics.find(({ id }) => id === choice.value);
    if (topic) drawTopic(topic);
    return turned(topic);
  };
  choice.addEventListener("change", () => { choice.blur(); turn().catch(failed); });
  return { task, outbox, turn };
}

// A document of a list, with its beginning; more on demand.
export function card({ rank, document: document_, title, text }, terms, ...more) {
  const reads = make("div", { className: `reads${text.length > LONG ? " short" : ""}`, dir: "auto" }, marked(text, { terms }));
  const unfold = make("button", { type: "button", className: "more", "aria-expanded": "false", onclick: () => {
    const short = reads.classList.toggle("short");
    unfold.textContent = short ? "Show all" : "Show less";
    unfold.setAttribute("aria-expanded", String(!short));
  } }, "Show all");
  return make("li", { "data-document": document_ }, make("div", {}, make("h2", {}, make("span", { className: "rank" }, String(rank)), name(title || document_)),
    make("p", { className: "under" }, title ? name(document_) : "")), ...more, reads, text.length > LONG ? unfold : "");
}
