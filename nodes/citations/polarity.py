"""Does a clause affirm or deny? Words of negation and of limits in both languages, of no domain."""

import re

_NEUTRAL = re.compile(
    r"有没有|能不能|是不是|可不可以|会不会|不过|不仅|不但|不论|无论|不管|不同|不久|除非|非常|不得不"
    r"|[不未没](?:得|能|可|会)?(?:超过|少于|多于|低于|高于|早于|晚于|足|满|到|等)"
    r"|\bnot only\b|\bno(?:t)? (?:later|earlier|more|less|fewer) than\b|\bno matter\b|\bwhether or not\b"
    r"|\bat no (?:extra |additional |further )?(?:cost|charge|fee)s?",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"不|没|无|未|勿|缺|禁止|严禁|拒|非|n't\b"
    r"|\b(?:not?|never|none|nobody|nothing|neither|nor|without|cannot|unable|lacks?|exclude[sd]?|excluding|forbidden|prohibited)\b",
    re.IGNORECASE,
)
_LIMITS = re.compile(r"只|仅|唯一|\bonly\b|\bexclusively\b", re.IGNORECASE)
_EITHER = re.compile(r"免|除|\bexcept\w*|\bunless\b|\bfree\b|\bcomplimentary\b", re.IGNORECASE)
_SUPPOSES = re.compile(
    r"^\W*(?:如果?|若|假如|当(?![天日月年前地次])|一旦|if|when|whenever|once|unless|as soon as|in case)|(?:的话|时|的)\W*$",
    re.IGNORECASE,
)


def denies(clause: str) -> bool:
    """Tell whether a clause denies something."""
    return bool(_DENIES.search(_NEUTRAL.sub("", clause)))


def limit(clause: str) -> re.Match[str] | None:
    """Return the word that limits what a clause says to some (only, 仅)."""
    return _LIMITS.search(clause)


def supposes(clause: str) -> bool:
    """Tell whether a clause only names a condition."""
    return bool(_SUPPOSES.search(clause))


def oppose(one: str, other: str) -> bool:
    """Tell whether one clause affirms what the other denies, given that they speak of the same thing.

    Words that work either way (free, 免, except) must stand in both or in neither.
    """
    open_ = {m.lower() for m in _EITHER.findall(one)} != {m.lower() for m in _EITHER.findall(other)}
    return not open_ and denies(one) != denies(other)


_OPPOSITES = tuple(
    (re.compile(a, re.IGNORECASE), re.compile(b, re.IGNORECASE))
    for a, b in (
        (r"前", r"后"),
        (r"\bbefore\b", r"\bafter\b"),
        (
            r"最[多高长大晚]|不超过|\bat most\b|\bup to\b|\bmaximum\b|\bno more than\b",
            r"最[少低短小早]|至少|\bat least\b|\bminimum\b",
        ),
        (
            r"以下|低于|少于|不足|不满|未超过|未满|\bunder\b|\bbelow\b|\bless than\b",
            r"以上|高于|多于|(?<![未不])超过|(?<![未不])满\s?\d|\babove\b|\bmore than\b",
        ),
        (r"[当同]天|当日", r"次日|第二天"),
        (r"\bstop", r"\bkeep|\bcontinue|\bstart"),
        (r"(?<![离下])线上|\bonline\b", r"线下|\boffline\b"),
    )
)


def reverse(one: str, other: str) -> bool:
    """Tell whether one clause has a word of order or measure where the other has its opposite (before, after)."""
    for pair in _OPPOSITES:
        for a, b in (pair, pair[::-1]):
            if a.search(one) and b.search(other) and not b.search(one) and not a.search(other):
                return True
    return False
