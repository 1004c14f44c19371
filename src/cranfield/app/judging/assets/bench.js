// Where somebody judges: a topic, a document, grades, a reason. What it stands on, a server or a file, is its source.

import { Away, PAGE, chip, counted, drawRest, drawTopic, fill, find, help, kept, keyed, labelOf, make, markdown, marked, name, onKeys, points, said, selected, topicStays } from "./pieces.js";

const AHEAD = 3; // documents that are there before they are needed
const AGAIN = 1_500; // milliseconds until a server that does not answer is asked for documents again
const SLOW = 200; // milliseconds after which a document that is awaited leaves the last one's place
const SETTLED = 250; // milliseconds after which a selection counts as made
const KEYS = [
  ["0 … 9", "give the grade"], ["c", "cannot judge"], ["u", "undo the last judgment"], ["s", "skip: it comes back later, or goes to somebody else"],
  ["f", "flag for the organiser"], ["=", "give the grade of the nearly identical document"],
  ["r", "write a reason"], [". ,", "choose the next or previous sentence of the text as the passage"], ["> <", "make the passage longer, shorter"],
  ["n", "write a note"], ["/", "highlight words of your own"], ["g", "show or hide the guidelines"], ["h", "show or hide what you judged"],
  ["x", "search the documents"], ["t", "choose a topic"], ["Esc", "leave a field; remove the passage"], ["?", "show these keys"],
];

// Seconds during which a document was in sight.
class Clock {
  constructor() {
    this.sum = 0;
    this.since = document.hidden ? null : performance.now();
    document.addEventListener("visibilitychange", () => (document.hidden ? this.stop() : this.go()));
  }

  stop() { if (this.since !== null) this.sum += performance.now() - this.since; this.since = null; }

  go() { this.since ??= performance.now(); }

  restart() { this.sum = 0; this.since = document.hidden ? null : performance.now(); }

  get seconds() { return Math.round((this.sum + (this.since === null ? 0 : performance.now() - this.since)) / 100) / 10; }
}

export class Bench {
  // `task` has title, scale, guidelines, reason_from, topics; `space` is where the browser keeps what is asked of it.
  constructor(source, task, space) {
    Object.assign(this, { source, task, space, scale: keyed(task.scale) });
    this.clock = new Clock();
    this.queue = [];
    this.gone = new Set();
    this.done = [];
    this.left = null;
    this.now = null;
    this.topic = task.topics.length === 1 ? task.topics[0].id : kept.get(`${space}/topic`) || "";
    if (this.topic && !this.topicOf(this.topic)) this.topic = "";
  }

  start() {
    document.title = `${this.task.title} - cranfield judge`;
    find("title").textContent = this.task.title;
    this.showHelp = help(find("search") ? KEYS : KEYS.filter(([key]) => !["x", "t"].includes(key)));
    fill(find("guidelines-text"), this.task.guidelines ? markdown(this.task.guidelines) : make("p", { className: "under" }, "The organiser gave no guidelines."));
    this.drawChoice();
    this.drawGrades();
    this.listen();
    return this.advance();
  }

  topicOf(id) { return this.task.topics.find((each) => each.id === id); }

  needsReason(grade) { return grade != null && this.task.reason_from != null && grade >= this.task.reason_from; }

  // What the page shows.

  drawChoice() {
    const choice = find("which");
    choice.closest("label").hidden = this.task.topics.length < 2;
    const line = ({ id, title, judged, open }) => make("option", { value: id },
      `${id}${title ? `: ${title}` : ""} (${judged} judged, ${open} open)`);
    fill(choice, make("option", { value: "" }, "All topics"), this.task.topics.map(line));
    choice.value = this.topic;
  }

  drawGrades() {
    fill(find("grades"), this.scale.map(({ grade, label, key }) => make("button", {
      type: "button", className: "give", "data-grade": grade, "aria-keyshortcuts": key, onclick: () => this.give(grade, "click"),
    }, make("kbd", {}, key || String(grade)), make("span", {}, label))));
    const { reason_from: from } = this.task;
    find("reason-asked").textContent = from == null ? "Select a passage in the text, or write a sentence. Optional."
      : `Select a passage in the text, or write a sentence. Needed from “${labelOf(this.scale, from)}” on.`;
  }

  drawDocument() {
    const { now } = this;
    const doc = now?.doc;
    find("paper").hidden = !now;
    find("nothing").hidden = Boolean(now);
    find("grading").hidden = !now;
    if (!now) return;
    drawTopic(this.topicOf(now.topic) ?? { id: now.topic });
    const { title, text, others } = read(doc);
    fill(find("doc-title"), name(title || now.document));
    fill(find("doc-id"), title ? name(now.document) : "");
    fill(find("notices"), this.notices(now));
    fill(find("images"), (doc.images ?? []).map((src, i) => make("img", { src, alt: `Image ${i + 1} of the document`, loading: "lazy" })));
    fill(find("fields"), others.map(([field, words]) => make("div", {}, make("dt", {}, field), make("dd", {}, name(words)))));
    find("fields").hidden = !others.length;
    now.whole = text;
    now.text = text.slice(0, PAGE);
    this.drawText();
    this.drawReason();
    find("note").value = now.note;
    for (const button of find("grades").children) button.setAttribute("aria-pressed", String(now.had !== undefined && String(now.had) === button.dataset.grade));
    this.drawProgress();
  }

  // The document that somebody judged last of those that say nearly the same: now, or before it was fetched.
  alike() {
    const { doc, document: document_ } = this.now;
    const fits = (each) => each.grade != null && each.document !== document_;
    return this.done.findLast((each) => fits(each) && each.doc && each.topic === this.now.topic && same(doc, each.doc)) ?? doc.near?.findLast(fits);
  }

  notices({ doc, mode, had }) {
    const again = mode === "again" ? [make("p", { className: "notice again" },
      `You judged this document “${labelOf(this.scale, had)}”. A new grade replaces that. `,
      make("button", { type: "button", onclick: () => this.takeBack() }, "Take it back"), " ",
      make("button", { type: "button", onclick: () => this.advance() }, "Leave it as it is"))] : [];
    const alike = this.alike();
    const near = alike ? [make("p", { className: "notice near" },
      "Nearly the same text as ", name(alike.document), `, which you judged “${labelOf(this.scale, alike.grade)}”. `,
      make("button", { type: "button", onclick: () => this.give(alike.grade, "click") }, "Give it the same grade ", make("kbd", {}, "=")))] : [];
    const text = doc.missing ? [make("p", { className: "problem" }, "The text of this document is missing from the task. Judge it by its name, or flag it.")] : [];
    const changed = doc.changed ? [make("p", { className: "problem" }, "The text of this document has changed since the task was made. Flag it if that matters.")] : [];
    return [...again, ...near, ...text, ...changed];
  }

  drawText() {
    const { now } = this;
    if (!now) return;
    drawRest(now.text.length, now.whole.length, () => { now.text = now.whole.slice(0, now.text.length + PAGE); now.sentences = undefined; this.drawText(); });
    fill(find("text"), marked(now.text, { terms: now.doc.terms ?? [], own: this.own(), passage: now.passage }));
  }

  own() { return find("own").value.split(",").map((each) => each.trim()).filter(Boolean); }

  drawReason() {
    const { passage, sentence } = this.now;
    find("sentence").value = sentence;
    find("passage").hidden = !passage;
    fill(find("quote"), passage ? name([...this.now.text].slice(passage.start, passage.end).join("")) : "");
  }

  drawProgress() {
    const mine = this.done.length;
    const left = this.left == null ? "" : `${this.left.toLocaleString("en")} left`;
    find("progress").textContent = [mine ? `${mine.toLocaleString("en")} judged now` : "", left].filter(Boolean).join(", ");
  }

  // Which document is next.

  async refill() {
    this.filling ??= this.fetchMore().finally(() => { this.filling = null; });
    return this.filling;
  }

  async fetchMore() {
    const [wanted, { busy }] = [this.topic, this.source];
    const { documents, left } = await this.source.next(AHEAD, wanted);
    if (wanted !== this.topic) return;
    this.left = left + documents.filter((each) => !this.gone.has(idOf(each))).length;
    const there = new Set([...this.queue, this.now].filter(Boolean).map(idOf));
    const others = documents.filter((each) => !there.has(idOf(each)));
    // What was judged or skipped here comes back once the server knows of it: it was taken out, or nothing else is left.
    if (!busy && !this.source.busy && !this.queue.length && !this.now && others.every((each) => this.gone.has(idOf(each)))) this.gone.clear();
    for (const each of others.filter((one) => !this.gone.has(idOf(one)))) {
      const doc = this.source.document(each.topic, each.document);
      doc.catch(() => {});
      this.queue.push({ topic: each.topic, document: each.document, doc });
    }
  }

  async advance(words = "") {
    const mine = this.turn = (this.turn ?? 0) + 1;
    clearTimeout(this.later);
    this.now = null;
    this.unsure = false;
    setTimeout(() => { if (mine === this.turn && !this.now && find("nothing").hidden) this.loading(); }, SLOW);
    try {
      for (let tries = 0; tries < 2 && !this.queue.length; tries++) await this.refill(); // one may have been asked too early
      if (mine !== this.turn) return;
      const next = this.queue[0];
      if (!next) { this.nothing("done", words); return; }
      const doc = await next.doc.catch(() => this.source.document(next.topic, next.document)).catch((error) => {
        if (error instanceof Away) throw error;
        this.gone.add(idOf(next));
        return null;
      });
      if (this.queue[0] === next) this.queue.shift();
      if (!doc) { this.advance(words); return; }
      if (mine !== this.turn) return;
      this.open({ topic: next.topic, document: next.document, doc, mode: "new" }, words);
      if (this.queue.length < AHEAD - 1) this.refill().then(() => this.drawProgress()).catch(() => {});
    } catch (error) {
      if (mine !== this.turn) return;
      this.nothing(error instanceof Away ? "away" : "problem", error instanceof Away ? words : error.message);
    }
  }

  open(what, words = "") {
    this.now = { passage: null, sentence: "", note: "", asked: null, ...what };
    this.clock.restart();
    this.drawDocument();
    scrollTo(0, 0);
    document.querySelector(".beside").scrollTop = 0;
    find("paper").focus({ preventScroll: true });
    this.hint("");
    said([words, read(this.now.doc).title || this.now.document].filter(Boolean).join(" Next: "));
  }

  loading() {
    this.drawDocument();
    fill(find("nothing"), make("p", {}, "Loading …"));
  }

  nothing(why, words) {
    if (why === "done" && this.source.busy) { this.loading(); this.unsure = true; return; } // once all is saved, it is asked again
    this.drawDocument();
    this.drawProgress();
    if (this.topic) drawTopic(this.topicOf(this.topic));
    else { fill(find("asked"), why === "done" ? "Nothing is left to judge" : this.task.title); fill(find("wanted")); find("more").hidden = true; }
    const told = {
      done: this.topic && this.task.topics.length > 1 ? "Nothing is left to judge for this topic. Thank you! Choose another topic, or all." : this.source.ended,
      away: "The server does not answer. Your judgments are kept in this browser; the next document comes as soon as it is back.",
      problem: words,
    }[why];
    const before = find("nothing").textContent;
    fill(find("nothing"), make("p", {}, told));
    if (told !== before) said([why === "done" ? words : "", told].filter(Boolean).join(" "));
    this.unsure = why === "away";
    const wait = { away: AGAIN, done: this.source.lasts }[why]; // somebody may hand a document back
    if (wait) this.later = setTimeout(() => this.advance(), wait);
  }

  async turnTo(topic) {
    this.topic = topic;
    kept.set(`${this.space}/topic`, topic);
    this.queue = [];
    this.now = null;
    this.left = null;
    this.loading();
    await this.filling?.catch(() => {});
    await this.source.leave?.();
    if (topic === this.topic) this.advance();
  }

  // What somebody does.

  allowed() { return true; }

  give(grade, by) {
    const { now } = this;
    if (!now || !this.allowed()) return;
    now.sentence = find("sentence").value.trim();
    now.note = find("note").value.trim();
    if (this.needsReason(grade) && !now.sentence && !now.passage) {
      now.asked = { grade, by };
      this.hint(`“${labelOf(this.scale, grade)}” needs a reason: select a passage, or write a sentence here and press Enter.`);
      find("sentence").focus();
      return;
    }
    const reason = now.sentence || now.passage ? { sentence: now.sentence, start: now.passage?.start ?? null, end: now.passage?.end ?? null } : null;
    const given = { topic: now.topic, document: now.document, grade, reason, note: now.note, seconds: this.clock.seconds, by };
    const done = { ...given, doc: now.doc, passage: now.passage, again: now.mode === "again" };
    if (done.again) this.source.amend({ ...given, event: now.event });
    else {
      done.sent = this.source.judge(given);
      done.sent.answer?.catch(() => { this.done = this.done.filter((each) => each !== done); }); // it was refused
      if (this.left) this.left -= 1;
    }
    this.gone.add(idOf(now));
    this.done.push(done);
    if (this.done.length > 200) delete this.done[this.done.length - 201].doc;
    this.advance(`${labelOf(this.scale, grade)}.`);
    this.refreshHistory();
  }

  async judgedElsewhere(of) {
    const shown = this.now?.mode === "new" && idOf(this.now) === idOf(of);
    this.gone.add(idOf(of));
    this.queue = this.queue.filter((each) => idOf(each) !== idOf(of));
    if (!shown) return;
    await this.advance("Judged in another window.");
    this.hint("You judged the last document in another window.");
  }

  async undo() {
    const last = this.done.pop();
    if (last?.again) { this.done.push(last); said("To change it again, open it under “What you judged”."); this.hint("Open it under “What you judged” to change it again."); return; }
    const undone = this.source.undo(last, this.topic);
    if (this.now?.mode === "new") this.queue.unshift({ ...this.now, doc: Promise.resolve(this.now.doc) });
    let back = last;
    if (!back) {
      try { back = await undone; } catch (error) { this.hint(error.message); return; }
      if (!back?.document) { this.hint("There is nothing to undo."); return; }
    }
    this.gone.delete(idOf(back));
    if (this.left != null) this.left += 1;
    const doc = back.doc ?? await this.source.document(back.topic, back.document).catch(() => null);
    if (!doc) { this.advance(); return; }
    this.turn = (this.turn ?? 0) + 1;
    this.open({ topic: back.topic, document: back.document, doc, mode: "new", had: back.grade ?? undefined, passage: back.passage ?? null, sentence: back.reason?.sentence ?? "", note: back.note ?? "" }, "Undone.");
    this.refreshHistory();
  }

  skip() {
    const { now } = this;
    if (!now || !this.allowed()) return;
    if (now.mode !== "again") {
      this.gone.add(idOf(now));
      this.source.skip({ topic: now.topic, document: now.document, why: find("note").value.trim() });
    }
    this.advance("Skipped.");
  }

  flag() {
    const { now } = this;
    if (!now) return;
    const dialog = find("flagging");
    find("flag-why").value = "";
    dialog.returnValue = "";
    dialog.onclose = () => {
      if (dialog.returnValue !== "flag") return;
      this.source.flag({ topic: now.topic, document: now.document, why: find("flag-why").value.trim() });
      this.hint("Flagged for the organiser. You can still judge the document.");
    };
    dialog.showModal();
  }

  takeBack() {
    const { now } = this;
    this.source.retract({ event: now.event, topic: now.topic, document: now.document });
    this.done = this.done.filter((each) => idOf(each) !== idOf(now));
    this.gone.delete(idOf(now));
    this.open({ topic: now.topic, document: now.document, doc: now.doc, mode: "new", note: now.note }, "Taken back.");
    this.refreshHistory();
  }

  hint(words) { find("hint").textContent = words; }

  // The reason: a passage that is selected, or chosen sentence by sentence with keys.

  choose(passage) {
    if (!this.now) return;
    this.now.passage = passage;
    this.now.sentence = find("sentence").value;
    this.drawReason();
    if (passage) this.hint(this.now.asked ? "Now give the grade." : "");
  }

  bySentence(key) {
    const { now } = this;
    if (!now) return;
    now.sentences ??= sentencesOf(now.text);
    if (!now.sentences.length) return;
    const last = now.sentences.length - 1;
    const [from, to] = now.spread ?? [-1, -1];
    const within = (at) => Math.max(0, Math.min(last, at));
    if (key === ".") now.spread = [within(to + 1), within(to + 1)];
    else if (key === ",") now.spread = [within(from - 1), within(from - 1)];
    else if (key === ">") now.spread = [within(from), within(to + 1)];
    else now.spread = [within(from), Math.max(within(from), to - 1)];
    const [start, end] = [now.sentences[now.spread[0]][0], now.sentences[now.spread[1]][1]];
    this.choose({ start: points(now.text.slice(0, start)), end: points(now.text.slice(0, end)) });
    this.drawText();
    find("text").querySelector(".passage")?.scrollIntoView({ block: "center" });
    said(`Passage: ${now.text.slice(start, end)}`);
  }

  // Beside the document: what was judged, and a search.

  async refreshHistory() {
    if (find("history").open) await this.drawHistory();
  }

  async drawHistory() {
    const place = find("history-list");
    try {
      const { judgments, skipped } = await this.source.history(this.topic);
      const judged = judgments.map((each) => this.row(each, chip(each.grade), each.note, () => this.reopen(each)));
      const others = skipped.map((each) => this.row(each, make("span", { className: "under" }, each.kind), each.why, () => this.take(each.topic, each)));
      fill(place, [...judged, ...others].length ? [...judged, ...others] : make("li", { className: "under" }, "You have not judged anything here yet."));
    } catch (error) {
      if (!place.children.length) fill(place, make("li", { className: "under" }, error.message)); // an old list is better than none
    }
  }

  row(each, before, words, act) {
    return make("li", {}, make("button", { type: "button", className: "row", onclick: act }, before,
      make("span", { className: "what" }, name(each.title || each.document), words ? make("span", { className: "under" }, " ", name(words)) : "")));
  }

  async reopen(each) {
    try {
      const doc = await this.source.document(each.topic, each.document);
      this.back();
      const { reason } = each;
      const passage = reason?.start != null ? { start: reason.start, end: reason.end } : null;
      this.open({ topic: each.topic, document: each.document, doc, mode: "again", event: each.event, had: each.grade, passage, sentence: reason?.sentence ?? "", note: each.note ?? "" });
    } catch (error) { this.hint(error.message); }
  }

  back() {
    this.turn = (this.turn ?? 0) + 1;
    if (this.now?.mode === "new") this.queue.unshift({ ...this.now, doc: Promise.resolve(this.now.doc) });
  }

  async search() {
    const place = find("found");
    const words = find("query").value.trim();
    const topic = this.now?.topic || this.topic;
    if (!words) { fill(place); return; }
    if (!topic) { fill(place, make("li", { className: "under" }, "Choose a topic first: every judgment belongs to a topic.")); return; }
    try {
      const found = await this.source.search(words, topic);
      fill(place, found.length ? found.map((each) => this.row(each, each.event ? chip(each.mine) : "", each.snippet, () => this.take(topic, each))) : make("li", { className: "under" }, "No document contains these words."));
      said(counted(found.length, "document found", "documents found"));
    } catch (error) { fill(place, make("li", { className: "problem" }, error.message)); }
  }

  async take(topic, each) {
    try {
      if (each.event) { await this.reopen(each.grade === undefined ? { ...each, topic, grade: each.mine } : each); return; }
      const doc = this.source.document(topic, each.document);
      await this.source.take(topic, each.document);
      const found = await doc;
      this.back();
      this.queue = this.queue.filter((other) => idOf(other) !== idOf({ topic, document: each.document }));
      this.open({ topic, document: each.document, doc: found, mode: "new" });
    } catch (error) { this.hint(error.message); }
  }

  listen() {
    find("which").addEventListener("change", (event) => { event.target.blur(); this.turnTo(event.target.value); });
    find("own").value = kept.get(`${this.space}/own`) ?? "";
    find("own").addEventListener("input", () => { kept.set(`${this.space}/own`, find("own").value); this.drawText(); });
    find("own").addEventListener("keydown", (event) => { if (event.key === "Enter") event.target.blur(); });
    find("sentence").addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      const { asked } = this.now ?? {};
      if (asked) this.give(asked.grade, asked.by);
      else event.target.blur();
    });
    find("unpassage").addEventListener("click", () => { this.choose(null); this.drawText(); });
    for (const [id, act] of Object.entries({ undo: () => this.undo(), skip: () => this.skip(), cannot: () => this.give(null, "click"), flag: () => this.flag() })) {
      find(id).addEventListener("click", act);
    }
    find("history").addEventListener("toggle", () => this.refreshHistory().then(() => { if (find("history").open) find("history").scrollIntoView({ block: "nearest" }); }));
    find("searching")?.addEventListener("submit", (event) => { event.preventDefault(); this.search(); });
    let waits;
    document.addEventListener("selectionchange", () => {
      clearTimeout(waits);
      waits = setTimeout(() => {
        const found = selected(find("text"));
        if (found) this.choose({ start: found.start, end: found.end });
      }, SETTLED);
    });
    topicStays();
    onKeys((key) => this.key(key));
  }

  key(key) {
    const grade = this.scale.find((each) => each.key === key);
    if (grade) {
      const found = selected(find("text"));
      if (found) this.choose({ start: found.start, end: found.end });
      this.give(grade.grade, "key");
      return true;
    }
    const toggle = (id) => { find(id).open = !find(id).open; find(id).querySelector("summary").focus(); };
    const near = this.now && key === "=" ? this.alike() : null;
    const acts = {
      c: () => this.give(null, "key"), u: () => this.undo(), s: () => this.skip(), f: () => this.flag(),
      n: () => find("note").focus(), r: () => find("sentence").focus(), "/": () => find("own").focus(), "?": () => this.showHelp(),
      g: () => toggle("guidelines"), h: () => toggle("history"), t: () => find("which").focus(),
      x: () => { const box = find("search"); if (box) { box.open = true; find("query").focus(); } },
      "=": () => near && this.give(near.grade, "key"),
      ".": () => this.bySentence("."), ",": () => this.bySentence(","), ">": () => this.bySentence(">"), "<": () => this.bySentence("<"),
      Escape: () => { getSelection().removeAllRanges(); if (this.now?.passage) { this.choose(null); this.now.spread = undefined; this.drawText(); } },
    };
    if (!acts[key]) return false;
    acts[key]();
    return true;
  }
}

export const idOf = ({ topic, document: document_ }) => JSON.stringify([topic, document_]);

// A document as it is read: its title, its text, and its other fields.
export function read(doc) {
  const fields = Object.entries(doc?.fields ?? {}).filter(([, words]) => words !== "" && words != null);
  const title = doc?.title ?? "";
  return { title, text: doc?.text ?? "", others: fields.filter(([field]) => !["title", "text"].includes(field)) };
}

// Documents are nearly the same where most of what follows one another is, as the server sees it.
const SHINGLE = 5; // words
const ALIKE = 0.7; // of all shingles of both
const shingled = new Map();

function shingles({ document: document_, text }) {
  if (!shingled.has(document_)) {
    const words = text.slice(0, PAGE).toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
    const last = words.length ? Math.max(1, words.length - SHINGLE + 1) : 0;
    shingled.set(document_, new Set(words.slice(0, last).map((_, i) => words.slice(i, i + SHINGLE).join(" "))));
  }
  return shingled.get(document_);
}

export function same(one, other) {
  const [here, there] = [shingles(one), shingles(other)];
  let both = 0;
  for (const each of here) if (there.has(each)) both += 1;
  return both > 0 && both / (here.size + there.size - both) >= ALIKE;
}

// A line's end is none of a sentence, unless the next line is empty.
function sentencesOf(written) {
  const text = written.replace(/(?<!\n)\n(?!\n)/gu, " ");
  const cut = typeof Intl.Segmenter === "function" ? [...new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(text)]
    : [...text.matchAll(/[^.!?\n]+[.!?\n]*\s*/gu)].map((found) => ({ segment: found[0], index: found.index }));
  return cut.map(({ segment, index }) => [index + segment.length - segment.trimStart().length, index + segment.trimEnd().length]).filter(([start, end]) => end > start);
}
