// The page of somebody who judges: a bench that stands on the server, by way of what is kept until it is saved.

import { Bench } from "./bench.js";
import { Refused, ask, fill, find, keyed, labelOf, make, newKey } from "./pieces.js";
import { Outbox, showSaving, spaceOf } from "./saving.js";

const MOST = 20; // documents that the server gives at once
const LASTS = 20_000; // milliseconds after which it is asked once more whether nothing is left

class Server {
  constructor(outbox, scale) {
    Object.assign(this, { outbox, scale, lasts: LASTS });
    this.ended = "Nothing is left to judge. Thank you! The organiser can see that you are done.";
  }

  get busy() { return this.outbox.waiting.length > 0; }

  next(n, topic) { return ask("/api/next", {}, { key: newKey(), n: Math.min(MOST, n + this.outbox.waiting.length), topic: topic || null }); }

  document(topic, document) { return ask("/api/document", { topic, document }); }

  judge(given) {
    const key = newKey();
    return { key, answer: this.outbox.add("/api/judge", given, `“${labelOf(this.scale, given.grade)}” for ${given.document}`, key) };
  }

  // What is taken back is named: other windows may have judged since.
  async undo(last, topic) {
    const words = "Undoing a judgment";
    if (last) return this.outbox.add("/api/undo", { of: last.sent.key }, words);
    const [{ event } = {}] = (await this.history(topic || null)).judgments;
    return event ? this.outbox.add("/api/undo", { event }, words) : null;
  }

  skip(given) { return this.outbox.add("/api/skip", given, `Skipping ${given.document}`); }

  flag(given) { return this.outbox.add("/api/flag", given, `The flag on ${given.document}`); }

  amend({ event, grade, note, reason, document }) { return this.outbox.add("/api/amend", { event, grade, note, reason: reason ?? { sentence: "" } }, `The changed grade of ${document}`); }

  retract({ event, document }) { return this.outbox.add("/api/retract", { event }, `Taking back ${document}`); }

  leave() { return ask("/api/release", {}, { key: newKey() }).catch(() => {}); } // what is not handed back expires

  history(topic) { return ask("/api/history", { topic }); }

  async search(q, topic) { return (await ask("/api/search", { q, topic })).hits; }

  take(topic, document) { return ask("/api/take", {}, { key: newKey(), topic, document }); }
}

async function begin() {
  try {
    const task = await ask("/api/task");
    const space = spaceOf(task);
    const outbox = new Outbox(space);
    showSaving(outbox);
    find("me").textContent = task.me.name;
    const bench = new Bench(new Server(outbox, keyed(task.scale)), task, space);
    outbox.addEventListener("changed", () => { if (!outbox.problem && !outbox.waiting.length && bench.unsure) bench.advance(); });
    addEventListener("storage", ({ key, newValue }) => { // another window has the same documents at hand
      const { path, body } = newValue && key.startsWith(outbox.space) ? JSON.parse(newValue) : {};
      if (path === "/api/judge") bench.judgedElsewhere(body);
    });
    await bench.start();
  } catch (error) {
    const told = error instanceof Refused ? error.message : "The server does not answer. Your judgments are kept; reload this page once it is back.";
    fill(find("nothing"), make("p", { className: "problem" }, told));
    find("nothing").hidden = false;
  }
}

begin();
