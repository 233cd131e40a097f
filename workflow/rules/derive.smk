# The declaration becomes equations and a C kernel, and the kernel a library.


rule derive:
    input:
        study=study_file,
    output:
        equations="results/{study}/equations.nc",
        kernel="results/{study}/kernel.c",
        model="results/{study}/kernel.json",
        reference="results/{study}/reference.py",
    log:
        "results/{study}/logs/derive.log",
    benchmark:
        "results/{study}/benchmarks/derive.tsv"
    params:
        variant=variant_of,
        sources=module_digest("zwang.stages.derive", "zwang/kernel/*.[ch]"),
    message:
        "derive {wildcards.study}: equations of motion and kernel"
    script:
        "../scripts/derive.py"


rule compile:
    input:
        kernel="results/{study}/kernel.c",
    output:
        library="results/{study}/kernel.so",
    log:
        "results/{study}/logs/compile.log",
    benchmark:
        "results/{study}/benchmarks/compile.tsv"
    params:
        sources=module_digest("zwang.stages.compile", "zwang/kernel/*.[ch]"),
    message:
        "compile {wildcards.study}: kernel"
    script:
        "../scripts/compile.py"
