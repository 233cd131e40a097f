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

typedef long long I __attribute__((vector_size(8 * LANES)));

static inline V chosen(I mask, V yes, V no) { return (V)((mask & (I)yes) | (~mask & (I)no)); }

#if defined(__FMA__) || defined(__FP_FAST_FMA)
/* sin and cos of four angles at once, the same bits on every machine with fused multiply-add.
 * u = n pi/2 + r with pi/2 as a sum of three doubles, |r| <= pi/4; then the series of sin and cos,
 * whose first neglected terms are below 5e-17. Angles beyond 1e9 lose accuracy as u itself does. */
static inline __attribute__((unused)) void lanes_sincos(V u, V *s, V *c)
{
    const double rounder = 0x1.8p52; /* adding it rounds to an integer */
    const V n = (u * 0x1.45f306dc9c883p-1 + rounder) - rounder;
    V r = u - n * 0x1.921fb54442d18p+0;
    r = r - n * 0x1.1a62633145c07p-54;
    r = r - n * -0x1.f1976b7ed8fbcp-110;
    const V z = r * r;
    V a = ZERO - 1.0 / 1307674368000.0, b = ZERO + 1.0 / 20922789888000.0;
    a = a * z + 1.0 / 6227020800.0;
    b = b * z - 1.0 / 87178291200.0;
    a = a * z - 1.0 / 39916800.0;
    b = b * z + 1.0 / 479001600.0;
    a = a * z + 1.0 / 362880.0;
    b = b * z - 1.0 / 3628800.0;
    a = a * z - 1.0 / 5040.0;
    b = b * z + 1.0 / 40320.0;
    a = a * z + 1.0 / 120.0;
    b = b * z - 1.0 / 720.0;
    a = a * z - 1.0 / 6.0;
    b = b * z + 1.0 / 24.0;
    const V sine = r + r * (z * a);
    const V half = 0.5 * z, rest = 1.0 - half;
    const V cosine = rest + (((1.0 - rest) - half) + z * (z * b));
    const V quarter = n - 4.0 * ((n * 0.25 + rounder) - rounder); /* -2 ... 2 */
    const I odd = (quarter == 1.0) | (quarter == -1.0);
    const V even_sign = chosen((quarter == 2.0) | (quarter == -2.0), ZERO - 1.0, ZERO + 1.0);
    const V odd_sign = chosen(quarter == 1.0, ZERO + 1.0, ZERO - 1.0);
    *s = chosen(odd, odd_sign * cosine, even_sign * sine);
    *c = chosen(odd, ZERO - odd_sign * sine, even_sign * cosine);
}
#else /* without fused multiply-add the reduction above would lose digits */
static inline __attribute__((unused)) void lanes_sincos(V u, V *s, V *c)
{
    for (int i = 0; i < LANES; ++i) {
        (*s)[i] = sin(u[i]);
        (*c)[i] = cos(u[i]);
    }
}
#endif

static inline __attribute__((unused)) void lanes_sinhcosh(V u, V *s, V *c)
{
    for (int i = 0; i < LANES; ++i) {
        (*s)[i] = sinh(u[i]);
        (*c)[i] = cosh(u[i]);
    }
}
#endif
