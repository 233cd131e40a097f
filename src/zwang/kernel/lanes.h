/* Four trajectories side by side: the lane type and the functions that need one lane at a time. */
#ifndef ZWANG_LANES_H
#define ZWANG_LANES_H
#include <math.h>

#define LANES 4
#define ORDER 16
typedef double V __attribute__((vector_size(8 * LANES)));
#define ZERO ((V){0.0, 0.0, 0.0, 0.0})

static const double inverse[ORDER + 2] = {
    0.0,      1.0,      1.0 / 2,  1.0 / 3,  1.0 / 4,  1.0 / 5,  1.0 / 6,  1.0 / 7,  1.0 / 8,
    1.0 / 9,  1.0 / 10, 1.0 / 11, 1.0 / 12, 1.0 / 13, 1.0 / 14, 1.0 / 15, 1.0 / 16, 1.0 / 17};

/* Inline, unlike fmax and fmin of the C library; what is not a number is looked for elsewhere. */
static inline double larger(double a, double b) { return a > b ? a : b; }
static inline double smaller(double a, double b) { return a < b ? a : b; }

#define LANEWISE(name, function)                                                  \
    static inline __attribute__((unused)) V name(V u)                             \
    {                                                                             \
        V r;                                                                      \
        for (int i = 0; i < LANES; ++i) r[i] = function(u[i]);                    \
        return r;                                                                 \
    }
LANEWISE(lanes_sqrt, sqrt)
LANEWISE(lanes_exp, exp)
LANEWISE(lanes_log, log)
LANEWISE(lanes_tan, tan)
LANEWISE(lanes_tanh, tanh)
LANEWISE(lanes_atan, atan)
LANEWISE(lanes_asin, asin)

static inline __attribute__((unused)) V lanes_pow(V u, V r)
{
    V x;
    for (int i = 0; i < LANES; ++i) x[i] = pow(u[i], r[i]);
    return x;
}

static inline __attribute__((unused)) void lanes_sincos(V u, V *s, V *c)
{
    for (int i = 0; i < LANES; ++i) {
        (*s)[i] = sin(u[i]);
        (*c)[i] = cos(u[i]);
    }
}

static inline __attribute__((unused)) void lanes_sinhcosh(V u, V *s, V *c)
{
    for (int i = 0; i < LANES; ++i) {
        (*s)[i] = sinh(u[i]);
        (*c)[i] = cosh(u[i]);
    }
}
#endif
