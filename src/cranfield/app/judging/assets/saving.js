// Nothing that somebody does is lost: it is kept in the browser until the server has said that it has it.

import { Away, Refused, ask, counted, fill, find, kept, make, newKey } from "./pieces.js";

const FIRST = 500; // milliseconds until it is sent again; each time twice as long
const LONGEST = 5_000;
const TRIES = 12; // of an action that the server answers with an error of its own, before it is put aside

// Where a browser keeps what somebody does in a task: by the task's id, which no other has, whatever it is called.
export function spaceOf({ id, title, me }) {
  const space = `cranfield/${id}/${me.name}`;
  const before = `cranfield/${title}/${me.name}`; // as version 0.3 had it, which may be that of another task
  for (const each of kept.keys(`${before}/waits/`)) {
    const why = "an earlier version of this page kept it without its task: if it belongs to this task, judge it again here.";
    kept.set(each.replace(before, space).replace("/waits/", "/refused/"), JSON.stringify({ ...JSON.parse(kept.get(each)), problem: why }));
    kept.remove(each);
  }
  return space;
}

// Actions, in the order in which they were done. Each has a key, so that one which is sent twice counts once.
export class Outbox extends EventTarget {
  constructor(space) {
    super();
    this.space = `${space}/waits/`;
    this.apart = `${space}/refused/`;
    this.answers = new Map();
    this.wait = FIRST;
    this.sending = false;
    this.problem = null; // null, "away", or "out": who is not signed in any more
    this.count = 0;
    addEventListener("online", () => this.send());
    addEventListener("storage", () => { this.heard(); this.dispatchEvent(new Event("changed")); });
    addEventListener("beforeunload", (event) => { if (this.waiting.length) event.preventDefault(); });
  }

  get waiting() { return kept.keys(this.space).map((name) => ({ name, ...JSON.parse(kept.get(name)) })); }

  get refused() { return kept.keys(this.apart).map((name) => ({ name, ...JSON.parse(kept.get(name)) })); }

  // Keep an action, and send it when its turn has come; what comes back is what the server says to it.
  add(path, body, words, key = newKey()) {
    const name = `${this.space}${String(Date.now()).padStart(15, "0")}-${String(this.count++).padStart(6, "0")}-${key}`;
    kept.set(name, JSON.stringify({ path, body: { ...body, key }, words }));
    const answer = new Promise((done, failed) => { this.answers.set(name, { done, failed, path, body: { ...body, key } }); });
    answer.catch(() => {}); // who does not ask for it sees it among what was refused
    this.dispatchEvent(new Event("changed"));
    this.send();
    return answer;
  }

  // Another window may have sent what this one waits for: under the same key the server gives the same answer again.
  heard() {
    const waiting = new Set(this.waiting.map(({ name }) => name));
    for (const [name, { done, failed, path, body }] of this.answers) {
      if (waiting.has(name)) continue;
      this.answers.delete(name);
      ask(path, {}, body).then(done, failed);
    }
  }

  async send() {
    if (this.sending) return;
    this.sending = true;
    clearTimeout(this.later);
    try {
      for (let [next] = this.waiting; next; [next] = this.waiting) await this.deliver(next);
      this.problem = null;
      this.wait = FIRST;
    } catch {
      this.later = setTimeout(() => this.send(), this.wait);
      this.wait = Math.min(LONGEST, this.wait * 2);
    } finally {
      this.sending = false;
      this.dispatchEvent(new Event("changed"));
    }
  }

  async deliver({ name, path, body, words }) {
    const waits = this.answers.get(name);
    try {
      const answer = await ask(path, {}, body);
      kept.remove(name);
      waits?.done(answer);
    } catch (error) {
      if (!(error instanceof Refused)) { this.problem = "away"; throw error; }
      const again = error.status >= 500 || [408, 429].includes(error.status);
      if (again && (this.tries = (this.tries ?? 0) + 1) < TRIES) { this.problem = "away"; throw error; }
      if ([401, 403].includes(error.status) && !await this.isIn()) { this.problem = "out"; throw error; }
      kept.set(name.replace(this.space, this.apart), JSON.stringify({ path, body, words, problem: error.message }));
      kept.remove(name);
      waits?.failed(error);
      this.dispatchEvent(new CustomEvent("refused", { detail: error.message }));
    }
    this.tries = 0;
    this.answers.delete(name);
    this.problem = null;
    this.dispatchEvent(new Event("changed"));
  }

  async isIn() {
    try { await ask("/api/me"); return true; } catch (error) { if (error instanceof Away) throw error; return false; }
  }

  forget(name) { kept.remove(name); this.dispatchEvent(new Event("changed")); }
}

// Say at the top of a page whether all is saved, and below it what was refused, until somebody has read it.
export function showSaving(outbox) {
  const place = find("saved");
  const list = find("refused");
  let before = "";
  const show = () => {
    const { waiting, problem } = outbox;
    const many = `${counted(waiting.length, "action")} ${waiting.length === 1 ? "is" : "are"}`;
    const words = !waiting.length ? "Saved"
      : problem === "out" ? `Not saved: you are no longer signed in. ${many} kept in this browser; ask the organiser for a new link.`
      : problem === "away" ? `Not saved: ${many} kept in this browser, and sent again.`
      : "Saving …";
    if (words !== before) {
      place.dataset.state = !waiting.length ? "saved" : problem ? "not" : "saving";
      place.textContent = before = words;
    }
    fill(list, outbox.refused.map(({ name, words: what, problem: why }) => make("p", { className: "problem" },
      make("strong", {}, `${what ?? "An action"} was not accepted:`), ` ${why} `,
      make("button", { type: "button", onclick: () => outbox.forget(name) }, "Dismiss"))));
  };
  outbox.addEventListener("changed", show);
  show();
  outbox.send();
}
