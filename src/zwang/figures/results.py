"""What a figure may draw: the datasets of one or several cases of a study."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import xarray as xr

from zwang.figures.style import FigureError
from zwang.nearest import nearest


@dataclass(frozen=True)
class Results:
    """Datasets by case and kind; titles of the cases for legends."""

    datasets: Mapping[tuple[str, str], xr.Dataset]
    titles: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, **kinds: xr.Dataset) -> Results:
        """The results of a study without cases: Results.of(thresholds=dataset)."""
        return cls({("", kind): dataset for kind, dataset in kinds.items()})

    @property
    def cases(self) -> tuple[str, ...]:
        """The cases in the order asked for."""
        return tuple(dict.fromkeys(case for case, _ in self.datasets))

    def title(self, case: str) -> str:
        """What a case is called in a figure."""
        return self.titles.get(case) or case

    def get(self, kind: str, variables: Iterable[str] = (), case: str | None = None) -> xr.Dataset:
        """A dataset of a case, the first if none is named; it has these variables."""
        chosen = (self.cases[0] if self.cases else "") if case is None else case
        if (chosen, kind) not in self.datasets:
            known = sorted({f"{k} of {c}" if c else k for c, k in self.datasets})
            asked = f"{kind} of {chosen}" if chosen else kind
            raise FigureError(f"no {asked} came; this figure draws them. {nearest(asked, known)}")
        dataset = self.datasets[chosen, kind]
        missing = [name for name in variables if name not in dataset.variables]
        if missing:
            raise FigureError(
                f"the {kind} have {', '.join(sorted(map(str, dataset.variables)))} but lack "
                f"{', '.join(missing)}; make them again with this version"
            )
        return dataset
