"""The trajectories a study keeps in full."""

from log import to_log
from zwang.stages.trace import trace

to_log(snakemake.log[0])
trace(
    study=snakemake.input.study,
    variant=snakemake.params.variant,
    case=snakemake.params.case,
    model=snakemake.input.model,
    reference=snakemake.input.reference,
    library=snakemake.input.library or None,
    out=snakemake.output[0],
)
