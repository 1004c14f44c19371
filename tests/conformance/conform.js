// A correct implementation in another language, written from the README of the suite alone.
// node conform.js FOLDER: checks each value itself, and writes FOLDER/answers.json.

const fs = require("fs");
const folder = process.argv[2];
const suite = JSON.parse(fs.readFileSync(`${folder}/suite.json`, "utf8"));

function relevant(grade) { return grade !== undefined && grade > 0; }

function dcg(grades) {
  return grades.reduce((sum, grade, i) => sum + Math.max(grade || 0, 0) / Math.log2(i + 2), 0);
}

const measures = {
  nDCG(found, judged, k) {
    const best = [...judged].sort((one, other) => other - one).slice(0, k);
    return dcg(best) ? dcg(found.slice(0, k)) / dcg(best) : 0;
  },
  DCG(found, judged, k) { return dcg(found.slice(0, k)); },
  AP(found, judged, k) {
    let hits = 0, sum = 0;
    found.slice(0, k).forEach((grade, i) => { if (relevant(grade)) { hits += 1; sum += hits / (i + 1); } });
    const all = judged.filter(relevant).length;
    return all ? sum / all : 0;
  },
  RR(found, judged, k) {
    const first = found.slice(0, k).findIndex(relevant);
    return first < 0 ? 0 : 1 / (first + 1);
  },
  P(found, judged, k) { return found.slice(0, k).filter(relevant).length / k; },
  R(found, judged, k) {
    const all = judged.filter(relevant).length;
    return all ? found.slice(0, k).filter(relevant).length / all : 0;
  },
  Success(found, judged, k) { return found.slice(0, k).some(relevant) ? 1 : 0; },
  Bpref(found, judged) {
    const all = judged.filter(relevant).length;
    const most = Math.min(all, judged.filter(grade => grade >= 0 && !relevant(grade)).length);
    let above = 0, sum = 0;
    for (const grade of found) {
      if (relevant(grade)) sum += above ? 1 - Math.min(above, all) / most : 1;
      else if (grade !== undefined && grade >= 0) above += 1;
    }
    return all ? sum / all : 0;
  },
};

function byTopic(rows) {
  const topics = new Map();
  for (const [topic, document, value] of rows) {
    if (!topics.has(topic)) topics.set(topic, []);
    topics.get(topic).push([document, value]);
  }
  return topics;
}

function answer(test) {
  const [name, k] = test.measure.split("@");
  const qrels = byTopic(test.qrels), run = byTopic(test.run);
  let sum = 0;
  for (const [topic, judgments] of qrels) {
    const grades = new Map(judgments);
    const excluded = test.excluded.filter(([of]) => of === topic).map(([, document]) => document);
    const list = (run.get(topic) || []).filter(([document]) => !excluded.includes(document));
    if (new Set(list.map(([document]) => document)).size < list.length) return null;
    list.sort((one, other) => other[1] - one[1] || (other[0] > one[0] ? 1 : -1));
    const found = list.map(([document]) => grades.get(document));
    sum += measures[name](found, [...grades.values()], k === undefined ? undefined : Number(k));
  }
  return sum / qrels.size;
}

const mine = suite.conventions;
const answers = {};
for (const test of suite.cases) {
  const family = test.measure.replace(/@.*/, "@k");
  const chosen = Object.entries(mine[family].cranfield);
  const expected = test.values.find(value =>
    Object.entries(value.choices).every(([question, choice]) => chosen.some(([q, c]) => q === question && c === choice)));
  answers[test.id] = answer(test);
  const off = expected.value === null ? answers[test.id] !== null : Math.abs(answers[test.id] - expected.value) > suite.tolerance;
  if (off) {
    console.log(`${test.id}: ${answers[test.id]} where the suite has ${expected.value}`);
    process.exitCode = 1;
  }
}
fs.writeFileSync(`${folder}/answers.json`, JSON.stringify(
  { suite: suite.suite, tool: "conform.js", version: process.version, answers }));
