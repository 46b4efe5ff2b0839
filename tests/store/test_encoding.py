import pytest

from store.encoding import decode

CHINESE = "# 换货\n\n商品签收后七天内可以换货，运费由我们承担。请在订单页面提交申请。\n"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "gbk", "gb18030"]
)
def test_chinese_is_read_in_every_encoding_that_is_supported(encoding: str) -> None:
    assert decode(CHINESE.encode(encoding)).text == CHINESE


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_english_in_unmarked_utf16_is_not_taken_for_utf8(encoding: str) -> None:
    assert decode("Press Save.\n".encode(encoding)).text == "Press Save.\n"


def test_emoji_and_symbols_do_not_spoil_gb18030() -> None:
    assert decode("✅ 支持 🎉 ✅".encode("gb18030")).text == "✅ 支持 🎉 ✅"


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("big5", "# 換貨\n\n商品簽收後七天內可以換貨，運費由我們承擔。請在訂單頁面提交申請。\n"),
        ("shift_jis", "# 交換\n\n商品の到着から七日以内であれば、交換することができます。\n"),
        ("euc_kr", "# 교환\n\n상품을 받은 날부터 칠 일 안에 교환할 수 있습니다. 배송비는 무료입니다.\n"),
        ("cp1251", "# Обмен\n\nТовар можно обменять в течение семи дней.\n"),
        ("cp1250", "# Wymiana\n\nProdukt można wymienić w ciągu siedmiu dni.\n"),
        ("cp1252", "# Échange\n\nL’échange est possible dans les sept jours.\n"),
    ],
)
def test_other_encodings_are_refused_rather_than_guessed(encoding: str, text: str) -> None:
    decoded = decode(text.encode(encoding))
    assert decoded.text is None
    assert "save it as UTF-8" in decoded.problem


def test_a_broken_character_costs_itself_and_a_warning() -> None:
    decoded = decode(CHINESE.encode()[:-2])
    assert decoded.text == CHINESE[:-2]
    assert "1 places are not UTF-8" in decoded.problem


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", bytes(range(1, 32)) * 4])
def test_what_is_not_text_is_refused(data: bytes) -> None:
    assert decode(data).text is None


def test_zero_bytes_do_not_make_text_utf16() -> None:
    assert decode(b"A key\x00 lives 90 days.\x00\n").text == "A key\x00 lives 90 days.\x00\n"
