"""One figure of a study."""

from log import to_log
from zwang.stages.draw import draw

to_log(snakemake.log[0])
draw(
    module=snakemake.params.module,
    options=snakemake.params.options,
    titles=snakemake.params.titles,
    needs=snakemake.params.needs,
    datasets=snakemake.input,
    pdf=snakemake.output.pdf,
    png=snakemake.output.png,
)
