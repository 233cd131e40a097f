"""Friction thresholds of a study."""

from log import to_log
from zwang.stages.analyse import analyse

to_log(snakemake.log[0])
analyse(
    study=snakemake.input.study,
    variant=snakemake.params.variant,
    runs=snakemake.input.runs,
    model=snakemake.input.model,
    reference=snakemake.input.reference,
    library=snakemake.input.library or None,
    out=snakemake.output[0],
)
