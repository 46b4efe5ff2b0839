"""What number words are worth, in both languages."""

ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
TEENS = (
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
ENGLISH = (
    {word: n for n, word in enumerate(ONES, 1)}
    | {word: n for n, word in enumerate(TEENS, 10)}
    | {word: 10 * n for n, word in enumerate(TENS, 2)}
)
"""Number word to number; those of two words (twenty-five) are the sum of both."""

_DIGITS = {digit: n for n, digit in enumerate("零一二三四五六七八九")} | {"两": 2}
PLACES = {"十": 10, "百": 100, "千": 1000}
HAN_NUMERAL = f"[{''.join([*_DIGITS, *PLACES])}]{{1,9}}"
"""Pattern of a Chinese numeral under ten thousand. It is bounded, for a search tries it at every place of a text."""


def han_value(numeral: str) -> int:
    """Return the number of a Chinese numeral (二十五 → 25).

    Args:
        numeral: of the form of `HAN_NUMERAL`.
    """
    total, digit = 0, 0
    for char in numeral:
        if char in PLACES:
            total, digit = total + (digit or 1) * PLACES[char], 0
        else:
            digit = _DIGITS[char]
    return total + digit
