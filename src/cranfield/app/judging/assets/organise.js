// The organiser's page: the state of the task, drawn anew whenever the server says that something has changed.

import { Away, Refused, ask, counted, fill, find, help, make, name, newKey, onKeys, said } from "./pieces.js";

const EXPORTS = [
  ["qrels", "qrels.txt: one grade per document"], ["qrels-first", "qrels, by first judgment"], ["qrels-majority", "qrels, by majority"],
  ["qrels-adjudicated", "qrels, as settled"], ["qrels-assessors", "qrels of each person"], ["judgments", "all judgments, with notes and reasons"],
  ["preferences", "preferences between lists"], ["spans", "passages selected as reasons"], ["pool", "the pool"], ["log", "the log of all events"],
];
const SETTLE = 60; // milliseconds in which changes are gathered
const RETRY = 1_500;
const mayChange = document.body.dataset.role === "organiser";
const SVG = "http://www.w3.org/2000/svg";
let task;
let status_;

// What is drawn stays, and takes other values: so bars move, and the focus keeps its place.
function shape(tag, given, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [attribute, value] of Object.entries(given)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

const places = (value) => (value == null ? "–" : value.toFixed(3));
const percent = (value) => (value == null ? "–" : `${Math.round(value * 100)}%`);

function synced(place, all, keyOf, made, drawn) {
  const there = new Map([...place.children].map((each) => [each.dataset.key, each]));
  const wanted = all.map((each) => {
    const row = there.get(keyOf(each)) ?? made(each);
    row.dataset.key = keyOf(each);
    drawn(row, each);
    return row;
  });
  if (wanted.length !== place.children.length || wanted.some((row, i) => place.children[i] !== row)) {
    const focused = place.contains(document.activeElement) ? document.activeElement : null;
    place.replaceChildren(...wanted);
    focused?.focus({ preventScroll: true });
  }
}

// Set text where it is another one, so that nothing that is read aloud or selected is disturbed.
const set = (place, words) => { if (place.textContent !== words) place.textContent = words; };

// Whether it is enough, by each rule of the task.
function drawAdvice({ reasons, lacking, warnings }) {
  const said = (kind, words, each) => each.length ? [make("div", { className: kind }, make("strong", {}, words), make("ul", {}, each.map((one) => make("li", {}, name(one)))))] : [];
  const stop = [...said("stop", "You may stop:", reasons), ...said("stop open", "Not enough yet:", lacking)];
  const made = [...stop, ...warnings.map((each) => make("p", { className: "problem" }, name(each)))];
  const place = find("advice");
  if (place.textContent !== made.map((each) => each.textContent).join("")) fill(place, made);
}

function drawFigures({ judged, spent, relevant, left, missed_at_most: missed, level, pace, settings }) {
  const budget = settings.budget ? `; ${spent.toLocaleString("en")} of ${counted(settings.budget, "judgment")} made or at hand` : "";
  const shown = [
    ["judged", judged.toLocaleString("en"), `documents judged${budget}`],
    ["relevant", relevant.toLocaleString("en"), "relevant documents found"],
    ["left", left.toLocaleString("en"), "documents without a grade yet"],
    ["missed", missed == null ? "–" : `≤ ${missed.toLocaleString("en")}`, missed == null ? "relevant documents not found yet: no bound without an audit" : `relevant documents not found yet, by the audit (${Math.round(100 * (1 - level))}% sure)`],
    ["pace", pace.last_hour.toLocaleString("en"), `judgments in the last hour${pace.seconds == null ? "" : `, ${pace.seconds.toFixed(1)} s each at the median`}`],
  ];
  synced(find("figures"), shown, ([key]) => key, () => make("div", { className: "figure" }, make("b"), make("span")), (place, [, value, words]) => {
    set(place.children[0], value);
    set(place.children[1], words);
  });
}

function drawBars({ runs, settings }) {
  const most = Math.max(...runs.map((each) => each.top), 1e-9);
  const winners = runs.filter((each) => each.can_win).length;
  const ahead = runs.filter((each) => each.leader).length > 1 ? "ties for the lead" : "leads";
  set(find("bars-say"), `${settings.measure}, method ${settings.method}. Each bar begins with what is certain from the judgments; the rest is what documents without a grade could add. ${
    winners === 1 ? "One system can still be the best." : `${winners} of ${runs.length} systems can still be the best.`}`);
  synced(find("bars"), runs, (each) => each.run, ({ run }) => {
    const bar = shape("svg", { class: "bar", "aria-hidden": "true", height: 18, width: "100%", preserveAspectRatio: "none", viewBox: "0 0 1000 18" },
      shape("rect", { class: "base", x: 0, y: 3, height: 12, width: 0 }), shape("rect", { class: "residual", x: 0, y: 3, height: 12, width: 0 }));
    return make("tr", {}, make("th", { scope: "row" }, name(run)), make("td", { className: "grows" }, bar), make("td", { "data-name": "least", className: "number" }), make("td", { "data-name": "most", className: "number" }), make("td"));
  }, (row, { base, residual, top, can_win: can, leader }) => {
    const [first, second] = row.querySelectorAll("rect");
    first.setAttribute("width", (1000 * base) / most);
    second.setAttribute("x", (1000 * base) / most);
    second.setAttribute("width", (1000 * residual) / most);
    row.classList.toggle("lost", !can);
    set(row.cells[2], places(base));
    set(row.cells[3], places(top));
    set(row.cells[4], leader ? ahead : can ? "can win" : "cannot win");
  });
}

const [WIDEST, HIGH, EDGE] = [640, 200, 40];

function drawCurve({ curve, judged, relevant }) {
  const place = find("curve");
  if (curve.length < 2) { if (!place.querySelector("p")) fill(place, make("p", { className: "under" }, "The curve begins with the first judgments.")); return; }
  const wide = Math.min(WIDEST, place.clientWidth); // letters keep their size
  const across = Math.max(...curve.map((each) => each.judged), 1);
  const up = Math.max(...curve.map((each) => each.relevant), 1);
  const x = (value) => EDGE + ((wide - EDGE - 10) * value) / across;
  const y = (value) => HIGH - 28 - ((HIGH - 40) * value) / up;
  const most = Math.max(...curve.map((each) => each.residual), 1e-9);
  const points = (height) => curve.map((each) => `${x(each.judged)},${height(each)}`).join(" ");
  const [first, last] = [curve[0].residual, curve.at(-1).residual];
  const told = `Dashed: mean residual of all systems, from ${first.toFixed(3)} at first to ${last.toFixed(3)} now.`;
  const word = (at, height, words, anchor) => shape("text", { x: at, y: height, "text-anchor": anchor }, words);
  const lines = [
    shape("polyline", { class: "line dashed", points: points((each) => y((up * each.residual) / most)) }),
    shape("polyline", { class: "line", points: points((each) => y(each.relevant)) }),
  ];
  fill(place, shape("svg", { class: "curve", viewBox: `0 0 ${wide} ${HIGH}`, role: "img", "aria-label": `${judged} documents are judged, ${relevant} of them relevant. ${told}` },
    shape("line", { class: "axis", x1: EDGE, x2: wide - 10, y1: y(0), y2: y(0) }), shape("line", { class: "axis", x1: EDGE, x2: EDGE, y1: y(0), y2: y(up) }), ...lines,
    word(EDGE - 6, y(0) + 4, "0", "end"), word(EDGE - 6, y(up) + 4, up.toLocaleString("en"), "end"),
    word(x(across), HIGH - 10, `${across.toLocaleString("en")} documents judged`, "end"), word(EDGE, HIGH - 10, "0", "middle")), make("p", { className: "under" }, `Solid: relevant documents found. ${told}`));
}

function drawAgreement({ agreement: { documents, share, kappa, alpha } }) {
  const rows = [["Documents judged by two or more", documents.toLocaleString("en")], ["Same grade", percent(share)], ["Cohen's κ", places(kappa)], ["Krippendorff's α, ordinal", places(alpha)]];
  fill(find("agreement"), documents ? make("dl", { className: "keys" }, rows.map(([words, value]) => [make("dt", {}, words), make("dd", {}, value)]))
    : make("p", { className: "under" }, "No document has two judges yet."));
}

function drawDisagreements({ disputed, unsettled }) {
  const told = !disputed ? "There are none." : unsettled
    ? `${counted(disputed, "document")} graded differently; ${unsettled === 1 ? "1 has" : `${unsettled.toLocaleString("en")} have`} no grade until somebody settles which.`
    : `${counted(disputed, "document")} graded differently, all of them settled.`;
  fill(find("disagreements"), make("p", { className: unsettled ? "" : "under" }, told, " ", disputed && mayChange ? make("a", { href: "/settle" }, unsettled ? "Settle them" : "Look at them") : ""));
}

function drawFlags({ flags }) {
  fill(find("flags"), flags.length ? make("ul", { className: "plain" }, flags.map((each) => make("li", {}, make("b", {}, name(each.who)), ": ", name(each.why || "no reason given"), make("span", { className: "under" }, " topic ", name(each.topic), ", ", name(each.document)))))
    : make("p", { className: "under" }, "There are none."));
}

const since = (time) => {
  if (time == null) return "none yet";
  const minutes = Math.max(0, Math.round((Date.now() / 1000 - time) / 60));
  return minutes < 1 ? "just now" : minutes < 60 ? `${counted(minutes, "minute")} ago` : minutes < 2880 ? `${counted(Math.round(minutes / 60), "hour")} ago` : `${Math.round(minutes / 1440)} days ago`;
};

const PEOPLE = ["role", "judged", "at hand", "seconds each", "last judgment", "topics"];

function drawPeople({ people }) {
  synced(find("people"), people, (each) => each.name, (each) => {
    const act = (words, does, risky) => make("button", { type: "button", className: risky ? "risky" : "", "aria-label": `${words}: ${each.name}`, onclick: () => does(each.name) }, words);
    return make("tr", {}, make("th", { scope: "row" }, name(each.name)), ...PEOPLE.map((each, i) => make("td", { "data-name": each, className: [1, 2, 3].includes(i) ? "number" : "" })),
      mayChange ? make("td", {}, make("div", { className: "acts" }, act("New link", relink), act("Revoke", revoke), act("Reassign", handOn), act("Remove judgments", takeOut, true))) : "");
  }, (row, each) => {
    const state = each.active ? (each.entered ? "" : ", link not used yet") : ", revoked";
    const values = [`${each.role}${each.program && each.role !== "program" ? " (program)" : ""}${state}`, each.judged.toLocaleString("en"), each.held.toLocaleString("en"), each.seconds == null ? "–" : each.seconds.toFixed(1), since(each.last), [...each.topics, ...(each.shared ? [each.topics.length ? "and what is nobody's" : "all"] : [])].join(", ") || "none"];
    row.classList.toggle("lost", !each.active);
    values.forEach((value, i) => set(row.cells[i + 1], value));
  });
}

function drawTopics({ assignment }) {
  synced(find("topics"), assignment, (each) => each.topic, (each) => make("tr", {}, make("th", { scope: "row" }, name(each.topic)), make("td", { className: "long" }, name(each.title)), make("td", { "data-name": "whose" }), make("td", { "data-name": "judged", className: "number" }), make("td", { "data-name": "open", className: "number" })), (row, each) => {
    set(row.cells[2], each.owners.join(", ") || "everybody's");
    set(row.cells[3], each.judged.toLocaleString("en"));
    set(row.cells[4], each.open.toLocaleString("en"));
  });
}

const FIELDS = { method: (of) => of.method, measure: (of) => of.measure, budget: (of) => String(of.budget ?? 0), stop: (of) => of.stop.join(" ") };

function drawSettings({ settings }) {
  if (!mayChange) {
    fill(find("settings"), Object.entries(FIELDS).map(([field, of]) => [make("dt", {}, field), make("dd", {}, of(settings) || "none")]));
    return;
  }
  for (const [field, of] of Object.entries(FIELDS)) {
    const box = find(field);
    if (box.value === (box.dataset.was ?? "")) box.value = of(settings); // what somebody is writing stays
    box.dataset.was = of(settings);
  }
}

function drawExports() {
  const as = find("pseudonyms").checked ? "?pseudonyms=1" : "";
  fill(find("exports"), EXPORTS.map(([what, words]) => make("li", {}, make("a", { href: `/api/export/${what}${as}`, download: "" }, words))));
}

const DRAWN = [drawAdvice, drawFigures, drawBars, drawCurve, drawAgreement, drawDisagreements, drawFlags, drawPeople, drawTopics, drawSettings];

// The state, and what changes it.

let asked = 0;

async function refresh() {
  const mine = ++asked;
  try {
    const found = await ask("/api/status");
    if (mine !== asked) return;
    status_ = found;
    for (const each of DRAWN) each(status_);
    live("Live", "saved");
  } catch (error) {
    if (mine !== asked) return;
    if (error instanceof Refused && [401, 403].includes(error.status)) live("You are no longer signed in: open your link again.", "not");
    else if (error instanceof Away) { live("The server does not answer. This page may be out of date; trying again.", "not"); setTimeout(refresh, RETRY); }
    else live(error.message, "not");
  }
}

function live(words, state) {
  find("saved").dataset.state = state;
  set(find("saved"), words);
}

function follow() {
  const changes = new EventSource("/api/changes");
  let waits;
  const soon = () => { clearTimeout(waits); waits = setTimeout(refresh, SETTLE); };
  changes.onmessage = soon;
  changes.addEventListener("change", soon);
  changes.onopen = soon;
  changes.onerror = () => {
    live("The server does not answer. This page may be out of date; trying again.", "not");
    if (changes.readyState === EventSource.CLOSED) setTimeout(follow, RETRY);
  };
}

async function act(path, body, words) {
  try {
    const answer = await ask(path, {}, { key: newKey(), ...body });
    said(words);
    refresh();
    return answer;
  } catch (error) {
    fill(find("refused"), make("p", { className: "problem" }, make("strong", {}, "Not done. "), error.message, " ", make("button", { type: "button", onclick: () => fill(find("refused")) }, "Dismiss")));
    find("refused").scrollIntoView({ block: "nearest" });
    return null;
  }
}

async function invite(body) {
  const made = await act("/api/people", body, "Link created.");
  if (!made) return;
  const link = make("input", { readOnly: true, value: made.link, "aria-label": `Link for ${body.name}`, className: "link" });
  const copy = make("button", { type: "button", onclick: async () => {
    link.select();
    await navigator.clipboard?.writeText(made.link).catch(() => {});
    said("Copied.");
  } }, "Copy");
  fill(find("made"), make("p", {}, "This link lets ", name(body.name), " in, once. It is shown only now: send it to nobody else."), make("p", { className: "line" }, link, copy),
    made.token ? make("p", {}, "A program sends this token as Bearer: ", make("code", {}, made.token)) : "");
  link.select();
}

// Ask before what cannot be undone easily.
function sure(title, words, to = null) {
  const dialog = find("sure");
  fill(find("of-sure"), name(title));
  set(find("sure-says"), words);
  find("sure-to").hidden = !to;
  if (to) fill(find("to"), to.map((each) => make("option", { value: each }, each)));
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((done) => { dialog.onclose = () => done(dialog.returnValue === "yes"); });
}

const personOf = (who) => status_.people.find((each) => each.name === who);
const relink = (who) => invite({ name: who, role: personOf(who).role, topics: null });

async function revoke(who) {
  if (await sure(`Revoke ${who}?`, "Their links and cookies stop working. Their judgments stay.")) act("/api/people/revoke", { name: who }, "Revoked.");
}

async function takeOut(who) {
  if (await sure(`Remove all judgments of ${who}?`, `${counted(personOf(who).judged, "judgment")} will no longer count. The log keeps them, and the documents are open again.`)) act("/api/people/out", { name: who }, "Removed.");
}

async function handOn(who) {
  const others = status_.people.filter((each) => each.name !== who && each.active).map((each) => each.name);
  if (!others.length) { await sure("There is nobody else", "Invite somebody first."); return; }
  if (await sure(`Reassign the work of ${who}`, "Their topics and open documents go to somebody else. Their judgments stay.", others)) act("/api/people/hand", { from: who, to: find("to").value }, "Reassigned.");
}

function listen() {
  find("pseudonyms").addEventListener("change", drawExports);
  find("inviting")?.addEventListener("submit", (event) => {
    event.preventDefault();
    const written = find("new-topics").value.trim(); // nothing: those that they have; "all": those that are nobody's own
    const topics = written.split(",").map((each) => each.trim()).filter((each) => each && each !== "all");
    invite({ name: find("new-name").value.trim(), role: find("new-role").value, topics: written ? topics : null }).then(() => event.target.reset());
  });
  find("changing")?.addEventListener("submit", (event) => {
    event.preventDefault();
    const value = (field) => find(field).value.trim();
    act("/api/change", { method: value("method"), measure: value("measure"), budget: Number(value("budget")) || 0, stop: value("stop").split(/[\s,]+/u).filter(Boolean) }, "Changed, from the next document on.");
  });
  const showHelp = help([["?", "show these keys"], ["Tab", "go on to the next table, button or field"]]);
  onKeys((key) => { if (key !== "?") return false; showHelp(); return true; });
}

async function begin() {
  listen();
  drawExports();
  for (;;) {
    try {
      task = await ask("/api/task");
      break;
    } catch (error) {
      live(error.message, "not");
      await new Promise((done) => { setTimeout(done, RETRY); });
    }
  }
  find("title").textContent = task.title;
  find("me").textContent = task.me.name;
  document.title = `${task.title} - cranfield judge`;
  follow();
}

begin();
