# The runs of a study: all of them in chunks, and a few in full.


rule simulate:
    message:
        "simulate {wildcards.study}: runs {params.runs}"
    input:
        study=study_file,
        model="results/{study}/kernel.json",
        reference="results/{study}/reference.py",
        library=library_of,
    output:
        "results/{study}/runs/{chunk}.nc",
    params:
        variant=variant_of,
        runs=runs_of_chunk,
        sources=module_digest("zwang.stages.simulate"),
    log:
        "results/{study}/logs/simulate-{chunk}.log",
    benchmark:
        "results/{study}/benchmarks/simulate-{chunk}.tsv"
    script:
        "../scripts/simulate.py"


rule trace:
    message:
        "trace {wildcards.study}: trajectories kept in full"
    input:
        study=study_file,
        model="results/{study}/kernel.json",
        reference="results/{study}/reference.py",
        library=library_of,
    output:
        "results/{study}/trajectories.nc",
    params:
        variant=variant_of,
        sources=module_digest("zwang.stages.trace"),
    log:
        "results/{study}/logs/trace.log",
    benchmark:
        "results/{study}/benchmarks/trace.tsv"
    script:
        "../scripts/trace.py"


def chunks_of(wildcards):
    """Every chunk of the study, in order."""
    count = STUDIES[wildcards.study].plan.chunks
    return [f"results/{wildcards.study}/runs/{chunk}.nc" for chunk in range(count)]


rule gather:
    message:
        "gather {wildcards.study}: all runs in one dataset"
    input:
        study=study_file,
        chunks=chunks_of,
    output:
        "results/{study}/runs.nc",
    params:
        variant=variant_of,
        sources=module_digest("zwang.stages.gather"),
    log:
        "results/{study}/logs/gather.log",
    benchmark:
        "results/{study}/benchmarks/gather.tsv"
    script:
        "../scripts/gather.py"
