"""Friction thresholds of a study."""

from log import to_log
from zwang.stages.analyse import analyse

to_log(snakemake.log[0])
analyse(
    study=snakemake.input.study,
    variant=snakemake.params.variant,
    case=snakemake.params.case,
    runs=snakemake.input.runs,
    against=snakemake.input.against or None,
    model=snakemake.input.model,
    reference=snakemake.input.reference,
    library=snakemake.input.library or None,
    out=snakemake.output[0],
)
