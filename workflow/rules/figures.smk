# One figure per job; only the module of that figure counts as its source.


rule draw:
    input:
        thresholds="results/{study}/thresholds.nc",
        trajectories="results/{study}/trajectories.nc",
    output:
        pdf="results/{study}/figures/{figure}.pdf",
        png="results/{study}/figures/{figure}.png",
    log:
        "results/{study}/logs/draw-{figure}.log",
    benchmark:
        "results/{study}/benchmarks/draw-{figure}.tsv"
    params:
        sources=lambda wildcards: [
            module_digest("zwang.stages.draw"),
            module_digest(f"zwang.figures.{wildcards.figure}"),
        ],
    message:
        "draw {wildcards.study}: {wildcards.figure}"
    script:
        "../scripts/draw.py"
