"""Token estimators: one a model and process, shared by all threads and kept for the next process."""

from weakref import WeakKeyDictionary

from nodes.window import Estimator
from store.estimators import keep_estimator, load_estimator
from store.postgres import Pool

_OFTEN, _SELDOM = 32, 16
"""Kept at each of the first reports, which teach the most, then at every sixteenth."""

_estimators: WeakKeyDictionary[Pool, dict[str, Estimator]] = WeakKeyDictionary()


async def estimator_of(pool: Pool, model: str) -> Estimator:
    """Return the estimator of a model, with what was learned before this process began."""
    known = _estimators.setdefault(pool, {})
    if model not in known:
        state = await load_estimator(pool, model)
        known.setdefault(model, Estimator.from_dict(dict(state)) if state else Estimator(model))
    return known[model]


async def keep(pool: Pool, estimator: Estimator) -> None:
    """Keep what an estimator has learned of a report."""
    if estimator.reports <= _OFTEN or estimator.reports % _SELDOM == 0:
        await keep_estimator(pool, estimator.model, estimator.to_dict())
