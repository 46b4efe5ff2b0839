from nodes.unanswered import unanswered


def test_a_single_question_is_what_the_whole_answer_speaks_of() -> None:
    assert unanswered(["refund?"], [], lambda _one, _other: 0.0) == []


def test_a_question_that_no_sentence_is_near_to_is_left_out() -> None:
    near = {("refund?", "pro rata"): 0.5, ("invoice?", "pro rata"): 0.2}
    assert unanswered(["refund?", "invoice?"], ["pro rata"], lambda a, b: near[a, b]) == ["invoice?"]


def test_a_sentence_that_is_nearest_to_a_question_speaks_of_it_though_not_near() -> None:
    near = {
        ("refund?", "pro rata"): 0.5,
        ("invoice?", "pro rata"): 0.1,
        ("refund?", "reissue it"): 0.1,
        ("invoice?", "reissue it"): 0.15,
    }
    assert unanswered(["refund?", "invoice?"], ["pro rata", "reissue it"], lambda a, b: near[a, b]) == []


def test_an_empty_answer_leaves_out_every_question() -> None:
    assert unanswered(["refund?", "invoice?"], [], lambda _one, _other: 1.0) == ["refund?", "invoice?"]
