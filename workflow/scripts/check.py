"""Results of a study against what is expected."""

from pathlib import Path

from log import to_log
from zwang.stages.check import check

to_log(snakemake.log[0])
check(
    study=snakemake.input.study,
    variant=snakemake.params.variant,
    expected=snakemake.input.expected or None,
    folders={case: Path(folder) for case, folder in snakemake.params.folders.items()},
    kinds=snakemake.params.kinds,
    out=snakemake.output[0],
)
