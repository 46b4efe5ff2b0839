"""Units of measure in both languages, and what they amount to."""

import re
from fractions import Fraction

_TABLE = (
    ("minute", Fraction(1, 60), "秒 秒钟 second sec"),
    ("minute", Fraction(1), "分钟 minute min"),
    ("minute", Fraction(60), "小时 个小时 钟头 个钟头 hour h hr"),
    ("minute", Fraction(24 * 60), "天 日 day"),
    ("minute", Fraction(7 * 24 * 60), "周 星期 个星期 礼拜 个礼拜 week"),
    ("month", Fraction(1), "个月 月 month"),
    ("month", Fraction(3), "季度 个季度 季 quarter"),
    ("month", Fraction(12), "年 周年 year"),
    ("workday", Fraction(1), "工作日 个工作日 workday business_day working_day"),
    ("yuan", Fraction(1), "元 块钱 ¥ 人民币 yuan rmb cny"),
    ("yuan", Fraction(1, 10), "角 毛"),
    ("dollar", Fraction(1), "$ 美元 美金 dollar usd"),
    ("euro", Fraction(1), "€ 欧元 euro eur"),
    ("pound", Fraction(1), "£ 英镑 gbp"),
    ("cent", Fraction(1, 100), "cent"),
    ("percent", Fraction(1), "% percent per_cent"),
    ("degree", Fraction(1), "°c ° 度 摄氏度 degree"),
    ("kg", Fraction(1), "kg 公斤 千克 kilogram kilo"),
    ("kg", Fraction(1, 1000), "克 gram"),
    ("metre", Fraction(1000), "km 公里 千米 kilometre kilometer"),
    ("metre", Fraction(1), "米 metre meter"),
    ("metre", Fraction(1, 100), "cm 厘米 centimetre centimeter"),
    ("metre", Fraction(1, 1000), "mm 毫米 millimetre millimeter"),
    ("litre", Fraction(1), "升 litre liter"),
    ("", Fraction(1), "岁 周岁"),
    *(
        (unit, Fraction(1), unit)
        for unit in ["kb", "mb", "gb", "tb", "pb", "hz", "khz", "mhz", "ghz", "kw", "kwh"]
    ),
)
UNITS = {
    form.replace("_", " "): (dimension, factor)
    for dimension, factor, forms in _TABLE
    for form in forms.split()
}
"""Surface form to dimension and factor: two quantities of one dimension compare by value × factor."""

CURRENCIES = frozenset({"yuan", "dollar", "euro", "pound"})
MEASURE_WORDS = (
    "个块名次张件册台人位项条页分倍份套封层级档种类笔场节门遍回只双箱盒袋瓶杯车辆间座本部支枚岁字款家"
)
"""Chinese classifiers; with one of them a numeral counts something."""


def _pattern(form: str) -> str:
    plural = r"s?(?![A-Za-z])" if re.search(r"[a-z]\Z", form) else ""
    return re.escape(form).replace(r"\ ", r"\s") + plural


UNIT = "|".join(_pattern(form) for form in sorted(UNITS, key=len, reverse=True))
"""Regular expression of any unit, the longest first."""


def unit_of(surface: str) -> tuple[str, Fraction]:
    """Return dimension and factor of a unit as `UNIT` matched it.

    Args:
        surface: for example `Hours`, `business days`, `个月`.
    """
    form = re.sub(r"\s", " ", surface.lower())
    return UNITS.get(form) or UNITS[form.removesuffix("s")]
