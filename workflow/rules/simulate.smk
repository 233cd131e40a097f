# The runs of a study: all of them in chunks, and a few in full.


rule simulate:
    input:
        study=ancient(study_of_case),
        model="results/{case}/kernel.json",
        reference="results/{case}/reference.py",
        library=library_of,
    output:
        "results/{case}/runs/{chunk}.nc",
    log:
        "results/{case}/logs/simulate-{chunk}.log",
    benchmark:
        "results/{case}/benchmarks/simulate-{chunk}.tsv"
    params:
        variant=variant_of_case,
        case=name_of_case,
        digest=digest_of_case,
        runs=runs_of_chunk,
        sources=module_digest("zwang.stages.simulate"),
    message:
        "simulate {wildcards.case}: runs {params.runs}"
    script:
        "../scripts/simulate.py"


rule trace:
    input:
        study=ancient(study_of_case),
        model="results/{case}/kernel.json",
        reference="results/{case}/reference.py",
        library=library_of,
    output:
        "results/{case}/trajectories.nc",
    log:
        "results/{case}/logs/trace.log",
    benchmark:
        "results/{case}/benchmarks/trace.tsv"
    params:
        variant=variant_of_case,
        case=name_of_case,
        digest=digest_of_case,
        sources=module_digest("zwang.stages.trace"),
    message:
        "trace {wildcards.case}: trajectories kept in full"
    script:
        "../scripts/trace.py"


rule gather:
    input:
        study=ancient(study_of_case),
        model="results/{case}/kernel.json",
        reference="results/{case}/reference.py",
        chunks=chunks_of,
    output:
        "results/{case}/runs.nc",
    log:
        "results/{case}/logs/gather.log",
    benchmark:
        "results/{case}/benchmarks/gather.tsv"
    params:
        variant=variant_of_case,
        case=name_of_case,
        digest=digest_of_case,
        sources=module_digest("zwang.stages.gather"),
    message:
        "gather {wildcards.case}: all runs in one dataset"
    script:
        "../scripts/gather.py"
