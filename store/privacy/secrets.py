"""Secrets: passwords, one-time codes, keys and tokens."""

import re
from collections.abc import Iterator

from store.privacy.numbers import Span

_LINK = r"(?:\s|[:：=\"'“”‘’「」`]|是|为|就是|(?:改|换|设置?|重置|更新)(?:成|为)?了?|\bis\b|\bare\b)"

_KEYS = re.compile(
    r"\b(?:LTAI|AKID|AKLT)[A-Za-z0-9]{12,}"
    r"|\bsk-(?:[A-Za-z0-9_-]\s?){20,}"
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"
    r"|\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_\w{30,}|\bglpat-[\w-]{20,}"
    r"|\bxox[abeprs]-[A-Za-z0-9-]{10,}"
    r"|\bAIza[\w-]{30,}"
    r"|\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)"
    r"|(?i:\bbearer)\s+[A-Za-z0-9._~+/=-]{20,}",
    re.DOTALL | re.ASCII,
)
_NAMED_KEY = re.compile(
    rf"(?:密钥|秘钥|令牌|\b(?:api[ _-]?key|secret(?:[ _-]?key)?|access[ _-]?key|token)\b){_LINK}{{0,6}}"
    r"(?P<secret>(?=[^\s]*\d)(?=[^\s]*[A-Za-z])[A-Za-z0-9._~+/=-]{16,})",
    re.IGNORECASE,
)
_PASSWORD = re.compile(
    rf"(?:(?P<glued>密码|口令)|passphrase|\bpass(?:word|code)\b|\bpasswd\b|\bpwd\b|\bPIN\b)(?P<link>{_LINK}{{0,8}})"
    r"(?P<secret>[!-~]{4,64})",
    re.IGNORECASE,
)
_LINKED = re.compile(r"[:：=\"'“”‘’「」`\n]|是|为")
_STATE = re.compile(
    r"(?:not|no|in\w+|un\w+|\w+(?:ed|ing|able)|wrong|correct|right|too|lost|case|reset|page|field|empty|weak|strong"
    r"|policy|manager|protection|change|hint|length|rules?|settings?|forgotten|ok|fine|safe|still)\b[.,;!?]*",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"(?:[验校]证?[码碼]|校验码|动态密?码|动态口令|口令|短信码|识别码|\b(?:verification|one[ -]?time|security|login|sms) (?:pass)?code\b|\bOTP\b"
    r"|\bcode (?:you|they) (?:sent|texted)(?: me)?\b)"
    r"(?:\s|[:：=\"'“”是为,，]|\bis\b|\bwas\b){0,8}(?P<secret>\d(?:[ -]?\d){3,7})(?![\d%位个分秒天次])"
    r"|(?<!\d)(?P<front>\d{4,8})\s*(?:就?是|为|is)\s*(?:\w{0,4}验证码|(?:my|the) (?:\w+ )?code)",
    re.IGNORECASE,
)


def find_secrets(text: str) -> Iterator[Span]:
    """Yield the passwords, one-time codes and keys of a folded text."""
    for match in _KEYS.finditer(text):
        yield match.start(), match.end(), "key"
    for pattern, kind in ((_NAMED_KEY, "key"), (_CODE, "code")):
        for match in pattern.finditer(text):
            yield *match.span("secret" if match["secret"] else "front"), kind
    for match in _PASSWORD.finditer(text):
        if _is_secret(match["link"], match["secret"], bool(match["glued"])):
            begin, end = match.span("secret")
            yield begin, begin + len(text[begin:end].rstrip(",.;?)")), "password"


def _is_secret(link: str, secret: str, glued: bool) -> bool:
    """Tell a password from a word that merely follows.

    It has digits or signs in it, or it is linked to the word for it; Latin letters behind a Chinese one are.
    """
    bare = secret.strip("\"'`.,;:!?()")
    if re.search(r"\d", bare) or re.search(r"[A-Za-z][^A-Za-z\s.,;:!?'\")-]|[^A-Za-z\s]$", bare):
        return True
    linked = glued or _LINKED.search(link) or "is" in link.lower()
    return bool(linked) and not _STATE.fullmatch(secret) and len(bare) > 3  # noqa: PLR2004 - shorter is a word
