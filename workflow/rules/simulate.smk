# The runs of a study: all of them in chunks, and a few in full.


rule simulate:
    input:
        study=study_file,
        model="results/{study}/kernel.json",
        reference="results/{study}/reference.py",
        library=library_of,
    output:
        "results/{study}/runs/{chunk}.nc",
    log:
        "results/{study}/logs/simulate-{chunk}.log",
    benchmark:
        "results/{study}/benchmarks/simulate-{chunk}.tsv"
    params:
        variant=variant_of,
        runs=runs_of_chunk,
        sources=module_digest("zwang.stages.simulate"),
    message:
        "simulate {wildcards.study}: runs {params.runs}"
    script:
        "../scripts/simulate.py"


rule trace:
    input:
        study=study_file,
        model="results/{study}/kernel.json",
        reference="results/{study}/reference.py",
        library=library_of,
    output:
        "results/{study}/trajectories.nc",
    log:
        "results/{study}/logs/trace.log",
    benchmark:
        "results/{study}/benchmarks/trace.tsv"
    params:
        variant=variant_of,
        sources=module_digest("zwang.stages.trace"),
    message:
        "trace {wildcards.study}: trajectories kept in full"
    script:
        "../scripts/trace.py"


rule gather:
    input:
        study=study_file,
        model="results/{study}/kernel.json",
        reference="results/{study}/reference.py",
        chunks=chunks_of,
    output:
        "results/{study}/runs.nc",
    log:
        "results/{study}/logs/gather.log",
    benchmark:
        "results/{study}/benchmarks/gather.tsv"
    params:
        variant=variant_of,
        sources=module_digest("zwang.stages.gather"),
    message:
        "gather {wildcards.study}: all runs in one dataset"
    script:
        "../scripts/gather.py"
