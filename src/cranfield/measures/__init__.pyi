"""The measures, one class each.

Written by `python -m tools.write_stubs` from what there is at run time: do not edit it.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from cranfield.measures.framework.functions import measure as measure
from cranfield.measures.framework.measure import REGISTRY as REGISTRY
from cranfield.measures.framework.measure import Measure as Measure
from cranfield.measures.framework.parameters import cutoff as cutoff
from cranfield.measures.framework.parameters import level as level
from cranfield.measures.framework.parameters import parameter as parameter
from cranfield.plumbing.arrays import ratio as ratio
from cranfield.measures.adaptive_user_models import INST as _INST
from cranfield.measures.adaptive_user_models import BPM as _BPM
from cranfield.measures.adaptive_user_models import NERR8 as _NERR8
from cranfield.measures.adaptive_user_models import NERR9 as _NERR9
from cranfield.measures.adaptive_user_models import NERR10 as _NERR10
from cranfield.measures.adaptive_user_models import NERR11 as _NERR11
from cranfield.measures.adaptive_user_models import ERR as _ERR
from cranfield.measures.average_precision import AP as _AP
from cranfield.measures.average_precision import gmAP as _gmAP
from cranfield.measures.average_precision import infAP as _infAP
from cranfield.measures.blended_ratio import OMeasure as _OMeasure
from cranfield.measures.blended_ratio import PMeasure as _PMeasure
from cranfield.measures.blended_ratio import PPlus as _PPlus
from cranfield.measures.blended_ratio import NCU as _NCU
from cranfield.measures.blended_ratio import Q as _Q
from cranfield.measures.collection_order import AUC as _AUC
from cranfield.measures.collection_order import Kendall as _Kendall
from cranfield.measures.collection_order import Spearman as _Spearman
from cranfield.measures.cost import Cost as _Cost
from cranfield.measures.cost import GainPerCost as _GainPerCost
from cranfield.measures.counts import NumQ as _NumQ
from cranfield.measures.counts import NumRet as _NumRet
from cranfield.measures.counts import NumRel as _NumRel
from cranfield.measures.counts import NumRelRet as _NumRelRet
from cranfield.measures.counts import NumNonrelJudgedRet as _NumNonrelJudgedRet
from cranfield.measures.cumulated_gain import CG as _CG
from cranfield.measures.cumulated_gain import nCG as _nCG
from cranfield.measures.cumulated_gain import DCG as _DCG
from cranfield.measures.cumulated_gain import nDCG as _nDCG
from cranfield.measures.cumulated_gain_variants import nDCGRel as _nDCGRel
from cranfield.measures.cumulated_gain_variants import Rndcg as _Rndcg
from cranfield.measures.cumulated_gain_variants import G as _G
from cranfield.measures.cumulated_gain_variants import binG as _binG
from cranfield.measures.distraction import MeanUtility as _MeanUtility
from cranfield.measures.distraction import UDCG as _UDCG
from cranfield.measures.effort import BalancePoint as _BalancePoint
from cranfield.measures.effort import Crossings as _Crossings
from cranfield.measures.effort import CrossingRank as _CrossingRank
from cranfield.measures.effort import Recovery as _Recovery
from cranfield.measures.effort import ForwardSum as _ForwardSum
from cranfield.measures.effort import BackwardSum as _BackwardSum
from cranfield.measures.effort import ForwardSpace as _ForwardSpace
from cranfield.measures.effort import BackwardSpace as _BackwardSpace
from cranfield.measures.effort import Space as _Space
from cranfield.measures.effort import Twist as _Twist
from cranfield.measures.effort import gmTwist as _gmTwist
from cranfield.measures.effort_by_clock import PatientTwist as _PatientTwist
from cranfield.measures.effort_by_clock import TimedTwist as _TimedTwist
from cranfield.measures.gain_by_rank import DeltaGain as _DeltaGain
from cranfield.measures.graded_precision import gP as _gP
from cranfield.measures.graded_precision import gR as _gR
from cranfield.measures.graded_precision import gAP as _gAP
from cranfield.measures.graded_precision import GAP as _GAP
from cranfield.measures.information import SystemInformation as _SystemInformation
from cranfield.measures.information import GoldInformation as _GoldInformation
from cranfield.measures.information import JointInformation as _JointInformation
from cranfield.measures.information import OIE as _OIE
from cranfield.measures.interpolated_precision import IPrec as _IPrec
from cranfield.measures.interpolated_precision import IPrecAvg as _IPrecAvg
from cranfield.measures.judged_share import Judged as _Judged
from cranfield.measures.judged_share import Unjudged as _Unjudged
from cranfield.measures.loss_and_recovery import TurnAround as _TurnAround
from cranfield.measures.loss_and_recovery import RegainedAt as _RegainedAt
from cranfield.measures.loss_and_recovery import CRPAt as _CRPAt
from cranfield.measures.loss_and_recovery import RecoveryValue as _RecoveryValue
from cranfield.measures.loss_and_recovery import BalanceRatio as _BalanceRatio
from cranfield.measures.loss_and_recovery import CRPMin as _CRPMin
from cranfield.measures.loss_and_recovery import CRPN as _CRPN
from cranfield.measures.utility import FlatUtility as _FlatUtility
from cranfield.measures.utility import DCGU as _DCGU
from cranfield.measures.utility import ERRU as _ERRU
from cranfield.measures.utility import RBPU as _RBPU
from cranfield.measures.utility import iRBU as _iRBU
from cranfield.measures.utility import RBU as _RBU
from cranfield.measures.normalised_user_models import nERR as _nERR
from cranfield.measures.normalised_user_models import nRBP as _nRBP
from cranfield.measures.normalised_user_models import niRBU as _niRBU
from cranfield.measures.overlap import Compat as _Compat
from cranfield.measures.precision_recall import P as _P
from cranfield.measures.precision_recall import R as _R
from cranfield.measures.precision_recall import F as _F
from cranfield.measures.precision_recall import RelativeP as _RelativeP
from cranfield.measures.precision_recall import Success as _Success
from cranfield.measures.precision_recall import RR as _RR
from cranfield.measures.precision_recall import Rprec as _Rprec
from cranfield.measures.precision_recall import RprecMult as _RprecMult
from cranfield.measures.preference import Bpref as _Bpref
from cranfield.measures.preference import gmBpref as _gmBpref
from cranfield.measures.preference import Accuracy as _Accuracy
from cranfield.measures.relative_position import RP as _RP
from cranfield.measures.relative_position import CRP as _CRP
from cranfield.measures.relative_position import nCRP as _nCRP
from cranfield.measures.relative_relevance import RHL as _RHL
from cranfield.measures.relative_relevance import RelativeRelevance as _RelativeRelevance
from cranfield.measures.sampled_pools import xinfAP as _xinfAP
from cranfield.measures.sampled_pools import infP as _infP
from cranfield.measures.sampled_pools import infNumRel as _infNumRel
from cranfield.measures.sampled_pools import infNDCG as _infNDCG
from cranfield.measures.search_length import ASL as _ASL
from cranfield.measures.search_length import ESL as _ESL
from cranfield.measures.search_length import nRecall as _nRecall
from cranfield.measures.sets import SetP as _SetP
from cranfield.measures.sets import SetRelP as _SetRelP
from cranfield.measures.sets import SetR as _SetR
from cranfield.measures.sets import SetF as _SetF
from cranfield.measures.sets import SetAP as _SetAP
from cranfield.measures.sets import Utility as _Utility
from cranfield.measures.sliding_ratio import SlidingRatio as _SlidingRatio
from cranfield.measures.sliding_ratio import Satisfaction as _Satisfaction
from cranfield.measures.sliding_ratio import Frustration as _Frustration
from cranfield.measures.sliding_ratio import SatisfactionTotal as _SatisfactionTotal
from cranfield.measures.subtopics import alpha_DCG as _alpha_DCG
from cranfield.measures.subtopics import alpha_nDCG as _alpha_nDCG
from cranfield.measures.subtopics import ERR_IA as _ERR_IA
from cranfield.measures.subtopics import nERR_IA as _nERR_IA
from cranfield.measures.subtopics import NRBP as _NRBP
from cranfield.measures.subtopics import nNRBP as _nNRBP
from cranfield.measures.subtopics import AP_IA as _AP_IA
from cranfield.measures.subtopics import P_IA as _P_IA
from cranfield.measures.subtopics import StRecall as _StRecall
from cranfield.measures.subtopics import Coverage as _Coverage
from cranfield.measures.terminal_documents import NDCGT as _NDCGT
from cranfield.measures.terminal_documents import ERRT as _ERRT
from cranfield.measures.terminal_documents import RRT as _RRT
from cranfield.measures.terminal_documents import RBPT as _RBPT
from cranfield.measures.texts import RelString as _RelString
from cranfield.measures.texts import RunID as _RunID
from cranfield.measures.user_models import RBP as _RBP
from cranfield.measures.user_models import RBPResidual as _RBPResidual
from cranfield.measures.user_models import RBPProjected as _RBPProjected
from cranfield.measures.user_models import INSQ as _INSQ
from cranfield.measures.user_models import SDCG as _SDCG

class INST(_INST):
    """What gain per document does a user see who wants T relevant documents, and stops sooner after finding some?"""

    def __init__(
        self,
        *,
        min_rel: float = 0.0,
        max_rel: float | None = None,
        T: float = 1.0,
    ) -> None: ...

class BPM(_BPM):
    """What gain per document does a user see who stops at k documents or a total gain of T?"""

    def __init__(
        self,
        *,
        min_rel: float = 0.0,
        max_rel: float | None = None,
        cutoff: int | None = None,
        T: float = 1.0,
    ) -> None: ...

class NERR8(_NERR8):
    """What gain per document does a user see who stops when satisfied, or at rank k?"""

    def __init__(
        self,
        *,
        min_rel: float = 0.0,
        max_rel: float | None = None,
        cutoff: int | None = None,
    ) -> None: ...

class NERR9(_NERR9):
    """What gain per document does a user see who stops when satisfied, loses patience as 1/i, and ends at rank k?"""

    def __init__(
        self,
        *,
        min_rel: float = 0.0,
        max_rel: float | None = None,
        cutoff: int | None = None,
    ) -> None: ...

class NERR10(_NERR10):
    """What gain per document does a user see who stops when satisfied, and otherwise goes on with probability p?"""

    def __init__(
        self,
        *,
        min_rel: float = 0.0,
        max_rel: float | None = None,
        p: float = 0.9,
    ) -> None: ...

class NERR11(_NERR11):
    """What gain per document does a user see who stops when satisfied, and otherwise goes on as in INSQ?"""

    def __init__(
        self,
        *,
        min_rel: float = 0.0,
        max_rel: float | None = None,
        T: float = 1.0,
    ) -> None: ...

class ERR(_ERR):
    """How soon is a user satisfied who stops at each document with a probability that grows with its grade?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        max_rel: float | None = None,
    ) -> None: ...

class AP(_AP):
    """How early do the relevant documents come, averaged over all of them?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        judged_only: bool = False,
    ) -> None: ...

class gmAP(_gmAP):
    """How early do the relevant documents come, with emphasis on the worst topics?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        judged_only: bool = False,
    ) -> None: ...

class infAP(_infAP):
    """What would AP be if only a random part of the pool was judged?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
    ) -> None: ...

class OMeasure(_OMeasure):
    """How good is the first relevant document, and how early does it come?"""

    def __init__(
        self,
        *,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        cutoff: int | None = None,
        judged_only: bool = False,
        beta: float = 1.0,
    ) -> None: ...

class PMeasure(_PMeasure):
    """How good is the list down to its best document?"""

    def __init__(
        self,
        *,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        cutoff: int | None = None,
        judged_only: bool = False,
        beta: float = 1.0,
    ) -> None: ...

class PPlus(_PPlus):
    """How good is the list at each relevant document down to its best one?"""

    def __init__(
        self,
        *,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        cutoff: int | None = None,
        judged_only: bool = False,
        beta: float = 1.0,
    ) -> None: ...

class NCU(_NCU):
    """What is the expected utility for a user who stops at one of the relevant documents?"""

    def __init__(
        self,
        *,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        cutoff: int | None = None,
        judged_only: bool = False,
        beta: float = 1.0,
        stop: Literal['graded', 'uniform', 'rank-biased'] = 'graded',
        utility: Literal['blended', 'precision'] = 'blended',
        gamma: float = 0.95,
    ) -> None: ...

class Q(_Q):
    """What is the average precision at the relevant documents, blended with the gain so far?"""

    def __init__(
        self,
        *,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        cutoff: int | None = None,
        beta: float = 1.0,
    ) -> None: ...

class AUC(_AUC):
    """How likely is a relevant document to rank above a non-relevant one?"""

    def __init__(
        self,
        *,
        docs: int = 20000,
        rel: float | None = None,
    ) -> None: ...

class Kendall(_Kendall):
    """Are pairs of documents ranked in the order of their grades?"""

    def __init__(
        self,
        *,
        docs: int = 20000,
    ) -> None: ...

class Spearman(_Spearman):
    """How well do the ranks of the documents agree with their ranks by grade?"""

    def __init__(
        self,
        *,
        docs: int = 20000,
    ) -> None: ...

class Cost(_Cost):
    """What does it cost to read the list?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
    ) -> None: ...

class GainPerCost(_GainPerCost):
    """How much does the list gain for what it costs to read?"""

    def __init__(
        self,
        *,
        units: float = 1000.0,
        cutoff: int | None = None,
    ) -> None: ...

class NumQ(_NumQ):
    """How many topics are there?"""

    def __init__(
        self,
    ) -> None: ...

class NumRet(_NumRet):
    """How many documents were retrieved?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
    ) -> None: ...

class NumRel(_NumRel):
    """How many documents are relevant?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
    ) -> None: ...

class NumRelRet(_NumRelRet):
    """How many relevant documents were retrieved?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
    ) -> None: ...

class NumNonrelJudgedRet(_NumNonrelJudgedRet):
    """How many documents judged not relevant were retrieved?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
    ) -> None: ...

class CG(_CG):
    """How much gain does the list bring?"""

    def __init__(
        self,
        *,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        cutoff: int | None = None,
        averaged: bool = False,
        judged_only: bool = False,
    ) -> None: ...

class nCG(_nCG):
    """What share of the best list's gain does this list bring?"""

    def __init__(
        self,
        *,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        cutoff: int | None = None,
        averaged: bool = False,
        judged_only: bool = False,
    ) -> None: ...

class DCG(_DCG):
    """How much gain does the list bring, discounted by rank?"""

    def __init__(
        self,
        *,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        cutoff: int | None = None,
        averaged: bool = False,
        judged_only: bool = False,
        dcg: Literal['log2', 'exp-log2'] = 'log2',
        base: float | None = None,
        from_rank_2: bool = False,
    ) -> None: ...

class nDCG(_nDCG):
    """What share of the best list's gain does this list bring, discounted by rank?"""

    def __init__(
        self,
        *,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        cutoff: int | None = None,
        averaged: bool = False,
        judged_only: bool = False,
        dcg: Literal['log2', 'exp-log2'] = 'log2',
        base: float | None = None,
        from_rank_2: bool = False,
    ) -> None: ...

class nDCGRel(_nDCGRel):
    """What is the mean nDCG at the relevant documents?"""

    def __init__(
        self,
        *,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
    ) -> None: ...

class Rndcg(_Rndcg):
    """What is the mean nDCG at the ranks where the ideal list's gain falls?"""

    def __init__(
        self,
        *,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        rel: float | None = None,
    ) -> None: ...

class G(_G):
    """What share of the gain does the list bring, if each document is discounted by the gain missed above it?"""

    def __init__(
        self,
        *,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
    ) -> None: ...

class binG(_binG):
    """How early do the relevant documents come, if each is discounted by the non-relevant ones above it?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
    ) -> None: ...

class MeanUtility(_MeanUtility):
    """What is a passage of the list worth on average, if distracting ones harm?"""

    def __init__(
        self,
        *,
        harm: float = 0.3333333333333333,
        cutoff: int | None = None,
    ) -> None: ...

class UDCG(_UDCG):
    """How well does the list serve a language model, which reads all of it and is misled by distracting passages?"""

    def __init__(
        self,
        *,
        harm: float = 0.3333333333333333,
        cutoff: int | None = None,
    ) -> None: ...

class BalancePoint(_BalancePoint):
    """At which rank has the list recovered its early losses?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        judged_only: bool = False,
        crossing: Literal['return', 'definition', 'matters'] = 'return',
    ) -> None: ...

class Crossings(_Crossings):
    """How often does the cumulated relative position return to 0?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        judged_only: bool = False,
        crossing: Literal['return', 'definition', 'matters'] = 'return',
    ) -> None: ...

class CrossingRank(_CrossingRank):
    """At which rank does the cumulated relative position return to 0?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        judged_only: bool = False,
        crossing: Literal['return', 'definition', 'matters'] = 'return',
        nth: int = 1,
    ) -> None: ...

class Recovery(_Recovery):
    """How close to the end of the recall base does the list recover its early losses?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        judged_only: bool = False,
        crossing: Literal['return', 'definition', 'matters'] = 'return',
    ) -> None: ...

class ForwardSum(_ForwardSum):
    """By how many ranks in total are documents too late?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        judged_only: bool = False,
    ) -> None: ...

class BackwardSum(_BackwardSum):
    """By how many ranks in total are documents too early?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        judged_only: bool = False,
    ) -> None: ...

class ForwardSpace(_ForwardSpace):
    """How little does the list place documents too late, compared with the worst case?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        judged_only: bool = False,
    ) -> None: ...

class BackwardSpace(_BackwardSpace):
    """How little does the list place documents too early, compared with the worst case?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        judged_only: bool = False,
    ) -> None: ...

class Space(_Space):
    """What share of the possible detours does the list spare its user?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        judged_only: bool = False,
    ) -> None: ...

class Twist(_Twist):
    """How little avoidable effort does the list cost its user?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        judged_only: bool = False,
        crossing: Literal['return', 'definition', 'matters'] = 'return',
    ) -> None: ...

class gmTwist(_gmTwist):
    """What is the average Twist, with emphasis on the topics that cost the most effort?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        judged_only: bool = False,
        crossing: Literal['return', 'definition', 'matters'] = 'return',
    ) -> None: ...

class PatientTwist(_PatientTwist):
    """How little avoidable effort does the list cost a user who sees lower ranks less often?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        judged_only: bool = False,
        p: float = 0.95,
    ) -> None: ...

class TimedTwist(_TimedTwist):
    """How little avoidable effort does the list cost its user, measured as time?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        judged_only: bool = False,
        t: float = 2.0,
    ) -> None: ...

class DeltaGain(_DeltaGain):
    """How much more or less does the document at rank k gain than the ideal list's document there?"""

    def __init__(
        self,
        *,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        cutoff: int | None = None,
        judged_only: bool = False,
    ) -> None: ...

class gP(_gP):
    """How relevant are the first k documents, on average?"""

    def __init__(
        self,
        *,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        cutoff: int | None = None,
        judged_only: bool = False,
    ) -> None: ...

class gR(_gR):
    """What share of the total relevance was retrieved?"""

    def __init__(
        self,
        *,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        cutoff: int | None = None,
        judged_only: bool = False,
    ) -> None: ...

class gAP(_gAP):
    """How relevant is the list down to each relevant document, on average?"""

    def __init__(
        self,
        *,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        cutoff: int | None = None,
        judged_only: bool = False,
    ) -> None: ...

class GAP(_GAP):
    """What is AP on average over users with different thresholds of relevance?"""

    def __init__(
        self,
        *,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        cutoff: int | None = None,
        judged_only: bool = False,
    ) -> None: ...

class SystemInformation(_SystemInformation):
    """How much information does the list give about the documents, right or wrong?"""

    def __init__(
        self,
        *,
        docs: int = 20000,
    ) -> None: ...

class GoldInformation(_GoldInformation):
    """How much information do the judgments give about the documents?"""

    def __init__(
        self,
        *,
        docs: int = 20000,
    ) -> None: ...

class JointInformation(_JointInformation):
    """How much information do list and judgments give together (less if they agree)?"""

    def __init__(
        self,
        *,
        docs: int = 20000,
    ) -> None: ...

class OIE(_OIE):
    """How well do list and judgments agree in what they tell, for a list that tells no more than it knows?"""

    def __init__(
        self,
        *,
        docs: int = 20000,
        beta: float = 1.05,
    ) -> None: ...

class IPrec(_IPrec):
    """What is the highest precision at or above this recall?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
        judged_only: bool = False,
        rounding: Literal['trec9', 'trec10'] = 'trec9',
        recall: float | None = None,
    ) -> None: ...

class IPrecAvg(_IPrecAvg):
    """What is the interpolated precision, averaged over levels of recall?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
        judged_only: bool = False,
        rounding: Literal['trec9', 'trec10'] = 'trec9',
        levels: tuple[float, ...] | list[float] = ...,
    ) -> None: ...

class Judged(_Judged):
    """What share of the top documents was judged?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
    ) -> None: ...

class Unjudged(_Unjudged):
    """What share of the top k ranks holds an unjudged document?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
    ) -> None: ...

class TurnAround(_TurnAround):
    """At which rank is the list's loss largest?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        judged_only: bool = False,
    ) -> None: ...

class RegainedAt(_RegainedAt):
    """At which rank has the list regained its loss?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        judged_only: bool = False,
        whose: Literal['run', 'full-scale'] = 'run',
    ) -> None: ...

class CRPAt(_CRPAt):
    """How far from the ideal run is the list at a point of its own curve?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        judged_only: bool = False,
        whose: Literal['run', 'full-scale'] = 'run',
        point: Literal['recall-base', 'turn-around', 'end'] = 'recall-base',
    ) -> None: ...

class RecoveryValue(_RecoveryValue):
    """How close to the end of the recall base has the list regained its loss (the 2012 indicator)?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        judged_only: bool = False,
        whose: Literal['run', 'full-scale'] = 'run',
    ) -> None: ...

class BalanceRatio(_BalanceRatio):
    """How much earlier than the reversed ideal list has the list regained its loss?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        judged_only: bool = False,
    ) -> None: ...

class CRPMin(_CRPMin):
    """How little had the list lost at its lowest point, compared with the reversed ideal list at that rank?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        judged_only: bool = False,
    ) -> None: ...

class CRPN(_CRPN):
    """How far below the end of the full-scale run does the cumulated relative position of the list end?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        judged_only: bool = False,
    ) -> None: ...

class FlatUtility(_FlatUtility):
    """What is the list worth, if relevant documents bring gain and every document costs effort?"""

    def __init__(
        self,
        *,
        e: float = 0.05,
        per: Literal['document', 'cost'] = 'document',
    ) -> None: ...

class DCGU(_DCGU):
    """What is the list worth, if every document costs effort and both gain and effort are discounted by rank?"""

    def __init__(
        self,
        *,
        e: float = 0.05,
        per: Literal['document', 'cost'] = 'document',
    ) -> None: ...

class ERRU(_ERRU):
    """How soon is a user satisfied, less the effort of every document in the list?"""

    def __init__(
        self,
        *,
        e: float = 0.05,
        per: Literal['document', 'cost'] = 'document',
    ) -> None: ...

class RBPU(_RBPU):
    """How much does a user gain who goes on with probability p, less the effort of every document in the list?"""

    def __init__(
        self,
        *,
        e: float = 0.05,
        per: Literal['document', 'cost'] = 'document',
        p: float = 0.8,
    ) -> None: ...

class iRBU(_iRBU):
    """How much does a user gain who stops when satisfied, and otherwise goes on with probability p?"""

    def __init__(
        self,
        *,
        p: float = 0.8,
        mode: Literal['paper', 'ntcir'] = 'paper',
    ) -> None: ...

class RBU(_RBU):
    """How much does a user gain who stops when satisfied or with probability 1 - p, less the effort of every document?"""

    def __init__(
        self,
        *,
        p: float = 0.8,
        mode: Literal['paper', 'ntcir'] = 'paper',
        e: float = 0.05,
        per: Literal['document', 'cost'] = 'document',
    ) -> None: ...

class nERR(_nERR):
    """How soon is a user satisfied, relative to the best list?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
    ) -> None: ...

class nRBP(_nRBP):
    """How much does a user gain who goes on with probability p, relative to the best list?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        p: float = 0.8,
    ) -> None: ...

class niRBU(_niRBU):
    """How much does a user gain who stops when satisfied or with probability 1 - p, relative to the best list?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        p: float = 0.8,
        mode: Literal['paper', 'ntcir'] = 'paper',
    ) -> None: ...

class Compat(_Compat):
    """How much does the list overlap with the ideal list it is closest to, weighted towards the top?"""

    def __init__(
        self,
        *,
        p: float = 0.95,
        normalize: bool = True,
    ) -> None: ...

class P(_P):
    """What share of the first k documents is relevant?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        judged_only: bool = False,
    ) -> None: ...

class R(_R):
    """What share of the relevant documents is among the first k?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        judged_only: bool = False,
    ) -> None: ...

class F(_F):
    """How good are precision and recall of the first k documents combined?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        judged_only: bool = False,
        beta: float = 1.0,
    ) -> None: ...

class RelativeP(_RelativeP):
    """What share of the best possible number of relevant documents is among the first k?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        judged_only: bool = False,
    ) -> None: ...

class Success(_Success):
    """Is there a relevant document among the first k?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        judged_only: bool = False,
    ) -> None: ...

class RR(_RR):
    """How early does the first relevant document come?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        judged_only: bool = False,
    ) -> None: ...

class Rprec(_Rprec):
    """What share of the first R documents is relevant, R being the number of relevant documents?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
        judged_only: bool = False,
    ) -> None: ...

class RprecMult(_RprecMult):
    """What share of the first m·R documents is relevant?"""

    def __init__(
        self,
        *,
        multiple: float | None = None,
        rel: float | None = None,
        judged_only: bool = False,
    ) -> None: ...

class Bpref(_Bpref):
    """How rarely does a document judged not relevant rank above a relevant one?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
    ) -> None: ...

class gmBpref(_gmBpref):
    """How rarely does a document judged not relevant rank above a relevant one, with emphasis on the worst topics?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
    ) -> None: ...

class Accuracy(_Accuracy):
    """How often does a relevant document in the list precede a non-relevant one?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
    ) -> None: ...

class RP(_RP):
    """How far is the document at rank k from the ideal ranks of its grade?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        judged_only: bool = False,
    ) -> None: ...

class CRP(_CRP):
    """How far is the list from the ideal run, summed over the documents down to rank k?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        judged_only: bool = False,
    ) -> None: ...

class nCRP(_nCRP):
    """Where does the cumulated relative position at rank k lie between the least and the largest of the full-scale run?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        judged_only: bool = False,
        N: int = 1000,
    ) -> None: ...

class RHL(_RHL):
    """At which rank has the list delivered half of its gain?"""

    def __init__(
        self,
        *,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        cutoff: int | None = None,
        judged_only: bool = False,
    ) -> None: ...

class RelativeRelevance(_RelativeRelevance):
    """How well does the system's relevance of the retrieved documents match the assessor's?"""

    def __init__(
        self,
        *,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
        cutoff: int | None = None,
        weights: Literal['equal', 'reciprocal'] = 'equal',
        judged_only: bool = False,
    ) -> None: ...

class xinfAP(_xinfAP):
    """What would AP be if a random part of each stratum of the pool was judged?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
        smoothing: Literal['paper', 'sample_eval'] = 'paper',
    ) -> None: ...

class infP(_infP):
    """What would P be if a random part of each stratum of the pool was judged?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
        smoothing: Literal['paper', 'sample_eval'] = 'paper',
        cutoff: int | None = None,
    ) -> None: ...

class infNumRel(_infNumRel):
    """How many documents of the pool are relevant by estimate, if a random part of each stratum was judged?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
    ) -> None: ...

class infNDCG(_infNDCG):
    """What would nDCG be if a random part of each stratum of the pool was judged?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
    ) -> None: ...

class ASL(_ASL):
    """What is the average rank of a relevant document?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
        judged_only: bool = False,
        docs: int | None = None,
    ) -> None: ...

class ESL(_ESL):
    """How many documents must be examined to find the wanted number of relevant ones?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
        judged_only: bool = False,
        docs: int | None = None,
        wanted: int = 1,
        count: Literal['examined', 'not relevant'] = 'examined',
    ) -> None: ...

class nRecall(_nRecall):
    """How near to the top of the collection do the relevant documents rank?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
        judged_only: bool = False,
        docs: int | None = None,
    ) -> None: ...

class SetP(_SetP):
    """What share of the retrieved documents is relevant?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
        judged_only: bool = False,
        relative: bool = False,
    ) -> None: ...

class SetRelP(_SetRelP):
    """What share of the relevant documents that fit in the list was retrieved?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
        judged_only: bool = False,
    ) -> None: ...

class SetR(_SetR):
    """What share of the relevant documents was retrieved?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
        judged_only: bool = False,
    ) -> None: ...

class SetF(_SetF):
    """How good are precision and recall of the retrieved set combined?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
        judged_only: bool = False,
        beta: float = 1.0,
    ) -> None: ...

class SetAP(_SetAP):
    """How good are precision and recall of the retrieved set, multiplied?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
        judged_only: bool = False,
    ) -> None: ...

class Utility(_Utility):
    """What is the retrieved set worth, if each kind of document has a price?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
        judged_only: bool = False,
        a: float = 1.0,
        b: float = -1.0,
        c: float = 0.0,
        d: float = 0.0,
        docs: int = 0,
    ) -> None: ...

class SlidingRatio(_SlidingRatio):
    """What share of the gain that the retrieved documents could bring in the first k ranks do they bring?"""

    def __init__(
        self,
        *,
        rank: int | None = None,
        judged_only: bool = False,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
    ) -> None: ...

class Satisfaction(_Satisfaction):
    """What share of the relevance that the retrieved documents could show in the first k ranks do they show?"""

    def __init__(
        self,
        *,
        rank: int | None = None,
        judged_only: bool = False,
        rel: float | None = None,
    ) -> None: ...

class Frustration(_Frustration):
    """What share of the frustrating documents possible in the first k ranks is there?"""

    def __init__(
        self,
        *,
        rank: int | None = None,
        judged_only: bool = False,
        rel: float | None = None,
    ) -> None: ...

class SatisfactionTotal(_SatisfactionTotal):
    """Does the list satisfy more than it frustrates in the first k ranks?"""

    def __init__(
        self,
        *,
        rank: int | None = None,
        judged_only: bool = False,
        rel: float | None = None,
        weight: float = 0.5,
    ) -> None: ...

class alpha_DCG(_alpha_DCG):
    """How much that is new do the first k documents say, discounted by rank, of the most that any could say?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
        vital: bool = False,
        weighted: bool = False,
        judged_only: bool = False,
        alpha: float = 0.5,
        cutoff: int | None = None,
    ) -> None: ...

class alpha_nDCG(_alpha_nDCG):
    """How much that is new do the first k documents say, discounted by rank, of what the best list says?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
        vital: bool = False,
        weighted: bool = False,
        judged_only: bool = False,
        alpha: float = 0.5,
        cutoff: int | None = None,
    ) -> None: ...

class ERR_IA(_ERR_IA):
    """How soon is a user satisfied who wants one of the subtopics, by the first k documents, of the most possible?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
        vital: bool = False,
        weighted: bool = False,
        judged_only: bool = False,
        alpha: float = 0.5,
        cutoff: int | None = None,
    ) -> None: ...

class nERR_IA(_nERR_IA):
    """How soon is a user satisfied who wants one of the subtopics, as a share of what the best list does?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
        vital: bool = False,
        weighted: bool = False,
        judged_only: bool = False,
        alpha: float = 0.5,
        cutoff: int | None = None,
    ) -> None: ...

class NRBP(_NRBP):
    """How much that is new does a user see who goes on with probability beta?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
        vital: bool = False,
        weighted: bool = False,
        judged_only: bool = False,
        alpha: float = 0.5,
        beta: float = 0.5,
    ) -> None: ...

class nNRBP(_nNRBP):
    """How much that is new does a user see who goes on with probability beta, as a share of the best list?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
        vital: bool = False,
        weighted: bool = False,
        judged_only: bool = False,
        alpha: float = 0.5,
        beta: float = 0.5,
    ) -> None: ...

class AP_IA(_AP_IA):
    """How good is the average precision for one of the subtopics, on average over them?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
        vital: bool = False,
        weighted: bool = False,
        judged_only: bool = False,
    ) -> None: ...

class P_IA(_P_IA):
    """What share of the first k documents is relevant to one of the subtopics, on average over them?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
        vital: bool = False,
        weighted: bool = False,
        judged_only: bool = False,
        cutoff: int | None = None,
    ) -> None: ...

class StRecall(_StRecall):
    """What share of the subtopics that have a document do the first k documents cover?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
        vital: bool = False,
        weighted: bool = False,
        judged_only: bool = False,
        cutoff: int | None = None,
    ) -> None: ...

class Coverage(_Coverage):
    """What share of all subtopics, or nuggets, do the first k documents cover?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
        vital: bool = False,
        weighted: bool = False,
        judged_only: bool = False,
        cutoff: int | None = None,
    ) -> None: ...

class NDCGT(_NDCGT):
    """What share of the best list's gain does the list bring, if it ends with a document as good as what was found?"""

    def __init__(
        self,
    ) -> None: ...

class ERRT(_ERRT):
    """How soon is a user satisfied, if the list ends with a document as satisfying as what was found?"""

    def __init__(
        self,
    ) -> None: ...

class RRT(_RRT):
    """At which rank is the first relevant document, if a list for a question without an answer ends with one?"""

    def __init__(
        self,
        *,
        rel: float | None = None,
    ) -> None: ...

class RBPT(_RBPT):
    """How much does a user gain who goes on with probability p, if the list ends with a document as good as it was?"""

    def __init__(
        self,
        *,
        p: float = 0.8,
    ) -> None: ...

class RelString(_RelString):
    """Which grades are at the top of the list?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
    ) -> None: ...

class RunID(_RunID):
    """What is the name of the run?"""

    def __init__(
        self,
    ) -> None: ...

class RBP(_RBP):
    """What gain per document does a user see who goes on to the next one with probability p?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        p: float = 0.8,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
    ) -> None: ...

class RBPResidual(_RBPResidual):
    """How much could unjudged documents still add to RBP?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        p: float = 0.8,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
    ) -> None: ...

class RBPProjected(_RBPProjected):
    """What would RBP be if unjudged documents gained as much as judged ones?"""

    def __init__(
        self,
        *,
        cutoff: int | None = None,
        p: float = 0.8,
        rel: float | None = None,
        gains: Mapping[int, float] | Mapping[float, float] | None = None,
    ) -> None: ...

class INSQ(_INSQ):
    """What gain per document does a user see who expects to find T relevant documents?"""

    def __init__(
        self,
        *,
        min_rel: float = 0.0,
        max_rel: float | None = None,
        T: float = 1.0,
    ) -> None: ...

class SDCG(_SDCG):
    """How close is the discounted gain to that of k perfect documents?"""

    def __init__(
        self,
        *,
        min_rel: float = 0.0,
        max_rel: float | None = None,
        cutoff: int | None = None,
    ) -> None: ...

MAP = AP
GMAP = gmAP
NDCG = nDCG
Precision = P
Recall = R
HitRate = Success
HR = Success
Hit = Success
MRR = RR
RPrec = Rprec
BPref = Bpref
α_DCG = alpha_DCG
α_nDCG = alpha_nDCG
MAP_IA = AP_IA
