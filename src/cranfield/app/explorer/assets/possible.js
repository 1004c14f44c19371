// What the leaderboard could be: two sliders over means that are all there, so that a step only puts rows in order.

import { preparations, said } from "./app.js";
import { here } from "./explorer.js";

const known = new Map(); // the steps, by their address

async function asked(address) {
  const answer = await fetch(address);
  if (answer.ok) return answer.json();
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  throw new Error(page.querySelector(".problem")?.textContent ?? answer.statusText);
}

function stepsAt(address) {
  if (!known.has(address)) {
    known.set(address, asked(address));
    known.get(address).catch(() => known.delete(address)); // it may be answered the next time
  }
  return known.get(address);
}

const sliderOf = (box, name) => box.querySelector(`[data-slider=${name}]`);
const calledBy = (slider) => JSON.parse(slider.dataset.called);
const usual = (box) => ({ ties: Number(box.dataset.tie), relevant: 0 });

// What the sliders say, in words and in the address: the page can be sent as it is.
function tell(box) {
  let moved = false;
  const to = new URL(location.href);
  for (const [name, at] of Object.entries(usual(box))) {
    const slider = sliderOf(box, name);
    const words = calledBy(slider)[slider.value];
    box.querySelector(`output[data-of=${name}]`).textContent = words;
    slider.setAttribute("aria-valuetext", words);
    if (Number(slider.value) === at) to.searchParams.delete(name);
    else { to.searchParams.set(name, words); moved = true; }
  }
  box.querySelector("[data-reset]").hidden = !moved;
  box.querySelector("[data-stays]").hidden = !moved;
  box.parentElement.querySelector("table.board").classList.toggle("turned", moved); // what stays is grey
  return to;
}

function scaleOf(steps) {
  const ends = [...steps.means.flat(2), ...(steps.bounds ? [...steps.bounds.low, ...steps.bounds.high] : [])];
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  return (value) => 6 + (108 * (value - least)) / (most - least || 1);
}

// Put the rows in the order of the step, with the means and places that they have there.
function show(box, steps) {
  const [tie, share] = ["ties", "relevant"].map((name) => Number(sliderOf(box, name).value));
  const means = steps.means[tie][share];
  const order = [...means.keys()].sort((one, other) => steps.better * (means[other] - means[one]) || one - other);
  const table = box.parentElement.querySelector("table.board");
  const rows = new Map([...table.tBodies[0].rows].map((row) => [row.dataset.run, row]));
  steps.at ??= scaleOf(steps);
  order.forEach((run, place) => {
    const row = rows.get(steps.runs[run]);
    const cell = (name) => row.querySelector(`[data-of=${name}]`);
    const up = run - place;
    cell("place").textContent = up ? `${up > 0 ? "▲" : "▼"}${Math.abs(up)} ${place + 1}` : place + 1;
    cell("place").dataset.value = place + 1;
    cell("mean").textContent = means[run].toFixed(4);
    const line = row.querySelector("line");
    if (steps.bounds) {
      const ends = [steps.bounds.low[run], steps.bounds.high[run]];
      line.setAttribute("x1", steps.at(ends[0]));
      line.setAttribute("x2", steps.at(ends[1]));
      row.querySelector("svg").setAttribute("aria-label", ends.map((end) => end.toFixed(4)).join(" to "));
    } else row.querySelector("svg").setAttribute("aria-label", "not known for sure");
    row.querySelector("circle").setAttribute("cx", steps.at(means[run]));
  });
  table.tBodies[0].append(...order.map((run) => rows.get(steps.runs[run])));
  for (const cell of table.querySelectorAll("[data-of=could]")) cell.hidden = false;
  for (const cell of table.tHead.querySelectorAll("[aria-sort]")) cell.removeAttribute("aria-sort");
  table.tHead.querySelector("[data-of=mean]").setAttribute("aria-sort", steps.better > 0 ? "descending" : "ascending");
  const [first] = order;
  return `${steps.runs[first]} leads with ${means[first].toFixed(4)}; ${order.filter((run, place) => run !== place).length} of ${order.length} runs change rank`;
}

async function follow(box) {
  const refused = box.querySelector("[data-refused]");
  box.setAttribute("aria-busy", "true");
  try {
    const steps = await stepsAt(box.dataset.steps);
    refused.hidden = true;
    box.querySelector("[data-sure]").textContent = [
      `${steps.tied} of ${steps.runs.length} runs have ties; ${steps.open.toLocaleString("en")} retrieved documents are unjudged.`,
      `Averages are over ${steps.orders} orders, seed ${steps.seed}.`,
      steps.unsure && `There is no bar: ${steps.unsure}.`,
    ].filter(Boolean).join(" ");
    return show(box, steps);
  } catch (error) {
    refused.textContent = error.message;
    refused.hidden = false;
    return error.message;
  } finally {
    box.removeAttribute("aria-busy");
  }
}

preparations.push((within) => {
  const box = within.querySelector(".sliders");
  if (!box) return;
  const sliders = Object.keys(usual(box)).map((name) => sliderOf(box, name));
  const ahead = () => stepsAt(box.dataset.steps).catch(() => {});
  for (const slider of sliders) {
    const at = calledBy(slider).indexOf(here().get(slider.dataset.slider));
    if (at >= 0) slider.value = at;
    slider.addEventListener("focus", ahead);
    slider.addEventListener("pointerenter", ahead);
    slider.addEventListener("input", () => { tell(box); follow(box); });
    slider.addEventListener("change", async () => {
      history.replaceState({}, "", tell(box));
      said(await follow(box));
    });
  }
  box.querySelector("[data-reset]").addEventListener("click", async () => {
    for (const slider of sliders) slider.value = usual(box)[slider.dataset.slider];
    history.replaceState({}, "", tell(box));
    sliders[0].focus();
    said(await follow(box));
  });
  tell(box);
  if (!box.querySelector("[data-reset]").hidden) follow(box);
});
