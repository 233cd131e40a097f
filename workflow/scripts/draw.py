"""One figure of a study."""

from log import to_log
from zwang.stages.draw import draw

to_log(snakemake.log[0])
draw(
    figure=snakemake.wildcards.figure,
    thresholds=snakemake.input.thresholds,
    trajectories=snakemake.input.trajectories,
    pdf=snakemake.output.pdf,
    png=snakemake.output.png,
)
