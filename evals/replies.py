"""Replies of a live model, kept by the content of their requests, so that a run that stopped goes on where it was."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
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
        text = path.read_text("utf-8") if path.exists() else ""
        self._kept: dict[str, list[dict[str, Any]]] = dict(_whole(text))
        if text and not text.endswith("\n"):  # the run was stopped while it wrote
            with path.open("a", encoding="utf-8") as file:
                file.write("\n")

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


def _whole(text: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield what was kept; a line that was cut off where a run was stopped is none."""
    for line in text.split("\n"):
        with suppress(json.JSONDecodeError):
            row = json.loads(line)
            yield row["key"], row["reply"]


def _key(prompt: str, llm_string: str) -> str:
    names: dict[str, str] = {}
    same = _CHANCE.sub(lambda found: names.setdefault(found[0], f"id-{len(names)}"), prompt)
    return sha256(f"{same}\n{llm_string}".encode()).hexdigest()
