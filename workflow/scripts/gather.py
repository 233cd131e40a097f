"""All runs of a study in one dataset."""

from log import to_log
from zwang.stages.gather import gather

to_log(snakemake.log[0])
gather(
    study=snakemake.input.study,
    variant=snakemake.params.variant,
    case=snakemake.params.case,
    model=snakemake.input.model,
    reference=snakemake.input.reference,
    chunks=list(snakemake.input.chunks),
    out=snakemake.output[0],
)
