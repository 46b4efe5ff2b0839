"""Decoded snapshots of long threads: what a turn reads anew at every start though it has not changed."""

from collections import OrderedDict
from copy import copy
from hashlib import sha256
from threading import Lock
from typing import Any

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.serde.types import _DeltaSnapshot

SMALLEST = 16_384
"""Bytes of a stored snapshot from which on it is kept."""
MOST = 4 * 1_048_576
"""Bytes of all stored snapshots of which the decoded form, which takes more, is kept."""


class SnapshotSerializer(JsonPlusSerializer):
    """LangGraph's serializer, which decodes a snapshot of a log once and not at every turn.

    A ``DeltaChannel`` stores its whole value now and then, and a turn decodes all its messages again: at 200 turns
    that is what most of a turn's own time goes into. A snapshot never changes, so its bytes stand for it. Readers
    get copies, one level deep: whoever sets a message's field changes their own.
    """

    def __init__(self) -> None:
        super().__init__()
        self._kept: OrderedDict[bytes, tuple[list[Any], int]] = OrderedDict()
        self._lock = Lock()  # a server may read threads in several event loops

    def loads_typed(self, data: tuple[str, bytes]) -> Any:  # as LangGraph declares it
        """Return what was stored, from memory if it is a snapshot that was read before.

        Args:
            data: the type that LangGraph's serializer gave it, and its bytes.
        """
        kind, blob = data
        if kind != "msgpack" or len(blob) < SMALLEST:
            return super().loads_typed(data)
        key = sha256(blob).digest()
        if (kept := self._find(key)) is None:
            found = super().loads_typed(data)
            if not (isinstance(found, _DeltaSnapshot) and isinstance(found.value, list)):
                return found
            kept = found.value
            self._keep(key, kept, len(blob))
        return _DeltaSnapshot([copy(each) for each in kept])

    def _find(self, key: bytes) -> list[Any] | None:
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def _keep(self, key: bytes, value: list[Any], size: int) -> None:
        """Keep a value; those that were not asked for the longest go, down to `MOST`."""
        with self._lock:
            self._kept[key] = (value, size)
            while sum(each for _, each in self._kept.values()) > MOST:
                self._kept.popitem(last=False)


SERIALIZER = SnapshotSerializer()
"""The one of all savers of a process: some are made for one request or one reading only."""
