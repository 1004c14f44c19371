"""What `import cranfield` offers.

Written by `python -m tools.write_stubs` from what there is at run time: do not edit it.
"""

from cranfield.selection.assessors import Agreement as Agreement
from cranfield.lists.altering import Alterable as Alterable
from cranfield.judged.audit import Audit as Audit
from cranfield.campaigns import Campaign as Campaign
from cranfield.selection import Candidates as Candidates
from cranfield.lists.altering import Changes as Changes
from cranfield.checks import Checked as Checked
from cranfield.formats.stretches import ChunksLike as ChunksLike
from cranfield.comparison.collection_comparison import CollectionComparison as CollectionComparison
from cranfield.scoring.collection_scores import CollectionScores as CollectionScores
from cranfield.selection.combining import CombinedLabels as CombinedLabels
from cranfield.comparison import Comparison as Comparison
from cranfield.conformance import Conformity as Conformity
from cranfield.plumbing.errors import CranfieldError as CranfieldError
from cranfield.lists.curves import Curves as Curves
from cranfield.formats.documents import Document as Document
from cranfield.formats.documents import Documents as Documents
from cranfield.selection.estimates import Estimates as Estimates
from cranfield.scoring.evaluation import Evaluator as Evaluator
from cranfield.plots import Figure as Figure
from cranfield.experiments import Findings as Findings
from cranfield.comparison.gating import Gate as Gate
from cranfield.formats.golden import GoldenSet as GoldenSet
from cranfield.comparison import GroupComparison as GroupComparison
from cranfield.plumbing.errors import InputError as InputError
from cranfield.comparison.interleaving import Interleaving as Interleaving
from cranfield.scoring.judged_runs import JudgedRuns as JudgedRuns
from cranfield.selection import Judging as Judging
from cranfield.judged.judgments import Judgments as Judgments
from cranfield.comparison.history import KeptScores as KeptScores
from cranfield.comparison.leaderboard import Leaderboard as Leaderboard
from cranfield.measures import Measure as Measure
from cranfield.plumbing.errors import MeasureError as MeasureError
from cranfield.measures.framework.names import MeasureNames as MeasureNames
from cranfield.pairs.overtaking import Overtaking as Overtaking
from cranfield.formats.like import QrelsLike as QrelsLike
from cranfield.measures.framework.measure import REGISTRY as REGISTRY
from cranfield.compat.reconciling import Reconciled as Reconciled
from cranfield.reports import Report as Report
from cranfield.reproductions import Reproduction as Reproduction
from cranfield.reports import Review as Review
from cranfield.formats import Runs as Runs
from cranfield.formats.like import RunsLike as RunsLike
from cranfield.selection.sample_gate import SampleGate as SampleGate
from cranfield.scoring.scores import Scores as Scores
from cranfield.lists.searches import SearchScores as SearchScores
from cranfield.formats.searches import Searches as Searches
from cranfield.comparison.history import Since as Since
from cranfield.formats.stretches import SpansLike as SpansLike
from cranfield.selection import Status as Status
from cranfield.lists.tracing import Trace as Trace
from cranfield.lists.altering import WhatIf as WhatIf
from cranfield.pairs.why import Why as Why
from cranfield.selection.assessors import agreement as agreement
from cranfield.lists.archetypes import archetypes as archetypes
from cranfield.selection.grade_chances import calibrate as calibrate
from cranfield.checks import check as check
from cranfield.measures.framework.guide import choose as choose
from cranfield.scoring.evidence import chunks_as_documents as chunks_as_documents
from cranfield.selection.clicks import click_intervals as click_intervals
from cranfield.statistics.agreement import cohen_kappa as cohen_kappa
from cranfield.selection.combining import combine_judges as combine_judges
from cranfield.comparison import compare as compare
from cranfield.comparison.collection_comparison import compare_all as compare_all
from cranfield.comparison import compare_groups as compare_groups
from cranfield.comparison.interleaving import compare_interleaved as compare_interleaved
from cranfield.comparison import compare_scores as compare_scores
from cranfield.selection.conflation import conflate as conflate
from cranfield.conformance import conform as conform
from cranfield import conventions as conventions
from cranfield.comparison.correlating import correlate as correlate
from cranfield.lists.curves import curve as curve
from cranfield.stopping.cutting import cut as cut
from cranfield.selection.estimates import estimate as estimate
from cranfield.scoring.evaluation import evaluate as evaluate
from cranfield.scoring.collection_scores import evaluate_all as evaluate_all
from cranfield.scoring.evidence import evidence as evidence
from cranfield import experiments as experiments
from cranfield.statistics.agreement import fleiss_kappa as fleiss_kappa
from cranfield.comparison.gating import gate as gate
from cranfield.selection.sample_gate import gate_by_sample as gate_by_sample
from cranfield.statistics.agreement import gwet_ac as gwet_ac
from cranfield.scoring.judged_runs import join as join
from cranfield.selection.clicks import judge_clicks as judge_clicks
from cranfield.comparison.history import keep as keep
from cranfield.statistics.rank_correlation import kendall_tau as kendall_tau
from cranfield.statistics.agreement import krippendorff_alpha as krippendorff_alpha
from cranfield.comparison.leaderboard import leaderboard as leaderboard
from cranfield.measures.framework.own import load_measures as load_measures
from cranfield.measures.framework.functions import measure as measure
from cranfield.lists.overlap import overlap_of_runs as overlap_of_runs
from cranfield.pairs.overtaking import overtake as overtake
from cranfield.measures.framework.names import parse_measure as parse_measure
from cranfield.measures.framework.names import parse_measures as parse_measures
from cranfield.statistics.agreement import percent_agreement as percent_agreement
from cranfield.comparison.planning import plan_topics as plan_topics
from cranfield.plotting import plot as plot
from cranfield.selection.sampling import prior_sample as prior_sample
from cranfield.selection.sampling import proportional_sample as proportional_sample
from cranfield.statistics.rank_overlap import rbo as rbo
from cranfield.formats.documents import read_documents as read_documents
from cranfield.formats.golden_records import read_golden as read_golden
from cranfield.formats import read_qrels as read_qrels
from cranfield.formats import read_run as read_run
from cranfield.formats import read_runs as read_runs
from cranfield.scoring.panel import read_scores as read_scores
from cranfield.formats.searches import read_searches as read_searches
from cranfield.formats.topic_files import read_topics as read_topics
from cranfield.compat.reconciling import reconcile as reconcile
from cranfield.selection import records as records
from cranfield.lists.references import reference_runs as reference_runs
from cranfield.selection.published_sample import release as release
from cranfield.reports import report as report
from cranfield.reproductions import reproduce as reproduce
from cranfield.reports import review as review
from cranfield.lists.searches import searches as searches
from cranfield.campaigns import simulate as simulate
from cranfield.scoring.evidence import spans_as_qrels as spans_as_qrels
from cranfield.selection import stop_rules as stop_rules
from cranfield.selection.sampling import stratified_sample as stratified_sample
from cranfield.statistics.rank_correlation import tau_ap as tau_ap
from cranfield.lists.ties import ties as ties
from cranfield.formats import to_dict as to_dict
from cranfield.formats import to_frame as to_frame
from cranfield.formats import to_tuples as to_tuples
from cranfield.lists.tracing import trace as trace
from cranfield.selection.sampling import uniform_sample as uniform_sample
from cranfield.selection.sampling import weighted_sample as weighted_sample
from cranfield.lists.altering import what_if as what_if
from cranfield.pairs.why import why as why
from cranfield.campaigns import write_campaign as write_campaign
from cranfield.formats import write_qrels as write_qrels
from cranfield.formats import write_run as write_run
from cranfield.conformance import write_suite as write_suite
from cranfield.measures import INST as INST
from cranfield.measures import BPM as BPM
from cranfield.measures import NERR8 as NERR8
from cranfield.measures import NERR9 as NERR9
from cranfield.measures import NERR10 as NERR10
from cranfield.measures import NERR11 as NERR11
from cranfield.measures import ERR as ERR
from cranfield.measures import AP as AP
from cranfield.measures import MAP as MAP
from cranfield.measures import gmAP as gmAP
from cranfield.measures import GMAP as GMAP
from cranfield.measures import infAP as infAP
from cranfield.measures import OMeasure as OMeasure
from cranfield.measures import PMeasure as PMeasure
from cranfield.measures import PPlus as PPlus
from cranfield.measures import NCU as NCU
from cranfield.measures import Q as Q
from cranfield.measures import AUC as AUC
from cranfield.measures import Kendall as Kendall
from cranfield.measures import Spearman as Spearman
from cranfield.measures import Cost as Cost
from cranfield.measures import GainPerCost as GainPerCost
from cranfield.measures import NumQ as NumQ
from cranfield.measures import NumRet as NumRet
from cranfield.measures import NumRel as NumRel
from cranfield.measures import NumRelRet as NumRelRet
from cranfield.measures import NumNonrelJudgedRet as NumNonrelJudgedRet
from cranfield.measures import CG as CG
from cranfield.measures import nCG as nCG
from cranfield.measures import DCG as DCG
from cranfield.measures import nDCG as nDCG
from cranfield.measures import NDCG as NDCG
from cranfield.measures import nDCGRel as nDCGRel
from cranfield.measures import Rndcg as Rndcg
from cranfield.measures import G as G
from cranfield.measures import binG as binG
from cranfield.measures import MeanUtility as MeanUtility
from cranfield.measures import UDCG as UDCG
from cranfield.measures import BalancePoint as BalancePoint
from cranfield.measures import Crossings as Crossings
from cranfield.measures import CrossingRank as CrossingRank
from cranfield.measures import Recovery as Recovery
from cranfield.measures import ForwardSum as ForwardSum
from cranfield.measures import BackwardSum as BackwardSum
from cranfield.measures import ForwardSpace as ForwardSpace
from cranfield.measures import BackwardSpace as BackwardSpace
from cranfield.measures import Space as Space
from cranfield.measures import Twist as Twist
from cranfield.measures import gmTwist as gmTwist
from cranfield.measures import PatientTwist as PatientTwist
from cranfield.measures import TimedTwist as TimedTwist
from cranfield.measures import DeltaGain as DeltaGain
from cranfield.measures import gP as gP
from cranfield.measures import gR as gR
from cranfield.measures import gAP as gAP
from cranfield.measures import GAP as GAP
from cranfield.measures import SystemInformation as SystemInformation
from cranfield.measures import GoldInformation as GoldInformation
from cranfield.measures import JointInformation as JointInformation
from cranfield.measures import OIE as OIE
from cranfield.measures import IPrec as IPrec
from cranfield.measures import IPrecAvg as IPrecAvg
from cranfield.measures import Judged as Judged
from cranfield.measures import Unjudged as Unjudged
from cranfield.measures import TurnAround as TurnAround
from cranfield.measures import RegainedAt as RegainedAt
from cranfield.measures import CRPAt as CRPAt
from cranfield.measures import RecoveryValue as RecoveryValue
from cranfield.measures import BalanceRatio as BalanceRatio
from cranfield.measures import CRPMin as CRPMin
from cranfield.measures import CRPN as CRPN
from cranfield.measures import FlatUtility as FlatUtility
from cranfield.measures import DCGU as DCGU
from cranfield.measures import ERRU as ERRU
from cranfield.measures import RBPU as RBPU
from cranfield.measures import iRBU as iRBU
from cranfield.measures import RBU as RBU
from cranfield.measures import nERR as nERR
from cranfield.measures import nRBP as nRBP
from cranfield.measures import niRBU as niRBU
from cranfield.measures import Compat as Compat
from cranfield.measures import P as P
from cranfield.measures import Precision as Precision
from cranfield.measures import R as R
from cranfield.measures import Recall as Recall
from cranfield.measures import F as F
from cranfield.measures import RelativeP as RelativeP
from cranfield.measures import Success as Success
from cranfield.measures import HitRate as HitRate
from cranfield.measures import HR as HR
from cranfield.measures import Hit as Hit
from cranfield.measures import RR as RR
from cranfield.measures import MRR as MRR
from cranfield.measures import Rprec as Rprec
from cranfield.measures import RPrec as RPrec
from cranfield.measures import RprecMult as RprecMult
from cranfield.measures import Bpref as Bpref
from cranfield.measures import BPref as BPref
from cranfield.measures import gmBpref as gmBpref
from cranfield.measures import Accuracy as Accuracy
from cranfield.measures import RP as RP
from cranfield.measures import CRP as CRP
from cranfield.measures import nCRP as nCRP
from cranfield.measures import RHL as RHL
from cranfield.measures import RelativeRelevance as RelativeRelevance
from cranfield.measures import xinfAP as xinfAP
from cranfield.measures import infP as infP
from cranfield.measures import infNumRel as infNumRel
from cranfield.measures import infNDCG as infNDCG
from cranfield.measures import ASL as ASL
from cranfield.measures import ESL as ESL
from cranfield.measures import nRecall as nRecall
from cranfield.measures import SetP as SetP
from cranfield.measures import SetRelP as SetRelP
from cranfield.measures import SetR as SetR
from cranfield.measures import SetF as SetF
from cranfield.measures import SetAP as SetAP
from cranfield.measures import Utility as Utility
from cranfield.measures import SlidingRatio as SlidingRatio
from cranfield.measures import Satisfaction as Satisfaction
from cranfield.measures import Frustration as Frustration
from cranfield.measures import SatisfactionTotal as SatisfactionTotal
from cranfield.measures import alpha_DCG as alpha_DCG
from cranfield.measures import α_DCG as α_DCG
from cranfield.measures import alpha_nDCG as alpha_nDCG
from cranfield.measures import α_nDCG as α_nDCG
from cranfield.measures import ERR_IA as ERR_IA
from cranfield.measures import nERR_IA as nERR_IA
from cranfield.measures import NRBP as NRBP
from cranfield.measures import nNRBP as nNRBP
from cranfield.measures import AP_IA as AP_IA
from cranfield.measures import MAP_IA as MAP_IA
from cranfield.measures import P_IA as P_IA
from cranfield.measures import StRecall as StRecall
from cranfield.measures import Coverage as Coverage
from cranfield.measures import NDCGT as NDCGT
from cranfield.measures import ERRT as ERRT
from cranfield.measures import RRT as RRT
from cranfield.measures import RBPT as RBPT
from cranfield.measures import RelString as RelString
from cranfield.measures import RunID as RunID
from cranfield.measures import RBP as RBP
from cranfield.measures import RBPResidual as RBPResidual
from cranfield.measures import RBPProjected as RBPProjected
from cranfield.measures import INSQ as INSQ
from cranfield.measures import SDCG as SDCG

__version__: str
__all__ = [
    "Agreement",
    "Alterable",
    "Audit",
    "Campaign",
    "Candidates",
    "Changes",
    "Checked",
    "ChunksLike",
    "CollectionComparison",
    "CollectionScores",
    "CombinedLabels",
    "Comparison",
    "Conformity",
    "CranfieldError",
    "Curves",
    "Document",
    "Documents",
    "Estimates",
    "Evaluator",
    "Figure",
    "Findings",
    "Gate",
    "GoldenSet",
    "GroupComparison",
    "InputError",
    "Interleaving",
    "JudgedRuns",
    "Judging",
    "Judgments",
    "KeptScores",
    "Leaderboard",
    "Measure",
    "MeasureError",
    "MeasureNames",
    "Overtaking",
    "QrelsLike",
    "REGISTRY",
    "Reconciled",
    "Report",
    "Reproduction",
    "Review",
    "Runs",
    "RunsLike",
    "SampleGate",
    "Scores",
    "SearchScores",
    "Searches",
    "Since",
    "SpansLike",
    "Status",
    "Trace",
    "WhatIf",
    "Why",
    "agreement",
    "archetypes",
    "calibrate",
    "check",
    "choose",
    "chunks_as_documents",
    "click_intervals",
    "cohen_kappa",
    "combine_judges",
    "compare",
    "compare_all",
    "compare_groups",
    "compare_interleaved",
    "compare_scores",
    "conflate",
    "conform",
    "conventions",
    "correlate",
    "curve",
    "cut",
    "estimate",
    "evaluate",
    "evaluate_all",
    "evidence",
    "experiments",
    "fleiss_kappa",
    "gate",
    "gate_by_sample",
    "gwet_ac",
    "join",
    "judge_clicks",
    "keep",
    "kendall_tau",
    "krippendorff_alpha",
    "leaderboard",
    "load_measures",
    "measure",
    "overlap_of_runs",
    "overtake",
    "parse_measure",
    "parse_measures",
    "percent_agreement",
    "plan_topics",
    "plot",
    "prior_sample",
    "proportional_sample",
    "rbo",
    "read_documents",
    "read_golden",
    "read_qrels",
    "read_run",
    "read_runs",
    "read_scores",
    "read_searches",
    "read_topics",
    "reconcile",
    "records",
    "reference_runs",
    "release",
    "report",
    "reproduce",
    "review",
    "searches",
    "simulate",
    "spans_as_qrels",
    "stop_rules",
    "stratified_sample",
    "tau_ap",
    "ties",
    "to_dict",
    "to_frame",
    "to_tuples",
    "trace",
    "uniform_sample",
    "weighted_sample",
    "what_if",
    "why",
    "write_campaign",
    "write_qrels",
    "write_run",
    "write_suite",
]
