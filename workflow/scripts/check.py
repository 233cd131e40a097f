"""Results of a study against what is expected."""

from log import to_log
from zwang.stages.check import check

to_log(snakemake.log[0])
check(
    study=snakemake.input.study,
    variant=snakemake.params.variant,
    model=snakemake.input.model,
    reference=snakemake.input.reference,
    expected=snakemake.input.expected or None,
    runs=snakemake.input.runs,
    thresholds=snakemake.input.thresholds,
    trajectories=snakemake.input.trajectories,
    out=snakemake.output[0],
)
