"""What becomes of an answer that the check did not pass: told to the model once, then cut."""

from collections.abc import Mapping, Sequence

from nodes.citations.markers import strip_citations
from nodes.citations.sentences import without_bullet
from nodes.citations.support import Reason
from nodes.citations.verified import CheckedSentence, Verified
from nodes.language import Language

_INTRO: Mapping[Language, str] = {
    "zh": "你刚才的回答里，下面这些句子没有得到所引段落的支持。请只根据 search_kb 返回的段落重写整个回答：改正它们，"
    "或者删掉；每个陈述事实的句子后面写上支持它的段落编号，例如 [{example}]。不要提到这次修改。",
    "en": "In your answer, the sentences below are not supported by the passages that they cite. Write the whole answer"
    " again from the passages that search_kb returned alone: correct these sentences or leave them out, and put the"
    " id of the supporting passage behind every factual sentence, as in [{example}]. Do not mention this correction.",
}
_WHY: Mapping[Language, Mapping[Reason, str]] = {
    "zh": {
        "number": "段落里没有“{detail}”这个数字，或者它说的不是这件事",
        "code": "段落里没有“{detail}”",
        "negation": "段落说的正好相反：“{detail}”",
        "subject": "段落里这一点说的不是这个对象：“{detail}”",
        "overlap": "段落里没有说到：{detail}",
        "uncited": "没有写来源，给出的段落里也找不到",
    },
    "en": {
        "number": "the passage does not have the number “{detail}”, or has it for something else",
        "code": "“{detail}” does not occur in the passage",
        "negation": "the passage says the opposite: “{detail}”",
        "subject": "the passage says this about something else: “{detail}”",
        "overlap": "the passage does not speak of: {detail}",
        "uncited": "no source is given, and none of the passages says it",
    },
}
_UNNAMED: Mapping[Language, str] = {
    "zh": "没有写来源；[{detail}] 里好像有，如果确实是它说的，就把这个编号写在句子后面，否则删掉",
    "en": "no source is given; [{detail}] may say it: if it does, put this id behind the sentence, else leave it out",
}
"""The same where the check found a passage that may say it, and is not sure enough to name it in the model's place."""
_UNKNOWN: Mapping[Language, str] = {
    "zh": "没有给过你这些编号，不能引用：{ids}",
    "en": "These ids were not given to you and cannot be cited: {ids}",
}
_OPEN: Mapping[Language, str] = {
    "zh": "你的回答没有提到用户问的这一点：{question}。请根据段落回答；段落里没有的，就说明没有找到。不要提到这次修改。",
    "en": "Your answer leaves out a question of the user: {question}. Answer it from the passages, or say that you did"
    " not find it. Do not mention this correction.",
}
_ONLY_CITES: Mapping[Language, str] = {
    "zh": "你只写了段落编号。请用完整的句子回答问题，编号写在句子后面。不要提到这次修改。",
    "en": "You wrote ids of passages alone. Answer the question in full sentences, each with its id behind it."
    " Do not mention this correction.",
}


def repaired_prompt(verified: Verified, unanswered: Sequence[str] = ()) -> str:
    """Return what tells a model which sentences to correct and why; empty when nothing is to correct.

    An answer of ids alone, which says nothing, is to be written out.

    Args:
        verified: the checked answer.
        unanswered: questions of the message that it leaves out.
    """
    lang = verified.language
    if verified.only_cites:
        return _ONLY_CITES[lang]
    left_out = [_OPEN[lang].format(question=question) for question in unanswered]
    return "\n".join([*(_corrections(verified) if verified.failing else ()), *left_out])


def _corrections(verified: Verified) -> list[str]:
    lang = verified.language
    lines = [_INTRO[lang].format(example=next(iter(verified.given), "guide-01#1"))]
    for sentence, verdict in verified.failing:
        unnamed = verdict.reason == "uncited" and verdict.detail
        why = (_UNNAMED[lang] if unnamed else _WHY[lang][verdict.reason]).format(detail=verdict.detail)
        lines.append(f"- {without_bullet(strip_citations(sentence.text))}\n  → {why}")
    if unknown := list(dict.fromkeys(id_ for s in verified.sentences for id_ in s.unknown)):
        lines.append(_UNKNOWN[lang].format(ids=", ".join(unknown)))
    return lines


def drop_unsupported(verified: Verified) -> str:
    """Return the answer without the sentences that fail; empty when nothing supported is left.

    A lead-in or a heading goes with the last of what it introduced, and one that led to nothing but ids with them.

    Args:
        verified: the checked answer.
    """
    if not verified.counts["supported"]:
        return ""
    kept: list[str] = []
    introduced: list[CheckedSentence] = []
    for sentence in reversed(verified.sentences):
        gone = all(s.fails for s in introduced) if introduced else bool(sentence.cited)
        idle = sentence.leads and gone
        introduced = [] if sentence.leads else introduced + [sentence] * sentence.factual
        if not sentence.fails and not idle:
            kept.append(sentence.text)
    return "".join(reversed(kept)).strip()
