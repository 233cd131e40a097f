"""Equations and certificate of a system."""

from log import to_log
from zwang.stages.certify import certify

to_log(snakemake.log[0])
certify(
    system=snakemake.wildcards.system,
    equations=snakemake.output.equations,
    out=snakemake.output.certificate,
)
