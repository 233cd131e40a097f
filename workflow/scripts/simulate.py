"""One chunk of the runs of a study."""

from log import to_log
from zwang.stages.simulate import simulate

to_log(snakemake.log[0])
simulate(
    study=snakemake.input.study,
    variant=snakemake.params.variant,
    case=snakemake.params.case,
    chunk=int(snakemake.wildcards.chunk),
    model=snakemake.input.model,
    reference=snakemake.input.reference,
    library=snakemake.input.library or None,
    out=snakemake.output[0],
)
