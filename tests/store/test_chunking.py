from store.chunking import Chunk, chunk_markdown


def cut(text: str) -> list[Chunk]:
    return chunk_markdown(text, doc_id="kb")


def sections(text: str) -> list[str]:
    return [chunk.section for chunk in cut(text)]


def test_a_chunk_carries_the_chain_of_headings_above_it() -> None:
    chunks = cut("# 配送\n\n全国包邮，偏远地区除外。\n\n## 时效\n\n一般两天送达，节假日顺延。\n")
    assert [chunk.section for chunk in chunks] == ["配送", "配送 > 时效"]
    assert [chunk.id for chunk in chunks] == ["kb#1", "kb#2"]
    assert chunks[1].text == "一般两天送达，节假日顺延。"
    assert chunks[1].indexed == "配送 > 时效\n一般两天送达，节假日顺延。"


def test_the_title_stands_in_front_when_the_article_has_no_level_one_heading() -> None:
    [chunk] = chunk_markdown("## Limits\n\nTen seats at most.\n", doc_id="kb", title="Plans")
    assert chunk.section == "Plans > Limits"
