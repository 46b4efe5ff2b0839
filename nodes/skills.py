"""Skills: folders with a ``SKILL.md``, one line of each in the system prompt, the rest loaded when needed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from store.errors import ConfigError
from store.front_matter import split_front_matter

HEADING = "技能 skills (load_skill)"


@dataclass(frozen=True, slots=True)
class Skill:
    """Instructions for one kind of task."""

    name: str
    description: str
    text: str


@lru_cache(maxsize=8)
def skills(folder: Path | None) -> tuple[Skill, ...]:
    """Return the skills of a folder, by name; read once a process, so that the prompt stays the same.

    Args:
        folder: holds a folder for each skill; none: no skills.

    Raises:
        ConfigError: the folder is missing, or a skill does not say what it is for.
    """
    if folder is None:
        return ()
    if not folder.is_dir():
        raise ConfigError(f"SUPPORTPILOT_SKILLS_DIR={str(folder)!r} is no folder. Name one or remove it.")
    return tuple(_read(file) for file in sorted(folder.glob("*/SKILL.md")))


def _read(file: Path) -> Skill:
    parted = split_front_matter(file.read_text("utf-8"))
    description = " ".join(parted.values.get("description", "").split())
    if not description:
        raise ConfigError(f"{str(file)!r} has no `description` in its front matter: say when it is needed.")
    return Skill(parted.values.get("name") or file.parent.name, description, parted.body.strip())


def skill_lines(known: Sequence[Skill]) -> str:
    """Return the lines of the system prompt, empty without skills."""
    return "\n".join([f"{HEADING}:", *(f"- {s.name}: {s.description}" for s in known)]) if known else ""
