"""Judged rankings: what is asked of an evaluation, judgments, runs joined with them, and the audit of both.

A *row* is one run on one topic. It keeps its length and its *judged cells*: for each judged document retrieved, the
rank and which judgment it is. No measure needs more, and three states stay apart: judged, unjudged, beyond the end.
Grades are one vector shared by all runs, so a downsampled pool or a second assessor is another vector (`rejudged`), and
no document is looked up again. 50 topics with 1,000 documents have 50,000 ranks and some 1,500 relevant ones: cells
take a tenth of the room of a padded matrix, and measures are as many times faster.

Conditions are declared once, in `Asked`, and as a field of `Reading` (fixed when runs are joined) or `Grading` (free
afterwards). `plumbing.unpacked` spells them out for `help()` and the docs.

Documents are looked up by 64-bit keys of topic and id, then compared id by id: no accident of hashing lends a document
another one's grade. Dicts go the other way round (`shortcuts`): each judged document is looked up in the run.
Candidates for bounds are judgments whose grade is NaN, in the same vector. Excluded documents leave a run before it is
ranked; costs are summed where documents are still known; subtopics are kept with the largest grade of a document.

`Judgments.of_topics` keeps the judgments of some topics and the facts of the whole collection, so a run can be ranked
a few topics at a time, or on several machines, with results equal to the last bit.
"""
