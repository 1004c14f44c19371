// A sheet: a bench that stands on the page itself. What is judged is kept in the browser, and downloaded as a log's lines.

import { Bench, idOf, same } from "./bench.js";
import { find, kept, make, fill, newKey, counted } from "./pieces.js";

const RECORDS = "cranfield.records/1";
const ACTS = "cranfield.judging/1";

class Paper {
  constructor({ id, documents, assessor }) {
    this.id = id;
    this.documents = new Map(documents.map((each) => [idOf(each), each]));
    this.place = `cranfield-sheet/${id}`;
    this.ended = "All documents are judged. Thank you: download your judgments, and send the file back.";
    const before = JSON.parse(kept.get(this.place) ?? "null");
    this.events = before?.events ?? [];
    this.who = assessor || before?.who || "";
    this.keeps = true;
    this.busy = false;
    this.lasts = null; // once all is judged, nothing new comes
  }

  // Events, of which none is ever changed.

  add(schema, event, said) {
    const last = this.events.at(-1)?.time ?? 0;
    const made = { schema, event, id: `${this.id}-${newKey()}`, time: Math.max(Math.round(Date.now()) / 1000, last + 0.001), ...said };
    made.time = Math.round(made.time * 1000) / 1000;
    this.events.push(made);
    this.keep();
    return made;
  }

  // Another window may have the same sheet: what was judged there is kept, too.
  merge(events) {
    const there = new Set(this.events.map((each) => each.id));
    const others = events.filter((each) => !there.has(each.id));
    if (others.length) this.events = [...this.events, ...others].sort((a, b) => a.time - b.time);
  }

  keep() {
    this.merge(JSON.parse(kept.get(this.place) ?? "null")?.events ?? []);
    this.keeps = kept.set(this.place, JSON.stringify({ who: this.who, events: this.events }));
    this.show();
  }

  // What counts now: the last word on each judgment that was not taken back.
  get standing() {
    const found = new Map();
    for (const each of this.events) {
      if (each.event === "assessed") found.set(each.id, { ...each, reason: each.rationale });
      else if (each.event === "retracted") found.delete(each.judgment);
      else if (each.event === "amended" && found.has(each.judgment)) Object.assign(found.get(each.judgment), { grade: each.grade, note: each.note });
      else if (each.event === "reasoned" && found.has(each.judgment)) found.get(each.judgment).reason = each.reason;
    }
    return [...found.values()];
  }

  show() {
    const many = this.standing.length;
    find("saved").dataset.state = this.keeps ? "saved" : "not";
    find("saved").textContent = this.keeps ? "Kept in this browser" : "Not kept: this browser cannot store data. Download your judgments before you close this page.";
    find("download").disabled = !this.events.length;
    find("who").readOnly = this.events.length > 0;
    find("download").title = counted(many, "judgment");
  }

  // What a bench asks of its source.

  async next() {
    const judged = new Set(this.standing.map(idOf));
    const skipped = new Set(this.events.filter((each) => each.event === "skipped").map(idOf));
    const open = [...this.documents.values()].filter((each) => !judged.has(idOf(each)));
    const later = (each) => skipped.has(idOf(each));
    const documents = [...open.filter((each) => !later(each)), ...open.filter(later)].map(({ topic, document: document_ }) => ({ topic, document: document_ }));
    return { documents, left: 0 };
  }

  async document(topic, document_) {
    const found = this.documents.get(idOf({ topic, document: document_ }));
    const near = this.standing.filter((each) => each.document !== document_ && same(found, this.documents.get(idOf(each))));
    return { ...found, near: near.map((each) => ({ document: each.document, grade: each.grade })) };
  }

  judge({ topic, document: document_, grade, reason, note, seconds, by }) {
    const { digest } = this.documents.get(idOf({ topic, document: document_ }));
    const made = this.add(RECORDS, "assessed", { topic, document: document_, grade, assessor: this.who, method: null, weight: null, note, rationale: reason, settles: false });
    this.add(ACTS, "seen", { judgment: made.id, seconds, by, digest, program: false });
    return { event: made.id };
  }

  amend({ event, grade, note, reason }) {
    this.add(RECORDS, "amended", { judgment: event, grade, note });
    this.add(ACTS, "reasoned", { judgment: event, reason });
  }

  retract({ event }) { this.add(RECORDS, "retracted", { judgment: event }); }

  async undo(done) {
    const last = done ? this.standing.find((each) => each.id === done.sent.event) : this.standing.at(-1);
    if (!last) return null;
    this.retract({ event: last.id });
    return last;
  }

  skip({ topic, document: document_, why }) { this.add(ACTS, "skipped", { topic, document: document_, who: this.who, why }); }

  flag({ topic, document: document_, why }) { this.add(ACTS, "flagged", { topic, document: document_, who: this.who, why }); }

  async history() {
    const judgments = this.standing.reverse().map((each) => ({ ...each, event: each.id, title: this.documents.get(idOf(each))?.title }));
    return { judgments, skipped: [] };
  }

  // The file that goes back, and comes in again where somebody goes on elsewhere.

  download() {
    this.keep(); // with what another window added
    const lines = this.events.map((each) => `${JSON.stringify(each)}\n`).join("");
    const address = URL.createObjectURL(new Blob([lines], { type: "application/x-ndjson" }));
    make("a", { href: address, download: `judgments-${this.id}.jsonl` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  }

  open(text) {
    const read = text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
    if (!read.every((each) => String(each.id).startsWith(`${this.id}-`))) throw new Error("this file belongs to another sheet");
    this.merge(read);
    this.who = this.events.find((each) => each.assessor)?.assessor ?? this.who;
    find("who").value = this.who;
    this.keep();
  }
}

const told = JSON.parse(document.querySelector('script[type="application/json"]').textContent);
const paper = new Paper(told);
const bench = new Bench(paper, told.task, paper.place);

find("who").value = paper.who;
find("download").addEventListener("click", () => paper.download());
find("upload").addEventListener("change", async ({ target }) => {
  try {
    paper.open(await target.files[0].text());
    bench.turnTo(bench.topic);
  } catch (error) {
    fill(find("refused"), make("p", { className: "problem" }, `That file cannot be opened: ${error.message}.`));
  }
});

// A judgment is somebody's: the name comes first.
find("who").addEventListener("change", () => {
  paper.who = find("who").value.trim();
  paper.keep();
});
find("who").addEventListener("keydown", (event) => { if (event.key === "Enter") event.target.blur(); }); // keys judge then
bench.allowed = () => {
  paper.who = find("who").value.trim();
  if (paper.who) return true;
  bench.hint("Enter your name first, at the top.");
  find("who").focus();
  return false;
};
paper.show();
bench.start();
