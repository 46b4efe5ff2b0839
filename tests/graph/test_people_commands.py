"""The staff's commands in this process: what they print, and their exit codes."""

import json

import pytest

from tests.graph.commands import Command


def test_a_ticket_goes_through_the_commands(command: Command) -> None:
    assert "No ticket is open." in command("tickets", "list").stdout
    asked = json.loads(command("ask", "转人工，发票开不出来", "--user", "ann", "--json").stdout)
    number = str(asked["ticket"])
    listed = command("tickets", "list").stdout
    assert "asked for a person" in listed
    assert "发票开不出来" in listed
    assert "open" in command("tickets", "show", number).stdout
    answered = command("tickets", "answer", number, "马上处理", "--as", "lin")
    assert "lin: 马上处理" in answered.stdout, answered.stderr
    assert command("tickets", "close", number).exit_code == 0
    assert json.loads(command("tickets", "list", "--all", "--json").stdout)[0]["closed_by"] == "staff"
    shown = json.loads(command("tickets", "show", number, "--json").stdout)
    assert [(one["author"], one["text"]) for one in shown["messages"]] == [("lin", "马上处理")]
    back = json.loads(
        command("ask", "谢谢", "--user", "ann", "--thread", asked["thread_id"], "--json").stdout
    )
    assert "马上处理" in back["meanwhile"][0]
    later = command("ask", "谢谢", "--user", "ann", "--thread", asked["thread_id"], "--json")
    assert json.loads(later.stdout)["meanwhile"] == []


@pytest.mark.parametrize(
    ("decision", "words"),
    [(("approve", "--note", "三天到账"), "三天到账"), (("refuse", "--note", "超过期限"), "没有获得批准")],
)
def test_what_became_of_a_request_is_told_with_the_next_reply_once(
    command: Command, decision: tuple[str, ...], words: str
) -> None:
    as_demo = ("--user", "demo", "--collection", "sample", "--json")
    asked = json.loads(command("ask", "请帮我申请退款，买错了", *as_demo).stdout)
    assert asked["meanwhile"] == []
    listed = json.loads(command("approvals", "list", "--json").stdout)
    assert asked["waiting"][0]["approval_id"] in {one["approval_id"] for one in listed}
    verb, *rest = decision
    decided = command("approvals", verb, asked["waiting"][0]["approval_id"], *rest)
    assert decided.exit_code == 0, decided.stderr
    replies = [
        json.loads(command("ask", "谢谢", *as_demo, "--thread", asked["thread_id"]).stdout) for _ in range(2)
    ]
    assert words in replies[0]["meanwhile"][0]
    assert replies[1]["meanwhile"] == []


def test_gaps_are_listed_with_their_counts(command: Command) -> None:
    assert "No question was left" in command("gaps", "--tenant", "nobody").stdout
    for question in ("办公室可以带宠物吗", "办公室能带宠物吗"):
        command("ask", question, "--collection", "sample")
    assert command("gaps").stdout.split()[0] == "2"
    (group,) = json.loads(command("gaps", "--json").stdout)
    assert (group["count"], len(group["questions"])) == (2, 2)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("approvals", "list"), 0, "Nothing waits."),
        (("approvals", "approve", "nonsense"), 1, "no approval 'nonsense'"),
        (("approvals", "refuse", "00000000-0000-0000-0000-000000000000"), 1, "approvals list"),
        (("approvals", "edit", "x", "[1]"), 2, "no JSON object"),
        (("tickets", "show", "999"), 1, "no ticket 999"),
        (("tickets", "answer", "999", "x"), 1, "tickets list --all"),
        (("tickets", "close", "x"), 2, "TICKET"),
    ],
)
def test_wrong_input_is_named_with_the_remedy_and_a_code(
    command: Command, arguments: tuple[str, ...], code: int, words: str
) -> None:
    done = command(*arguments)
    assert done.exit_code == code
    assert words in done.stdout + done.stderr


def test_every_command_explains_itself(command: Command) -> None:
    for group, names in (
        ("approvals", ("list", "approve", "edit", "refuse")),
        ("tickets", ("list", "show", "answer", "close")),
    ):
        for name in names:
            assert "--tenant" in command(group, name, "--help").stdout
    assert "--json" in command("gaps", "--help").stdout
