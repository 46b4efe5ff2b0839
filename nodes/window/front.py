"""What stands in front of the newest question: only what the window does not show yet, within a size."""

from collections.abc import Sequence

from nodes.window.render import Window
from nodes.window.tokens import content_text


def unseen(items: Sequence[str], window: Window, max_chars: int) -> list[str]:
    """Return the items that a window does not show, by whole items, in their order, as far as they fit.

    Args:
        items: recalled memories or changes, one line each, the most important first.
        window: the window as it is without them.
        max_chars: characters that they may take together.
    """
    text = "\n".join(content_text(message.content) for message in window.messages)
    kept: list[str] = []
    for item in items:
        if item not in text and sum(map(len, kept)) + len(item) <= max_chars:
            kept.append(item)
    return kept
