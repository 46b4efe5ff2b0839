from evals.isolation import held, tasks


def test_tasks_are_double_questions_and_single_ones_three_in_a_row() -> None:
    questions = [
        {"kind": "multi", "question": "一和二？", "must_contain": ["1", "2"]},
        *({"kind": "single", "question": f"问{n}？", "must_contain": [str(n)]} for n in range(4)),
        {"kind": "unanswerable", "question": "x", "must_contain": []},
    ]
    assert list(tasks(questions)) == [
        ("一和二？", ["1", "2"]),
        ("问0？ 问1？ 问2？", ["0", "1", "2"]),
        ("问1？ 问2？ 问3？", ["1", "2", "3"]),
    ]


def test_a_conclusion_is_worth_the_share_of_the_facts_that_it_states() -> None:
    facts = ["剩余整月", "30 天|三十天"]
    assert held('{"conclusion": "按剩余整月退，30天内到账"}', facts) == 1
    assert held("按剩余整月退，三个月内到账", facts) == 0.5
    assert held("", facts) == 0
