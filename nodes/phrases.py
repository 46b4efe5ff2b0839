"""What the product itself says to a user, without a model."""

from nodes.language import Language

NOT_FOUND: dict[Language, str] = {
    "zh": "帮助中心没有写到这个问题，我不能凭空回答。需要我把您转给人工客服吗？",
    "en": "The help centre does not cover this, and I will not guess. Shall I pass you to a person?",
}
OPEN_POINT: dict[Language, str] = {
    "zh": "关于「{question}」，我没有在帮助中心找到答案。需要我为您转接人工客服吗？",
    "en": 'About "{question}" I found no answer in the help centre. Shall I pass you to a person?',
}
ASK_BACK: dict[Language, str] = {
    "zh": "请问您想了解什么？写一句完整的问题，我就可以帮您查。",
    "en": "What would you like to know? Write it as a full question and I will look it up.",
}
UNFINISHED: dict[Language, str] = {
    "zh": "这个问题我查了几步还没有查清楚，不想凭空回答。需要我把您转给人工客服吗？",
    "en": "I looked in several places and could not settle this, and I will not guess. Shall I pass you to a person?",
}
ANSWER_FROM_PASSAGES: dict[Language, str] = {
    "zh": "请用上面的段落回答：<question>",
    "en": "Answer from the passages above: <question>",
}
