# The declaration becomes a C kernel, and the kernel a library.


rule derive:
    input:
        study=ancient(study_of_case),
        tables=tables_of_case,
    output:
        kernel="results/{case}/kernel.c",
        model="results/{case}/kernel.json",
        reference="results/{case}/reference.py",
    log:
        "results/{case}/logs/derive.log",
    benchmark:
        "results/{case}/benchmarks/derive.tsv"
    params:
        variant=variant_of_case,
        case=name_of_case,
        digest=digest_of_case,
        sources=module_digest("zwang.stages.derive", "zwang/kernel/*.[ch]"),
    message:
        "derive {wildcards.case}: kernel"
    script:
        "../scripts/derive.py"


rule compile:
    input:
        kernel="results/{case}/kernel.c",
    output:
        library="results/{case}/kernel.so",
    log:
        "results/{case}/logs/compile.log",
    benchmark:
        "results/{case}/benchmarks/compile.tsv"
    params:
        sources=module_digest("zwang.stages.compile", "zwang/kernel/*.[ch]"),
    message:
        "compile {wildcards.case}: kernel"
    script:
        "../scripts/compile.py"
