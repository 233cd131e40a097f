# The chain: study.yaml -derive-> equations, kernel -compile-> library -simulate, gather-> runs
#            -certify-> certificate: all forms agree
#            -analyse-> thresholds -check-> checks; -trace-> trajectories; -draw-> figures
from snakemake.utils import min_version

min_version("9.20")


include: "workflow/rules/common.smk"
include: "workflow/rules/certify.smk"
include: "workflow/rules/derive.smk"
include: "workflow/rules/simulate.smk"
include: "workflow/rules/analyse.smk"
include: "workflow/rules/figures.smk"


rule all:
    default_target: True
    input:
        certificates=[
            f"results/systems/{system}/certificate.nc"
            for system in sorted({study.plan.system for study in STUDIES.values()})
        ],
        checks=[f"results/{name}/checks.nc" for name in STUDIES],
        figures=[
            f"results/{name}/figures/{figure}.{kind}"
            for name, study in STUDIES.items()
            for figure in study.plan.figures
            for kind in ("pdf", "png")
        ],
    localrule: True
