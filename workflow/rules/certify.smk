# Every form of a system's equations of motion gives the same; shared by all studies of the system.


rule certify:
    output:
        equations="results/systems/{system}/equations.nc",
        certificate="results/systems/{system}/certificate.nc",
    log:
        "results/systems/{system}/logs/certify.log",
    benchmark:
        "results/systems/{system}/benchmarks/certify.tsv"
    params:
        sources=module_digest("zwang.stages.certify"),
    message:
        "certify {wildcards.system}: all forms of its equations agree"
    script:
        "../scripts/certify.py"
