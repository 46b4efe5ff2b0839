import datetime as dt
import os
import sys
from pathlib import Path

import pytest

from store.documents import LARGEST_FILE, Document, Refusal, read_document, read_folder
from store.errors import IngestError


def read(text: str, source: str = "faq/换货.md") -> Document:
    document = read_document(source, text.encode())
    assert isinstance(document, Document)
    return document


def refused(data: bytes) -> Refusal:
    refusal = read_document("a.md", data)
    assert isinstance(refusal, Refusal)
    return refusal


def status(result: Document | Refusal) -> str:
    return result.status if isinstance(result, Refusal) else "warn" if result.warnings else "ok"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: 换货规则\n---\n# 换货\n\n七天。\n", "换货规则"),
        ("## 先看这里\n\n# **换货** `v2`\n\n七天。\n", "换货 v2"),
        ("换货\n====\n\n七天。\n", "换货"),
        ("<h1 align='center'>换货</h1>\n\n七天。\n", "换货"),
        ("## 只有二级\n\n七天。\n", "换货"),
        ("---\ntitle:\n---\n七天。\n", "换货"),
    ],
)
def test_the_title_is_the_front_matters_else_the_first_heading_else_the_file_name(
    text: str, title: str
) -> None:
    assert read(text).title == title


def test_metadata_is_kept() -> None:
    document = read(
        "---\nid: kb-9\ncategory: 售后\nlast_updated: 2025-06-30T08:00:00Z\nstatus: Archived\n---\n七天。\n"
    )
    assert (document.doc_id, document.category, document.body) == ("kb-9", "售后", "七天。\n")
    assert (document.updated, document.deprecated) == (dt.date(2025, 6, 30), True)
    assert document.warnings == ()


def test_without_metadata_the_path_gives_id_and_category() -> None:
    document = read("七天。", source="售后 服务/换货 [新] #1 100%.md")
    assert (document.doc_id, document.category) == ("售后-服务/换货-新-1-100-", "售后 服务")


def test_the_id_is_the_same_on_systems_that_decompose_names() -> None:
    assert read("x", source="e\u0301te\u0301.md").doc_id == read("x", source="été.md").doc_id


def test_a_wrong_date_warns_and_the_article_is_read() -> None:
    document = read("---\nupdated: 2025-13-45\n---\n七天。\n")
    assert (document.updated, len(document.warnings)) == (None, 1)
    assert "2025-13-45" in document.warnings[0]


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_line_ends_make_no_difference(line_end: str) -> None:
    text = "---\ntitle: 换货\n---\n\n## 期限\n\n七天。\n"
    assert read(text.replace("\n", line_end)) == read(text)


def test_a_mark_and_zero_bytes_make_no_difference() -> None:
    assert read("\ufeff---\ntitle: 换\x00货\n---\n七\x00天。\n") == read("---\ntitle: 换货\n---\n七天。\n")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (" \n\t\n\x00\ufeff", "empty"),
        ("---\ntitle: 换货\n---\n \n", "front matter only"),
        ("---\ndraft: true\n---\n七天。\n", "draft"),
        ("+++\ndraft = true\n+++\n七天。\n", "draft"),
        ("---\npublished: false\n---\n七天。\n", "draft"),
    ],
)
def test_what_holds_no_article_is_skipped_with_the_reason(text: str, reason: str) -> None:
    refusal = refused(text.encode())
    assert refusal.status == "skip"
    assert reason in refusal.reason


def test_what_cannot_be_read_is_rejected_with_the_reason() -> None:
    assert refused(b"\xff\xd8\xff\xe0\x00\x10JFIF").status == "reject"
    assert "split it" in refused(b"a" * (LARGEST_FILE + 1)).reason


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".md").write_text(text)


def test_one_bad_file_stops_nothing(tmp_path: Path) -> None:
    write(tmp_path, a="", b__c="七天。", d="---\ntitle: a: b\n---\n七天。")
    (tmp_path / "b" / "bad.txt").write_bytes(b"\xff\xd8\xff\xe0\x00\x10JFIF")
    results = {result.source: status(result) for result in read_folder(tmp_path)}
    assert results == {"a.md": "skip", "d.md": "warn", "b/bad.txt": "reject", "b/c.md": "ok"}


def test_only_articles_are_read(tmp_path: Path) -> None:
    write(tmp_path, a="x", node_modules__b="x")
    for name in (".git/c.md", ".d.md", "e.png", "f.MDX", "g.markdown", "h.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    assert {result.source for result in read_folder(tmp_path)} == {"a.md", "f.MDX", "g.markdown", "h.txt"}


def test_two_files_with_one_id_are_told_apart_by_name(tmp_path: Path) -> None:
    write(tmp_path, a="---\nid: kb-1\n---\nx", b="---\nid: kb-1\n---\ny", c="z")
    first, second, third = read_folder(tmp_path)
    assert isinstance(first, Document)
    assert isinstance(second, Refusal)
    assert second.reason == "its id kb-1 is taken by a.md: give one of them another `id`"
    assert isinstance(third, Document)


def test_links_neither_loop_nor_lead_out(tmp_path: Path) -> None:
    folder = tmp_path / "kb"
    write(folder, sub__a="x")
    write(tmp_path, other="x")
    (folder / "sub" / "loop").symlink_to(folder)
    (folder / "self.md").symlink_to(folder / "self.md")
    (folder / "gone.md").symlink_to(folder / "nowhere.md")
    (folder / "out.md").symlink_to(tmp_path / "other.md")
    results = {result.source: status(result) for result in read_folder(folder)}
    assert results == {"self.md": "reject", "gone.md": "reject", "out.md": "reject", "sub/a.md": "ok"}


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes in folders")
def test_a_named_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    write(tmp_path, b="x")
    os.mkfifo(tmp_path / "a.md")
    results = {result.source: status(result) for result in read_folder(tmp_path)}
    assert results == {"a.md": "reject", "b.md": "ok"}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_name_that_is_not_unicode_is_reported_in_unicode(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xe9t\xe9.md"
    Path(os.fsdecode(path)).write_text("x")
    [result] = read_folder(tmp_path)
    result.source.encode()


def test_a_large_file_is_refused_without_being_read(tmp_path: Path) -> None:
    with (tmp_path / "dump.txt").open("wb") as file:
        file.truncate(LARGEST_FILE * 100)
    [result] = read_folder(tmp_path)
    assert isinstance(result, Refusal)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(IngestError, match="nowhere"):
        list(read_folder(tmp_path / "nowhere"))
