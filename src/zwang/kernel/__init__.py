"""The C runtime of the kernels, and how they are built and loaded."""
