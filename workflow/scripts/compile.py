"""The kernel as a library."""

from log import to_log
from zwang.stages.compile import compile_

to_log(snakemake.log[0])
compile_(
    kernel=snakemake.input.kernel,
    library=snakemake.output.library,
)
