"""What one user may ask for at once."""

from store.errors import LimitError
from store.settings import Settings


def check_length(text: str, settings: Settings) -> None:
    """Refuse a message that is too long to be read in the time of a turn.

    Raises:
        LimitError: it has more characters than ``settings.message_chars``.
    """
    if len(text) > settings.message_chars:
        raise LimitError(
            f"The message has {len(text)} characters; at most {settings.message_chars} are read. Send the part that "
            "matters, or raise SUPPORTPILOT_MESSAGE_CHARS."
        )
