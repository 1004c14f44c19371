// Two lists side by side: which is better, without being told whose they are.

import { ask, counted, fill, find, help, make, onKeys, said } from "./pieces.js";
import { begin, card, failed } from "./lists.js";

const KEYS = [["←", "the left list is better"], ["→", "the right list is better"], ["=", "they are about the same"], ["n", "write a note"], ["t", "choose a topic"], ["?", "show these keys"]];
const SAID = { left: "Left is better.", right: "Right is better.", same: "About the same." };
let outbox;
let shown = null;
let topic_ = null;
let asked = 0;

async function turned(topic) {
  if (!topic) { fill(find("nothing"), make("p", {}, "No topic is assigned to you.")); return; }
  const mine = ++asked;
  const pair = await ask("/api/pair", { topic: topic.id });
  if (mine !== asked) return;
  topic_ = topic;
  const [left, right] = pair.lists;
  shown = left && right ? pair : null;
  for (const id of ["two", "choose"]) find(id).hidden = !shown;
  find("nothing").hidden = Boolean(shown);
  fill(find("nothing"), make("p", {}, "All pairs of this topic are compared. Thank you! Choose another topic."));
  find("progress").textContent = `${counted(pair.remaining, "pair")} left for this topic`;
  if (!shown) return;
  const { terms } = topic;
  fill(find("left"), left.map((each) => card(each, terms)));
  fill(find("right"), right.map((each) => card(each, terms)));
  scrollTo(0, 0);
}

function prefer(better) {
  if (!shown) return;
  const { topic, left, right } = shown;
  const note = find("note").value.trim();
  shown = null;
  find("note").value = "";
  said(SAID[better]);
  outbox.add("/api/prefer", { topic, left, right, better, note }, SAID[better])
    .then(() => turned(topic_)).catch(() => turned(topic_)).catch(failed);
}

for (const button of find("choose").querySelectorAll("button")) button.addEventListener("click", () => prefer(button.dataset.better));
find("note").addEventListener("keydown", (event) => { if (event.key === "Enter") event.target.blur(); });
const showHelp = help(KEYS);
onKeys((key) => {
  const better = { ArrowLeft: "left", ArrowRight: "right", "=": "same" }[key];
  if (better) prefer(better);
  else if (key === "n") find("note").focus();
  else if (key === "t") find("which").focus();
  else if (key === "?") showHelp();
  else return false;
  return true;
});

try {
  const begun = await begin(turned);
  ({ outbox } = begun);
  await begun.turn();
} catch (error) { failed(error); }
