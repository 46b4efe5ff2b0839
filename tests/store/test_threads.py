import re
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import AccessDeniedError, MalformedError
from store.postgres import Pool
from store.threads import Owner, claim, resolve_thread, thread_id

_names = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=8)


@given(st.tuples(_names, _names, _names), st.tuples(_names, _names, _names))
def test_thread_ids_are_uuids_that_differ_whenever_tenant_user_or_name_differ(
    first: tuple[str, str, str], second: tuple[str, str, str]
) -> None:
    ids = [thread_id(Owner(tenant, user), name) for tenant, user, name in (first, second)]
    assert all(UUID(one).version == 5 for one in ids)
    assert (ids[0] == ids[1]) == (first == second)


@pytest.mark.parametrize("name", ["a\0", "\ud83d", None, 7, b"x"])
def test_a_name_that_cannot_be_stored_is_refused_by_name(name: Any) -> None:
    for make in (
        lambda: Owner("default", name),
        lambda: Owner(name, "ann"),
        lambda: resolve_thread(Owner("default", "ann"), name),
    ):
        with pytest.raises(MalformedError, match=re.escape(repr(name))):
            make()


async def test_a_thread_belongs_to_its_first_user_and_another_is_refused(pool: Pool) -> None:
    thread = str(uuid4())
    await claim(pool, thread, Owner("acme", "alice"), "help")
    await claim(pool, thread, Owner("acme", "alice"), "help")
    for other in (Owner("acme", "bob"), Owner("other", "alice"), Owner("acme", "")):
        with pytest.raises(AccessDeniedError, match="belongs to another user"):
            await claim(pool, thread, other, "help")
