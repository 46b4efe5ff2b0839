"""Replies of a live model, kept by the content of their requests, so that a run that stopped goes on where it was."""

import json
import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from langchain_core.caches import BaseCache
from langchain_core.messages import message_to_dict, messages_from_dict
from langchain_core.outputs import ChatGeneration, Generation

_CHANCE = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""Ids made by chance: they differ from run to run and mean nothing to the model."""


class Replies(BaseCache):
    """A cache of model replies in JSON Lines, each written as soon as it is there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        self._kept: dict[str, list[dict[str, Any]]] = dict(_whole(lines))

    def lookup(self, prompt: str, llm_string: str) -> list[Generation] | None:
        """Return the reply to a request that was made before."""
        kept = self._kept.get(_key(prompt, llm_string))
        return [ChatGeneration(message=message) for message in messages_from_dict(kept)] if kept else None

    def update(self, prompt: str, llm_string: str, return_val: Sequence[Generation]) -> None:
        """Keep a reply."""
        key = _key(prompt, llm_string)
        kept = [message_to_dict(each.message) for each in return_val if isinstance(each, ChatGeneration)]
        self._kept[key] = kept
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, "reply": kept}, ensure_ascii=False) + "\n")

    def clear(self, **_: Any) -> None:
        """Forget all replies."""
        self._kept.clear()
        self._path.unlink(missing_ok=True)


def _whole(lines: Sequence[str]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return what was kept; the last line may have been cut where a run was stopped."""
    kept = [line for line in lines if line.endswith("}")]
    return [(row["key"], row["reply"]) for row in map(json.loads, kept)]


def _key(prompt: str, llm_string: str) -> str:
    names: dict[str, str] = {}
    same = _CHANCE.sub(lambda found: names.setdefault(found[0], f"id-{len(names)}"), prompt)
    return sha256(f"{same}\n{llm_string}".encode()).hexdigest()
