// Pages that explain a word come before those that mention it in passing: studies, claims and histories.
"use strict";

const EXPLAINS = { faq: 20, glossary: 20, unanswerable: 30, measures: 10, differences: 5, contents: -40 };
const MENTIONS = /^(corrections|changelog|claims|calibration|benchmarks|architecture|contributing|commands)$/;
const ASIDE = /^(studies|reproduced|papers)\//;

var Scorer = {
  score: ([docname, title, anchor, descr, score, filename, kind]) => {
    if (MENTIONS.test(docname) || ASIDE.test(docname)) return score / 4 - 10;
    return score + (EXPLAINS[docname] ?? 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 40,
  partialTitle: 12,
  term: 5,
  partialTerm: 2,
};
