/* The elementary functions, four arguments at once and with no call of the C library: the same bits
 * on every machine. A plain product meets a sum here only where it is exact, so that it does not
 * matter whether the compiler fuses the two; all others are `fused` or `times`.
 *
 * Where a digit more is needed a number is a sum of two, head and tail (names in ..._tail). */
#ifndef ZWANG_FUNCTIONS_H
#define ZWANG_FUNCTIONS_H

typedef unsigned long long U __attribute__((vector_size(8 * LANES)));
#define FUNCTION static inline __attribute__((unused))

#define ROUNDER 0x1.8p52 /* adding it rounds to an integer, which is then in the last bits */
#define LN2 0x1.62e42fefa3800p-1 /* 42 bits: times an exponent it is exact */
#define LN2_TAIL 0x1.ef35793c76730p-45
#define LOG2_E 0x1.71547652b82fep+0
#define HALF_PI 0x1.921fb54442d18p+0
#define HALF_PI_TAIL 0x1.1a62633145c07p-54
#define HALF_PI_END (-0x1.f1976b7ed8fbcp-110)

static inline I sign_of(V u) { return (I)u & (I)all(-0.0); }
static inline V magnitude(V u) { return (V)((I)u & ~(I)all(-0.0)); }
static inline V with_sign(V u, I sign) { return (V)((I)u ^ sign); }

/* c0 + c1 z + c2 z^2 + ..., even and odd powers apart: half as long to wait for. */
static inline V polynomial(V z, const double *c, int count)
{
    const V square = z * z;
    V a = all(c[count - 1]), b = all(c[count - 2]);
#pragma GCC unroll 16
    for (int i = count - 3; i >= 1; i -= 2) {
        a = fused(a, square, all(c[i]));
        b = fused(b, square, all(c[i - 1]));
    }
    return count % 2 ? fused(b, z, fused(a, square, all(c[0]))) : fused(a, z, b);
}

/* What a + b loses when rounded to `sum`. */
static inline V lost(V a, V b, V sum)
{
    const V part = sum - a;
    return (a - (sum - part)) + (b - part);
}

/* (n + n_tail) / (d + d_tail) as head and tail. */
static inline V quotient(V n, V n_tail, V d, V d_tail, V *tail)
{
    const V inverse_d = 1.0 / d, q = times(n, inverse_d);
    *tail = times(fused(-q, d_tail, fused(-q, d, n) + n_tail), inverse_d);
    return q;
}

/* 2^k of an integer k with a normal result. */
static inline V power_of_two(V k) { return (V)((U)(k + (ROUNDER + 1023.0)) << 52); }

/* y 2^k rounded once, into the subnormal numbers, zero and infinity. */
static inline V scaled(V y, V k)
{
    const V half = (0.5 * k + ROUNDER) - ROUNDER;
    return y * power_of_two(half) * power_of_two(k - half);
}

/* u >= 0 to n pi/2 + r + r_tail, |r| <= pi/4; n in the last bits of what comes back.
 * n pi/2 is taken off in three parts, the first exactly. Angles beyond 2^45 are further apart than
 * 1/256 and mean nothing as angles: not a number. */
static inline I quarter_turns(V u, V *r, V *r_tail)
{
    const V shifted = fused(u, all(0x1.45f306dc9c883p-1), all(ROUNDER));
    const V n = shifted - ROUNDER, first = fused(-n, all(HALF_PI), u);
    const V second = times(n, all(-HALF_PI_TAIL)), rest = first + second;
    const V lost_bits = (first - rest) + second; /* exact: first is a multiple of 2^-52 */
    *r_tail = fused(-n, all(HALF_PI_END), lost_bits + fused(-n, all(HALF_PI_TAIL), -second));
    *r = (V)((I)rest | (u > 0x1p45));
    return (I)shifted;
}

static const double sine_series[] = {
    -1.0 / 6.0,        1.0 / 120.0,        -1.0 / 5040.0,          1.0 / 362880.0,
    -1.0 / 39916800.0, 1.0 / 6227020800.0, -1.0 / 1307674368000.0, 1.0 / 355687428096000.0};
static const double cosine_series[] = {
    1.0 / 24.0,        -1.0 / 720.0,         1.0 / 40320.0,         -1.0 / 3628800.0,
    1.0 / 479001600.0, -1.0 / 87178291200.0, 1.0 / 20922789888000.0};

/* sin and cos of |r| <= pi/4 as the two summands of the last addition. */
static inline void circle_at(V r, V r_tail, V *sine_tail, V *cosine, V *cosine_tail)
{
    const V z = r * r, half = 0.5 * z;
    *sine_tail = fused(r * z, polynomial(z, sine_series, 8), r_tail);
    *cosine = 1.0 - half;
    *cosine_tail = fused(z * z, polynomial(z, cosine_series, 7),
                         fused(-r, r_tail, (1.0 - *cosine) - half));
}

FUNCTION void lanes_sincos(V u, V *s, V *c)
{
    V r, r_tail, sine_tail, cosine, cosine_tail;
    const U n = (U)quarter_turns(magnitude(u), &r, &r_tail);
    circle_at(r, r_tail, &sine_tail, &cosine, &cosine_tail);
    const V sine = r + sine_tail;
    cosine = cosine + cosine_tail;
    const I odd = -(I)(n & 1);
    *s = with_sign(chosen(odd, cosine, sine), (I)((n & 2) << 62) ^ sign_of(u));
    *c = with_sign(chosen(odd, sine, cosine), (I)(((n + 1) & 2) << 62));
}

FUNCTION V lanes_sin(V u)
{
    V s, c;
    lanes_sincos(u, &s, &c);
    return s;
}

FUNCTION V lanes_cos(V u)
{
    V s, c;
    lanes_sincos(u, &s, &c);
    return c;
}

FUNCTION V lanes_tan(V u)
{
    V r, r_tail, s_tail, c, c_tail, tail;
    const U n = (U)quarter_turns(magnitude(u), &r, &r_tail);
    circle_at(r, r_tail, &s_tail, &c, &c_tail);
    const V sine = r + s_tail, cosine = c + c_tail;
    s_tail = (r - sine) + s_tail;
    c_tail = (c - cosine) + c_tail;
    const I odd = -(I)(n & 1); /* then -cos/sin */
    const V q = quotient(chosen(odd, cosine, sine), chosen(odd, c_tail, s_tail),
                         chosen(odd, sine, cosine), chosen(odd, s_tail, c_tail), &tail);
    return with_sign(q + tail, (I)(n << 63) ^ sign_of(u));
}

static const double exponential_series[] = {
    1.0 / 2.0,       1.0 / 6.0,        1.0 / 24.0,        1.0 / 120.0,
    1.0 / 720.0,     1.0 / 5040.0,     1.0 / 40320.0,     1.0 / 362880.0,
    1.0 / 3628800.0, 1.0 / 39916800.0, 1.0 / 479001600.0, 1.0 / 6227020800.0};

/* e^(x + x_tail) = 2^k (1 + r + tail), |r| <= ln(2)/2, for |x| up to a thousand. */
static inline V exponent_and_rest(V x, V x_tail, V *r, V *tail)
{
    const V k = fused(x, all(LOG2_E), all(ROUNDER)) - ROUNDER;
    const V first = fused(-k, all(LN2), x), both = first + x_tail;
    *r = fused(-k, all(LN2_TAIL), both);
    const V r_tail = fused(-k, all(LN2_TAIL), both - *r) + ((first - both) + x_tail);
    *tail = fused(*r * *r, polynomial(*r, exponential_series, 12), r_tail);
    return k;
}

/* e^(x + x_tail) 2^shift */
static inline V exponential(V x, V x_tail, double shift)
{
    V r, tail;
    x = chosen(x > 800.0, all(800.0), chosen(x < -800.0, all(-800.0), x));
    const V k = exponent_and_rest(x, x_tail, &r, &tail);
    const V head = 1.0 + r;
    return scaled(head + (((1.0 - head) + r) + tail), k + shift);
}

FUNCTION V lanes_exp(V u) { return exponential(u, ZERO, 0.0); }

FUNCTION void lanes_sinhcosh(V u, V *s, V *c)
{
    static const double series[] = {
        1.0 / 6.0,        1.0 / 120.0,        1.0 / 5040.0,          1.0 / 362880.0,
        1.0 / 39916800.0, 1.0 / 6227020800.0, 1.0 / 1307674368000.0, 1.0 / 355687428096000.0,
        1.0 / 121645100408832000.0};
    const V a = magnitude(u), z = a * a;
    const V growing = exponential(a, ZERO, -1.0), falling = 0.25 / growing;
    const V small = fused(a * z, polynomial(z, series, 9), a);
    *s = with_sign(chosen(a < 1.0, small, growing - falling), sign_of(u));
    *c = growing + falling;
}

FUNCTION V lanes_sinh(V u)
{
    V s, c;
    lanes_sinhcosh(u, &s, &c);
    return s;
}

FUNCTION V lanes_cosh(V u)
{
    V s, c;
    lanes_sinhcosh(u, &s, &c);
    return c;
}

/* m / (m + 2) with m = e^(2u) - 1; beyond 20 it is 1. */
FUNCTION V lanes_tanh(V u)
{
    V r, tail, q_tail;
    const V a = magnitude(u), twice = 2.0 * chosen(a > 20.0, all(20.0), a);
    const V scale = power_of_two(exponent_and_rest(twice, ZERO, &r, &tail));
    const V whole = scale - 1.0, most = whole + scale * r;
    const V rest = ((whole - most) + scale * r) + scale * tail;
    const V m = most + rest, m_tail = (most - m) + rest;
    const V d = m + 2.0, d_tail = lost(m, all(2.0), d) + m_tail;
    const V q = quotient(m, m_tail, d, d_tail, &q_tail);
    return with_sign(q + q_tail, sign_of(u));
}

/* u = 2^k m with m between sqrt(1/2) and sqrt(2), for normal u > 0 and subnormal ones. */
static inline V exponent_and_mantissa(V u, V *m)
{
    const I tiny = u < 0x1p-1022;
    const U low = (U)all(0x1.6a09e667f3bcdp-1), one = (U)all(1.0);
    const U bits = (U)chosen(tiny, u * 0x1p54, u) - low + one;
    *m = (V)((bits & 0xfffffffffffffULL) + low);
    const V biased = (V)((bits >> 52) | (U)all(0x1p52)) - (0x1p52 + 1023.0);
    return biased - (V)(tiny & (I)all(54.0));
}

/* log m = h (1 + z/3 + z^2/5 + ...), h = 2 (m - 1)/(m + 1) and z = h^2/4 < 0.0295; from z^2/5. */
static inline V log_series(V z)
{
    static const double series[] = {1.0 / 5.0,  1.0 / 7.0,  1.0 / 9.0,  1.0 / 11.0,
                                    1.0 / 13.0, 1.0 / 15.0, 1.0 / 17.0, 1.0 / 19.0,
                                    1.0 / 21.0, 1.0 / 23.0, 1.0 / 25.0};
    return polynomial(z, series, 11);
}

static inline V doubled_ratio(V m, V *tail)
{
    const V d = m + 1.0;
    return quotient(2.0 * (m - 1.0), ZERO, d, m - (d - 1.0), tail);
}

/* Logarithms as they are of positive numbers, and what they are elsewhere. */
static inline V log_or_limit(V u, V inside)
{
    const V limit = chosen(u == 0.0, all(-INFINITY), chosen(u > 0.0, u, all(NAN)));
    return chosen((u > 0.0) & (u < INFINITY), inside, limit);
}

FUNCTION V lanes_log(V u)
{
    V m, h_tail;
    const V k = exponent_and_mantissa(u, &m), h = doubled_ratio(m, &h_tail);
    const V z = 0.25 * (h * h), slope = fused(z, log_series(z), all(1.0 / 3.0));
    const V whole = k * LN2, head = whole + h;
    const V tail = fused(k, all(LN2_TAIL), fused(h * z, slope, h_tail));
    return log_or_limit(u, head + (((whole - head) + h) + tail));
}

/* log u to twenty digits, for powers: there the error grows with the exponent. */
static inline V log_and_tail(V u, V *tail)
{
    V m, h_tail;
    const V k = exponent_and_mantissa(u, &m), h = doubled_ratio(m, &h_tail);
    const V s = 0.5 * h, z = times(s, s), z_tail = fused(s, h_tail, fused(s, s, -z));
    /* z (1/3 + z/5 + ...) = v, then h v, each with its tail */
    const V above = times(z, log_series(z)), third = all(1.0 / 3.0), slope = third + above;
    const V slope_tail = ((third - slope) + above) + 0x1.5555555555555p-56;
    const V v = times(z, slope);
    const V v_tail = fused(z, slope_tail, fused(z_tail, slope, fused(z, slope, -v)));
    const V hv = times(h, v);
    const V hv_tail = fused(h, v_tail, fused(h_tail, v, fused(h, v, -hv)));
    const V part = h + hv, part_tail = ((h - part) + hv) + (hv_tail + h_tail);
    const V whole = k * LN2, sum = whole + part;
    const V rest = ((whole - sum) + part) + fused(k, all(LN2_TAIL), part_tail);
    const V head = sum + rest;
    *tail = (sum - head) + rest;
    return log_or_limit(u, head);
}

/* The nearest whole number to u >= 0; from 2^52 on all are whole. */
static inline V whole_number(V u) { return chosen(u < 0x1p52, (u + 0x1p52) - 0x1p52, u); }

FUNCTION V lanes_pow(V u, V r)
{
    const V a = magnitude(u), size = magnitude(r);
    V log_tail;
    const V head = log_and_tail(a, &log_tail), x = times(r, head);
    V x_tail = fused(r, log_tail, fused(r, head, -x));
    x_tail = (V)((I)x_tail & (magnitude(x) < 800.0)); /* beyond, inf - inf may stand there */
    V y = exponential(x, x_tail, 0.0);
    y = chosen((size == 0.0) | (a == 1.0), all(1.0), y);
    const I whole = whole_number(size) == size;
    const I odd = whole & (whole_number(0.5 * size) != 0.5 * size);
    y = with_sign(y, sign_of(u) & odd);
    return chosen((u < 0.0) & (u > -INFINITY) & ~whole, all(NAN), y);
}

/* x^r to 1e-13 for x > 0 and |r| <= 1/2: without tails half the work of a power. */
FUNCTION V lanes_root(V x, V r)
{
    V m;
    const V k = exponent_and_mantissa(x, &m), h = 2.0 * (m - 1.0) / (m + 1.0);
    const V z = 0.25 * (h * h), slope = fused(z, log_series(z), all(1.0 / 3.0));
    const V y = times(r, fused(k, all(LN2 + LN2_TAIL), fused(h * z, slope, h)));
    const V n = fused(y, all(LOG2_E), all(ROUNDER)) - ROUNDER;
    const V rest = fused(-n, all(LN2 + LN2_TAIL), y);
    const V above = fused(rest * rest, polynomial(rest, exponential_series, 12), rest);
    return chosen(x < INFINITY, (1.0 + above) * power_of_two(n), x);
}

/* The angle of the point (d, n), both from 0 on: atan(n/d) as head and tail.
 * The nearest of 0, atan 0.4, pi/4, atan 2.5, pi/2 is turned off; n - slope d is exact then. */
static inline V angle(V n, V n_tail, V d, V d_tail, V *tail)
{
    static const double series[] = {-1.0 / 3.0,  1.0 / 5.0,  -1.0 / 7.0,  1.0 / 9.0,
                                    -1.0 / 11.0, 1.0 / 13.0, -1.0 / 15.0, 1.0 / 17.0,
                                    -1.0 / 19.0, 1.0 / 21.0, -1.0 / 23.0};
    const I some = n > 0.21 * d, half = n > 0.66 * d, more = n > 1.5 * d, most = n > 4.9 * d;
    const V slope = chosen(more, all(2.5), chosen(half, all(1.0), (V)(some & (I)all(0.4))));
    V base = chosen(more, all(0x1.30b6d796a4da8p+0),
                    chosen(half, all(0.5 * HALF_PI), (V)(some & (I)all(0x1.85a376b677dc0p-2))));
    V base_tail =
        chosen(more, all(0x1.6254cb03bb199p-54),
               chosen(half, all(0.5 * HALF_PI_TAIL), (V)(some & (I)all(0x1.05437130f10cdp-58))));
    base = chosen(most, all(HALF_PI), base);
    base_tail = chosen(most, all(HALF_PI_TAIL), base_tail);
    const V below = times(slope, d);
    const V across = n - below;
    const V across_tail = fused(-slope, d_tail, n_tail - fused(slope, d, -below));
    const V turned = times(slope, n), along = d + turned;
    const V along_tail =
        lost(d, turned, along) + fused(slope, n_tail, d_tail + fused(slope, n, -turned));
    V x_tail;
    const V x = quotient(chosen(most, -d, across), chosen(most, -d_tail, across_tail),
                         chosen(most, n, along), chosen(most, n_tail, along_tail), &x_tail);
    const V z = x * x, end = fused(x * z, polynomial(z, series, 11), x_tail);
    const V head = base + x;
    *tail = ((base - head) + x) + (base_tail + end);
    return head;
}

FUNCTION V lanes_atan(V u)
{
    V tail;
    const V a = magnitude(u);
    const V head = angle(chosen(a > 1e300, all(1e300), a), ZERO, all(1.0), ZERO, &tail);
    return with_sign(head + tail, sign_of(u));
}

/* sqrt(1 - a^2) as head and tail, from (1 - a)(1 + a); not a number beyond 1. */
static inline V other_leg(V a, V *tail)
{
    const V minus = 1.0 - a, plus = 1.0 + a;
    const V minus_tail = (1.0 - minus) - a, plus_tail = (1.0 - plus) + a;
    const V square = times(minus, plus);
    const V square_tail = fused(minus, plus_tail, fused(plus, minus_tail,
                                                        fused(minus, plus, -square)));
    const V root = lanes_sqrt(square);
    /* the smallest root but zero is 1e-8 */
    *tail = times(fused(-root, root, square) + square_tail, 0.5 / (root + 1e-300));
    return root;
}

FUNCTION V lanes_asin(V u)
{
    V leg_tail, tail;
    const V a = magnitude(u), leg = other_leg(a, &leg_tail);
    const V head = angle(a, ZERO, leg, leg_tail, &tail);
    return with_sign(head + tail, sign_of(u));
}

FUNCTION V lanes_acos(V u)
{
    V leg_tail, tail;
    const V a = magnitude(u), leg = other_leg(a, &leg_tail);
    const V head = angle(leg, leg_tail, a, ZERO, &tail);
    const V obtuse = 2.0 * HALF_PI - head;
    const V obtuse_tail = ((2.0 * HALF_PI - obtuse) - head) + (2.0 * HALF_PI_TAIL - tail);
    return chosen(u < 0.0, obtuse + obtuse_tail, head + tail);
}

/* For one number. */
#define ALONE(name, function) \
    FUNCTION double name(double u) { return function(all(u))[0]; }
ALONE(own_sin, lanes_sin)
ALONE(own_cos, lanes_cos)
ALONE(own_tan, lanes_tan)
ALONE(own_asin, lanes_asin)
ALONE(own_acos, lanes_acos)
ALONE(own_atan, lanes_atan)
ALONE(own_exp, lanes_exp)
ALONE(own_log, lanes_log)
ALONE(own_sinh, lanes_sinh)
ALONE(own_cosh, lanes_cosh)
ALONE(own_tanh, lanes_tanh)
FUNCTION double own_pow(double u, double r) { return lanes_pow(all(u), all(r))[0]; }
#endif
