"""Numbers and verdicts a text quotes from a study."""

from pathlib import Path

from log import to_log
from zwang.stages.quote import quote

to_log(snakemake.log[0])
quote(
    entries=snakemake.params.entries,
    title=snakemake.params.title,
    titles=snakemake.params.titles,
    folders={case: Path(folder) for case, folder in snakemake.params.folders.items()},
    kinds=snakemake.params.kinds,
    numbers=snakemake.output.numbers,
    macros=snakemake.output.macros,
    table=snakemake.output.table,
)
