"""The few fixed sentences of the offline model, in both languages."""

from collections.abc import Mapping

from nodes.language import Language

POINTS: Mapping[Language, str] = {"zh": "帮助中心是这样写的：", "en": "This is what the help centre says:"}
QUOTED: Mapping[Language, str] = {
    "zh": "帮助中心是这样写的（英文原文）：",
    "en": "This is what the help centre says (quoted in Chinese):",
}
ASKED_LAST: Mapping[Language, str] = {
    "zh": "您上一句是：「{question}」",
    "en": 'The last thing you said was: "{question}"',
}
MORE: Mapping[Language, str] = {"zh": "也许还有用：", "en": "This may help as well:"}
ABOUT: Mapping[Language, str] = {"zh": "关于「{question}」：", "en": 'About "{question}":'}
