from pathlib import Path

import pytest

from nodes.skills import skill_lines, skills
from nodes.tools.skill import load_skill
from store.errors import ConfigError, ToolError


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).mkdir()
    (folder / name / "SKILL.md").write_text(text, "utf-8")


async def test_a_skill_is_one_line_in_the_prompt_and_its_text_is_loaded_by_name(tmp_path: Path) -> None:
    write(
        tmp_path,
        "returns",
        "---\nname: returns\ndescription: When a parcel comes back\n---\nAsk for the label.",
    )
    write(tmp_path, "audit", "---\ndescription: When accounts are audited\n---\nSteps.")
    known = skills(tmp_path)
    assert skill_lines(known).splitlines()[1:] == [
        "- audit: When accounts are audited",
        "- returns: When a parcel comes back",
    ]
    tool = load_skill(known)
    assert await tool.ainvoke({"name": "returns"}) == "Ask for the label."
    with pytest.raises(ToolError, match="audit, returns"):
        await tool.ainvoke({"name": "refunds"})


def test_no_folder_means_no_skills_and_no_line() -> None:
    assert skill_lines(skills(None)) == ""


def test_a_missing_folder_and_a_skill_without_a_description_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="SKILLS_DIR"):
        skills(tmp_path / "none")
    write(tmp_path, "bare", "no front matter")
    with pytest.raises(ConfigError, match="description"):
        skills(tmp_path)
