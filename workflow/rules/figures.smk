# One figure per job; only the module of that figure counts as its source.


rule draw:
    message:
        "draw {wildcards.study}: {wildcards.figure}"
    input:
        study=study_file,
        thresholds="results/{study}/thresholds.nc",
        trajectories="results/{study}/trajectories.nc",
    output:
        pdf="results/{study}/figures/{figure}.pdf",
        png="results/{study}/figures/{figure}.png",
    params:
        variant=variant_of,
        sources=lambda wildcards: [
            module_digest("zwang.stages.draw", "zwang/figures/*.mplstyle"),
            module_digest(f"zwang.figures.{wildcards.figure}"),
        ],
    log:
        "results/{study}/logs/draw-{figure}.log",
    benchmark:
        "results/{study}/benchmarks/draw-{figure}.tsv"
    script:
        "../scripts/draw.py"
