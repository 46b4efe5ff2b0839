import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.serde.types import _DeltaSnapshot

from store import snapshots
from store.snapshots import SMALLEST, SnapshotSerializer


def _stored(name: str) -> tuple[str, bytes]:
    log: list[BaseMessage] = [HumanMessage(f"{name} {n} " + "年付" * 20, id=f"{name}{n}") for n in range(200)]
    calls = [{"name": "search_kb", "args": {"query": name}, "id": "c"}]
    return JsonPlusSerializer().dumps_typed(_DeltaSnapshot([*log, AIMessage("", tool_calls=calls, id="a")]))


def _log(serializer: JsonPlusSerializer, stored: tuple[str, bytes]) -> list[BaseMessage]:
    found: list[BaseMessage] = serializer.loads_typed(stored).value
    return found


def test_a_snapshot_is_decoded_once_and_equals_what_was_stored() -> None:
    stored, serializer = _stored("a"), SnapshotSerializer()
    first, second = (_log(serializer, stored) for _ in range(2))
    assert first == second == _log(JsonPlusSerializer(), stored)
    assert all(one.content is other.content for one, other in zip(first, second, strict=True))


def test_what_a_reader_does_to_its_messages_is_seen_by_nobody_else() -> None:
    stored, serializer = _stored("a"), SnapshotSerializer()
    mine = _log(serializer, stored)
    mine[0].content = "changed"
    mine.pop()
    assert _log(serializer, stored) == _log(JsonPlusSerializer(), stored)


def test_kept_snapshots_are_bounded_and_the_one_not_read_for_longest_goes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    a, b, c = map(_stored, "abc")
    monkeypatch.setattr(snapshots, "MOST", 2 * len(a[1]))
    serializer = SnapshotSerializer()
    kept = {name: _log(serializer, stored)[0].content for name, stored in (("a", a), ("b", b))}
    _log(serializer, a)
    _log(serializer, c)
    assert _log(serializer, a)[0].content is kept["a"]
    assert _log(serializer, b)[0].content is not kept["b"]


@pytest.mark.parametrize(
    "value", [{"text": "x" * SMALLEST}, _DeltaSnapshot({"a": "x" * SMALLEST}), [1, 2], None]
)
def test_everything_else_is_read_as_langgraph_reads_it(value: object) -> None:
    serializer = SnapshotSerializer()
    stored = serializer.dumps_typed(value)
    assert serializer.loads_typed(stored) == serializer.loads_typed(stored) == value
