# One figure per job; only the module of that figure counts as its source.


rule draw:
    input:
        datasets_of_figure,
    output:
        pdf="results/{study}/figures/{figure}.pdf",
        png="results/{study}/figures/{figure}.png",
    log:
        "results/{study}/logs/draw-{figure}.log",
    benchmark:
        "results/{study}/benchmarks/draw-{figure}.tsv"
    params:
        module=lambda wildcards: figure_of(wildcards).module,
        options=lambda wildcards: figure_of(wildcards).options,
        needs=lambda wildcards: figure_of(wildcards).needs,
        titles=titles_of_figure,
        sources=lambda wildcards: [
            module_digest("zwang.stages.draw"),
            module_digest(f"zwang.figures.{figure_of(wildcards).module}"),
        ],
    message:
        "draw {wildcards.study}: {wildcards.figure}"
    script:
        "../scripts/draw.py"
