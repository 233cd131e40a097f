"""A family of runs against the motions it should approach."""

from log import to_log
from zwang.stages.approach import approach

to_log(snakemake.log[0])
approach(
    study=snakemake.input.study,
    variant=snakemake.params.variant,
    case=snakemake.params.case,
    model=snakemake.input.model,
    reference=snakemake.input.reference,
    trajectories=snakemake.input.trajectories,
    others=dict(zip(snakemake.params.targets, snakemake.input.others, strict=True)),
    out=snakemake.output[0],
)
