from uuid import uuid4

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from store.embedding import open_embedder
from store.gaps import group_gaps, list_gaps, nearest_groups, record_gap
from store.postgres import Pool
from store.settings import Settings


async def test_gaps_are_counted_and_grouped_by_meaning_within_their_tenant(
    pool: Pool, config: Settings
) -> None:
    tenant = str(uuid4())
    asked = ["有没有深色模式", "你们支持比特币支付吗", "能用比特币付款吗", "你们支持比特币支付吗"]
    for number, question in enumerate(asked):
        for _ in range(2):  # a step that runs again
            await record_gap(
                pool,
                message_id=f"{tenant}-{number}",
                thread="",
                tenant=tenant,
                collection="c",
                question=question,
            )
    await record_gap(
        pool, message_id=f"{tenant}-d", thread="", tenant=tenant, collection="d", question=asked[0]
    )
    found = await list_gaps(pool, tenant)
    assert (found[0].question, found[0].count) == ("你们支持比特币支付吗", 2)
    assert [gap.question for gap in await list_gaps(pool, tenant, collection="d")] == [asked[0]]
    groups = await group_gaps(found, open_embedder(config))
    assert [(group.count, {gap.question for gap in group.gaps}) for group in groups] == [
        (3, {"你们支持比特币支付吗", "能用比特币付款吗"}),
        (1, {"有没有深色模式"}),
        (1, {"有没有深色模式"}),  # the same question to another collection
    ]
    assert await list_gaps(pool, tenant, collection="other") == []
    assert await list_gaps(pool, str(uuid4())) == []


@given(st.lists(st.lists(st.floats(-1, 1), min_size=3, max_size=3), min_size=1, max_size=12))
def test_every_question_is_in_one_group(rows: list[list[float]]) -> None:
    groups = nearest_groups(np.array(rows))
    assert sorted(place for group in groups for place in group) == list(range(len(rows)))
