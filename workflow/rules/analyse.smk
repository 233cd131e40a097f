# Thresholds from the runs, and the comparison with what is expected.


rule analyse:
    message:
        "analyse {wildcards.study}: friction thresholds"
    input:
        study=study_file,
        runs="results/{study}/runs.nc",
        model="results/{study}/kernel.json",
        reference="results/{study}/reference.py",
        library=library_of,
    output:
        "results/{study}/thresholds.nc",
    params:
        variant=variant_of,
        sources=module_digest("zwang.stages.analyse"),
    log:
        "results/{study}/logs/analyse.log",
    benchmark:
        "results/{study}/benchmarks/analyse.tsv"
    script:
        "../scripts/analyse.py"


def expected_file(wildcards):
    """expected.yaml beside study.yaml, where there is one."""
    path = STUDIES[wildcards.study].path.with_name("expected.yaml")
    return str(path) if path.exists() else []


rule check:
    message:
        "check {wildcards.study}: results against what is expected"
    input:
        study=study_file,
        expected=expected_file,
        runs="results/{study}/runs.nc",
        thresholds="results/{study}/thresholds.nc",
        trajectories="results/{study}/trajectories.nc",
    output:
        "results/{study}/checks.nc",
    params:
        variant=variant_of,
        sources=module_digest("zwang.stages.check"),
    log:
        "results/{study}/logs/check.log",
    benchmark:
        "results/{study}/benchmarks/check.tsv"
    script:
        "../scripts/check.py"
