"""The verbs of the chain, one module each: files in, files out."""
