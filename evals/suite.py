"""What a suite is: one module with ``ABOUT``, ``BOUNDS`` and ``measure``, and what it is asked.

A new suite is a module ``evals/NAME.py`` with these three, and its name in ``SUITES`` of ``evals/__main__.py``.
Its ``measure`` ends with ``evals.results.result(…)``, which states the form of every result.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

from evals.corpora import SAMPLE
from store.settings import Settings

Bounds = Mapping[str, tuple[str, float]]
"""Metric → ``<=`` or ``>=`` and the bound; a metric that breaks its bound makes the run fail."""
Result = dict[str, Any]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Options:
    """What a run asks of every suite."""

    settings: Settings
    """Database, models and endpoint; ``settings.chat_model`` is ``offline`` unless the run is live."""
    data: Path | None = None
    """The user's own data set in place of the suite's."""
    corpus: Path = SAMPLE
    """The help centre that is asked."""
    full: bool = False
    """Whether the largest scales are run as well."""
    quick: bool = False
    """Whether baselines and repetitions are left out: the small tier of CI, which holds floors."""
    sample: int = 0
    """Cases at the most; 0: all."""
    progress: Callable[[int, int], None] = lambda _done, _all: None
    """Told how many of how many cases are done."""

    @property
    def live(self) -> bool:
        """Tell whether a real model answers."""
        return self.settings.chat_model != "offline"

    def some(self, cases: Sequence[Item]) -> Sequence[Item]:
        """Return the cases to run: all, or a sample spread evenly over them."""
        if not 0 < self.sample < len(cases):
            return cases
        return [cases[place * len(cases) // self.sample] for place in range(self.sample)]

    def track(self, cases: Sequence[Item]) -> Iterator[Item]:
        """Yield each case, and tell the progress."""
        for place, case in enumerate(cases):
            self.progress(place, len(cases))
            yield case
        self.progress(len(cases), len(cases))


class Suite(Protocol):
    """The module of a suite."""

    ABOUT: str
    """What is measured, beside what; one line."""
    BOUNDS: Bounds
    """What the suite promises. A module whose promise is not kept yet states ``FLOORS`` as well: what was reached,
    and must not get worse; the quick tier of CI holds those."""

    async def measure(self, options: Options, /) -> Result:
        """Run the suite.

        A suite that calls a chat model takes it from ``nodes.models.chat_model(options.settings)``: the same
        code then serves offline and live runs, and what it spends is counted, limited and kept by the run.
        """


def load(name: str) -> Suite:
    """Return the suite of a name."""
    return cast("Suite", import_module(f"evals.{name}"))
