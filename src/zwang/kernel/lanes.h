/* Four trajectories side by side: the lane type, its exact operations, and its functions. */
#ifndef ZWANG_LANES_H
#define ZWANG_LANES_H
#include <math.h>

#define LANES 4
#define ORDER 16
typedef double V __attribute__((vector_size(8 * LANES)));
typedef long long I __attribute__((vector_size(8 * LANES)));
#define ZERO ((V){0.0, 0.0, 0.0, 0.0})

static const double inverse[ORDER + 2] = {
    0.0,      1.0,      1.0 / 2,  1.0 / 3,  1.0 / 4,  1.0 / 5,  1.0 / 6,  1.0 / 7,  1.0 / 8,
    1.0 / 9,  1.0 / 10, 1.0 / 11, 1.0 / 12, 1.0 / 13, 1.0 / 14, 1.0 / 15, 1.0 / 16, 1.0 / 17};

/* Inline, unlike fmax and fmin of the C library; what is not a number is looked for elsewhere. */
static inline double larger(double a, double b) { return a > b ? a : b; }
static inline double smaller(double a, double b) { return a < b ? a : b; }

static inline V all(double a) { return (V){a, a, a, a}; }
static inline V chosen(I mask, V yes, V no) { return (V)((mask & (I)yes) | (~mask & (I)no)); }

#ifndef __has_builtin
#define __has_builtin(name) 0
#endif

/* a b + c rounded once, on every machine and under every -ffp-contract. */
static inline V fused(V a, V b, V c)
{
#if defined(__FMA__) && __has_builtin(__builtin_ia32_vfmaddpd256)
    return __builtin_ia32_vfmaddpd256(a, b, c);
#else
    V r;
    for (int i = 0; i < LANES; ++i) r[i] = __builtin_fma(a[i], b[i], c[i]);
    return r;
#endif
}

/* a b rounded, where a sum follows: the compiler must not fuse it, nor can it without the unit. */
static inline V times(V a, V b)
{
#if defined(__x86_64__) && !defined(__FMA__)
    return a * b;
#else
    return fused(a, b, all(-0.0));
#endif
}

static inline __attribute__((unused)) V lanes_sqrt(V u)
{
#if defined(__AVX__) && __has_builtin(__builtin_ia32_sqrtpd256)
    return __builtin_ia32_sqrtpd256(u);
#else
    V r;
    for (int i = 0; i < LANES; ++i) r[i] = sqrt(u[i]);
    return r;
#endif
}

#include "functions.h"
#endif
