# Thresholds from the runs, and the comparison with what is expected.


rule analyse:
    input:
        study=study_file,
        runs="results/{study}/runs.nc",
        model="results/{study}/kernel.json",
        reference="results/{study}/reference.py",
        library=library_of,
    output:
        "results/{study}/thresholds.nc",
    log:
        "results/{study}/logs/analyse.log",
    benchmark:
        "results/{study}/benchmarks/analyse.tsv"
    params:
        variant=variant_of,
        sources=module_digest("zwang.stages.analyse"),
    message:
        "analyse {wildcards.study}: friction thresholds"
    script:
        "../scripts/analyse.py"


rule check:
    input:
        study=study_file,
        expected=expected_file,
        model="results/{study}/kernel.json",
        reference="results/{study}/reference.py",
        runs="results/{study}/runs.nc",
        thresholds="results/{study}/thresholds.nc",
        trajectories="results/{study}/trajectories.nc",
    output:
        "results/{study}/checks.nc",
    log:
        "results/{study}/logs/check.log",
    benchmark:
        "results/{study}/benchmarks/check.tsv"
    params:
        variant=variant_of,
        sources=module_digest("zwang.stages.check"),
    message:
        "check {wildcards.study}: results against what is expected"
    script:
        "../scripts/check.py"
