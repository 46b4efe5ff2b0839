"""What the product itself says to a user, without a model."""

from nodes.language import Language
from store.errors import Refusal

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
ANSWER_FROM_PASSAGES: dict[Language, str] = {
    "zh": "请用上面的段落回答：<question>",
    "en": "Answer from the passages above: <question>",
}
ANSWER_IN_LANGUAGE: dict[Language, str] = {"zh": "请用中文回答。", "en": "Answer in English."}
"""What a model is told of a message that is to be answered in another language than its own."""
ACTIONS: dict[str, dict[Language, str]] = {
    "request_refund": {"zh": "退款申请", "en": "refund request"},
    "reissue_invoice": {"zh": "发票重开申请", "en": "request to reissue an invoice"},
}
"""Tools that wait for approval, as users know them; another tool goes by its name."""
WAITS: dict[Language, str] = {
    "zh": "您的{what}已转给工作人员，批准后才会办理，结果会在这里告诉您。",
    "en": "Your {what} waits for a person's approval. The outcome will be said here.",
}
DONE: dict[Language, str] = {
    "zh": "您的{what}已由工作人员批准并办理。{more}",
    "en": "A person has approved your {what}, and it is done. {more}",
}
NOT_DONE: dict[Language, str] = {
    "zh": "您的{what}已由工作人员批准，但没有办成，请联系人工客服。{more}",
    "en": "A person has approved your {what}, but it could not be done. Please contact a person. {more}",
}
REFUSED: dict[Language, str] = {
    "zh": "您的{what}没有获得批准。{more}",
    "en": "Your {what} was not approved. {more}",
}
NOT_POSSIBLE: dict[Language, str] = {
    "zh": "您的{what}没有提交成功，请核对信息后再试，或者让我为您转接人工客服。{more}",
    "en": "Your {what} could not be submitted. Please check the details, or let me pass you to a person. {more}",
}
REFUSALS: dict[Refusal, dict[Language, str]] = {
    "not signed in": {"zh": "原因：您没有登录。", "en": "The reason: you are not signed in."},
    "no subscription": {"zh": "原因：您名下没有订阅。", "en": "The reason: you have no subscription."},
    "no such invoice": {
        "zh": "原因：您名下没有这个号码的发票。",
        "en": "The reason: you have no invoice of that number.",
    },
    "invoice reissued": {
        "zh": "原因：这张发票已经重开过一次。",
        "en": "The reason: this invoice was reissued before.",
    },
    "invoice too old": {
        "zh": "原因：这张发票开具得太久了。",
        "en": "The reason: this invoice was issued too long ago.",
    },
    "one waits": {
        "zh": "原因：您还有一项申请在等待批准。",
        "en": "The reason: another request of yours still waits for approval.",
    },
}
HELD: dict[Language, str] = {
    "zh": "这个对话现在由人工客服处理，您的消息已经转给他们。",
    "en": "A person is handling this conversation; your message has been passed on to them.",
}
HANDED_OVER: dict[Language, str] = {
    "zh": "已为您转接人工客服（工单 {ticket}）。客服会在这个对话里回复您，您可以继续补充情况。",
    "en": "I have passed you to a person (ticket {ticket}). They will answer here; you can add details meanwhile.",
}
FROM_A_PERSON: dict[Language, str] = {"zh": "【人工客服】{text}", "en": "[A person] {text}"}
GIVEN_BACK: dict[Language, str] = {
    "zh": "人工客服已处理完毕，接下来由我继续为您服务。",
    "en": "The person has finished; from here on I am at your service again.",
}
SEARCH_AGAIN: dict[Language, str] = {
    "zh": "上面的段落很可能没有答案。换成帮助中心的说法再检索一次；仍然没有，就说明帮助中心没有写到：<question>",
    "en": "The passages above most likely hold no answer. Search once more in the help centre's words; if that finds "
    "nothing either, say that the help centre does not cover it: <question>",
}
SEARCH_FIRST: dict[Language, str] = {
    "zh": "你还没有查帮助中心。请先调用 search_kb 检索，再根据段落回答。",
    "en": "You have not looked anything up yet. Call search_kb first, then answer from the passages.",
}
