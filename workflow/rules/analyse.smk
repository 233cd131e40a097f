# Thresholds from the runs, and the comparison with what is expected.


rule analyse:
    input:
        study=ancient(study_of_case),
        runs="results/{case}/runs.nc",
        against=runs_against,
        model="results/{case}/kernel.json",
        reference="results/{case}/reference.py",
        library=library_of,
    output:
        "results/{case}/thresholds.nc",
    log:
        "results/{case}/logs/analyse.log",
    benchmark:
        "results/{case}/benchmarks/analyse.tsv"
    params:
        variant=variant_of_case,
        case=name_of_case,
        digest=digest_of_case,
        sources=module_digest("zwang.stages.analyse"),
    message:
        "analyse {wildcards.case}: friction thresholds"
    script:
        "../scripts/analyse.py"


rule approach:
    input:
        study=ancient(study_of_case),
        model="results/{case}/kernel.json",
        reference="results/{case}/reference.py",
        trajectories="results/{case}/trajectories.nc",
        others=trajectories_of_targets,
    output:
        "results/{case}/limits.nc",
    log:
        "results/{case}/logs/approach.log",
    benchmark:
        "results/{case}/benchmarks/approach.tsv"
    params:
        variant=variant_of_case,
        case=name_of_case,
        targets=lambda wildcards: case_of(wildcards).references,
        digest=digest_of_case,
        sources=module_digest("zwang.stages.approach"),
    message:
        "approach {wildcards.case}: distance to the limit"
    script:
        "../scripts/approach.py"


rule check:
    input:
        study=ancient(study_file),
        expected=expected_file,
        results=results_of_study,
    output:
        "results/{study}/checks.nc",
    log:
        "results/{study}/logs/check.log",
    benchmark:
        "results/{study}/benchmarks/check.tsv"
    params:
        variant=variant_of,
        folders=folders_of,
        kinds=KINDS,
        sources=module_digest("zwang.stages.check"),
    message:
        "check {wildcards.study}: results against what is expected"
    script:
        "../scripts/check.py"


rule quote:
    input:
        results_of_study,
    output:
        numbers="results/{study}/numbers.nc",
        macros="results/{study}/numbers.tex",
        table="results/{study}/verdicts.tex",
    log:
        "results/{study}/logs/quote.log",
    benchmark:
        "results/{study}/benchmarks/quote.tsv"
    params:
        entries=lambda wildcards: STUDIES[wildcards.study].plan.quoted,
        title=lambda wildcards: STUDIES[wildcards.study].plan.title,
        titles=lambda wildcards: STUDIES[wildcards.study].plan.titles,
        folders=folders_of,
        kinds=KINDS,
        sources=module_digest("zwang.stages.quote"),
    message:
        "quote {wildcards.study}: numbers and verdicts for a text"
    script:
        "../scripts/quote.py"
