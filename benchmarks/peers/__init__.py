"""The engines that are compared, one module each: `full(tolerance)` and, where asked, `state`.

Both return a function of the speeds u and torque amplitudes A of many runs that gives `Found`.
"""
