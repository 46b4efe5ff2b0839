from graph.cli.footnotes import Footnotes

LONG, OTHER = "docs/how-to/advanced/authentication#2", "docs/how-to/advanced/backup#11"


def test_long_ids_are_numbered_in_order_and_short_ones_stay() -> None:
    notes = Footnotes()
    assert notes.shorten(f"Twice. [{LONG}] Yes. [kb-002#2]") == "Twice. [#1] Yes. [kb-002#2]"
    assert notes.shorten(f"Daily. [{OTHER}, {LONG}] [1]") == "Daily. [#2][#1] [1]"
    assert [notes.explained(one) for one in (LONG, OTHER, "kb-002#2")] == [
        f"[#1] {LONG}:",
        f"[#2] {OTHER}:",
        "[kb-002#2]",
    ]
