"""Equations of motion and kernel of a study."""

from log import to_log
from zwang.stages.derive import derive

to_log(snakemake.log[0])
derive(
    study=snakemake.input.study,
    variant=snakemake.params.variant,
    case=snakemake.params.case,
    kernel=snakemake.output.kernel,
    model=snakemake.output.model,
    reference=snakemake.output.reference,
)
