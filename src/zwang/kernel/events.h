/* Roots and maxima of one step's polynomial, found in Bernstein form so that none is lost. */
#ifndef ZWANG_EVENTS_H
#define ZWANG_EVENTS_H
#include <math.h>
_Static_assert(ORDER % 4 == 0, "polynomials are summed by fours");

#define MAX_DEPTH 60
#define TOUCH 1e-9 /* of a polynomial's size */

/* A polynomial on [0, 1]: its Bernstein coefficients and the interval it stands for. */
typedef struct {
    double b[ORDER + 1];
    double from, to;
} piece;

/* Power coefficients c of s = t/h, degree ORDER, to Bernstein coefficients. */
static void bernstein(const double *c, piece *p)
{
    double d[ORDER + 1], binomial = 1.0;
    for (int i = 0; i <= ORDER; ++i) {
        d[i] = c[i] / binomial; /* c_i / C(ORDER, i) */
        binomial = binomial * (ORDER - i) / (i + 1);
    }
    for (int k = 1; k <= ORDER; ++k) /* b_i = sum_j C(i, j) d_j by repeated sums */
        for (int i = ORDER; i >= k; --i) d[i] += d[i - 1];
    for (int i = 0; i <= ORDER; ++i) p->b[i] = d[i];
    p->from = 0.0;
    p->to = 1.0;
}

/* de Casteljau at the middle: p becomes the left half, right the other. */
static void halve(piece *p, piece *right)
{
    const double middle = 0.5 * (p->from + p->to);
    for (int i = 0; i <= ORDER; ++i) right->b[i] = p->b[i];
    right->from = middle;
    right->to = p->to;
    p->to = middle;
    double *r = right->b;
    for (int k = 1; k <= ORDER; ++k) {
        for (int i = 0; i <= ORDER - k; ++i) r[i] = 0.5 * (r[i] + r[i + 1]);
        p->b[k] = r[0];
    }
}

/* Halve the piece on top of the stack; the left half comes to lie on top and is looked at first. */
static void split(piece *stack, int top)
{
    stack[top + 1] = stack[top];
    halve(&stack[top + 1], &stack[top]);
}

static int variations(const double *b, int count, double shift)
{
    int changes = 0, last = 0;
    for (int i = 0; i < count; ++i) {
        const double x = b[i] - shift;
        const int sign = (x > 0.0) - (x < 0.0);
        if (sign && last && sign != last) ++changes;
        if (sign) last = sign;
    }
    return changes;
}

/* Four sums side by side, of every fourth coefficient: a single one would wait for itself. */
static double value(const double *c, double s)
{
    const double s2 = s * s, s4 = s2 * s2;
    double r0 = c[ORDER], r1 = 0.0, r2 = 0.0, r3 = 0.0;
    for (int i = ORDER - 4; i >= 0; i -= 4) {
        r0 = r0 * s4 + c[i];
        r1 = r1 * s4 + c[i + 1];
        r2 = r2 * s4 + c[i + 2];
        r3 = r3 * s4 + c[i + 3];
    }
    return (r0 + r1 * s) + (r2 + r3 * s) * s2;
}

static void derivative(const double *c, double *d)
{
    for (int i = 0; i < ORDER; ++i) d[i] = (i + 1) * c[i + 1];
    d[ORDER] = 0.0;
}

/* The root of c - shift in [a, b], by guarded Newton. */
static double root_between(const double *c, double a, double b, double shift)
{
    double d[ORDER + 1];
    derivative(c, d);
    const double fa = value(c, a) - shift, fb = value(c, b) - shift;
    double s = a + (b - a) * fa / (fa - fb); /* where the chord crosses */
    if (!(s > a && s < b)) s = 0.5 * (a + b);
    for (int i = 0; i < 80; ++i) {
        const double f = value(c, s) - shift;
        if (f == 0.0) return s;
        if ((f > 0.0) == (fa > 0.0)) a = s;
        else b = s;
        const double newton = s - f / value(d, s);
        if (fabs(newton - s) <= 1e-13) return smaller(larger(newton, a), b); /* error: its square */
        const double next = newton > a && newton < b ? newton : 0.5 * (a + b);
        if (b - a <= 1e-16) return next;
        s = next;
    }
    return s;
}

/* Bounds of a polynomial on [0, 1] from its first coefficients, the rest as a tail.
 * Cheap, and enough for most steps: high orders are small by the choice of the step. */
static void bounds(const double *c, double tail, double *low, double *high)
{
    const double d1 = c[1] / 4.0, d2 = c[2] / 6.0, d3 = c[3] / 4.0;
    const double b0 = c[0], b1 = b0 + d1, b2 = b1 + d1 + d2, b3 = b2 + d1 + 2.0 * d2 + d3;
    const double b4 = c[0] + c[1] + c[2] + c[3] + c[4];
    *low = smaller(smaller(smaller(b0, b1), smaller(b2, b3)), b4) - tail;
    *high = larger(larger(larger(b0, b1), larger(b2, b3)), b4) + tail;
}

static void value_bounds(const double *c, double *low, double *high)
{
    double tail = 0.0;
    for (int i = 5; i <= ORDER; ++i) tail += fabs(c[i]);
    bounds(c, tail, low, high);
}

/* Whether the slope has one sign on [0, 1], as far as cheap bounds can tell. */
static int monotone(const double *c)
{
    const double d[5] = {c[1], 2.0 * c[2], 3.0 * c[3], 4.0 * c[4], 5.0 * c[5]};
    double tail = 0.0, low, high;
    for (int i = 6; i <= ORDER; ++i) tail += i * fabs(c[i]);
    bounds(d, tail, &low, &high);
    return low > 0.0 || high < 0.0;
}

/* Whether the curvature has one sign on [0, 1], as far as cheap bounds can tell: then there is at
 * most one extremum. */
static int bends_one_way(const double *c)
{
    const double d[5] = {2.0 * c[2], 6.0 * c[3], 12.0 * c[4], 20.0 * c[5], 30.0 * c[6]};
    double tail = 0.0, low, high;
    for (int i = 7; i <= ORDER; ++i) tail += i * (i - 1) * fabs(c[i]);
    bounds(d, tail, &low, &high);
    return low > 0.0 || high < 0.0;
}

/* The extremum of a polynomial that bends one way, or 2 if it is monotone. */
static double extremum(const double *c)
{
    double d[ORDER + 1];
    derivative(c, d);
    return (d[0] > 0.0) == (value(d, 1.0) > 0.0) ? 2.0 : root_between(d, 0.0, 1.0, 0.0);
}

/* First s in [0, 1] with value = level, or 2 if there is none. */
static double first_crossing(const double *c, double level)
{
    double low, high;
    value_bounds(c, &low, &high);
    if (level < low || level > high) return 2.0;
    if (monotone(c)) {
        const double begin = c[0] - level, end = value(c, 1.0) - level;
        if (begin == 0.0) return 0.0;
        if (end == 0.0) return 1.0;
        return (begin > 0.0) == (end > 0.0) ? 2.0 : root_between(c, 0.0, 1.0, level);
    }
    piece stack[MAX_DEPTH + 1];
    int top = 0;
    bernstein(c, &stack[0]);
    while (top >= 0) {
        piece *p = &stack[top];
        const int changes = variations(p->b, ORDER + 1, level);
        if (p->b[0] == level) return p->from;
        if (changes == 0) {
            if (p->b[ORDER] == level) return p->to;
            --top;
        } else if (changes == 1 && (p->b[0] > level) != (p->b[ORDER] > level)) {
            return root_between(c, p->from, p->to, level);
        } else if (top == MAX_DEPTH || p->to - p->from < 1e-15) {
            return p->from; /* a touch */
        } else {
            split(stack, top++);
        }
    }
    return 2.0;
}

static double first_fall(const double *c, double slack);

/* The place of a fall at s, or 2 if it is a touch: shallower than TOUCH, and above again at the end. */
static double fall_or_touch(const double *c, double s)
{
    double size = 0.0;
    for (int i = 0; i <= ORDER; ++i) size += fabs(c[i]);
    const double deep = first_crossing(c, -TOUCH * size);
    if (deep > 1.0) return value(c, 1.0) < 0.0 ? s : 2.0;
    const double middle = 0.5 * (s + deep); /* above zero: what came before was a touch */
    return value(c, middle) > 0.0 ? root_between(c, middle, deep, 0.0) : s;
}

/* First s in [0, 1] from which on the value is below zero, or 2 if there is none; a touch does not
 * count. A value within `slack` of zero at the start is zero there: what follows it decides. */
static __attribute__((unused)) double first_fall(const double *c, double slack)
{
    if (c[0] <= slack) {
        double d[ORDER + 1];
        int lead = 1;
        while (lead <= ORDER && c[lead] == 0.0) ++lead;
        if (c[0] < -slack) return 0.0;
        if (lead > ORDER) return 2.0;
        if (c[lead] < 0.0) return 0.0;
        for (int i = 0; i <= ORDER; ++i) d[i] = i + lead <= ORDER ? c[i + lead] : 0.0;
        return first_fall(d, 0.0);
    }
    double low, high;
    value_bounds(c, &low, &high);
    if (low > 0.0) return 2.0;
    if (monotone(c)) return value(c, 1.0) >= 0.0 ? 2.0 : root_between(c, 0.0, 1.0, 0.0);
    piece stack[MAX_DEPTH + 1];
    int top = 0;
    bernstein(c, &stack[0]);
    while (top >= 0) {
        piece *p = &stack[top];
        const int changes = variations(p->b, ORDER + 1, 0.0);
        if (changes == 1 && p->b[0] >= 0.0 && p->b[ORDER] < 0.0) {
            return fall_or_touch(c, p->b[0] > 0.0 ? root_between(c, p->from, p->to, 0.0) : p->from);
        } else if (changes == 0 || top == MAX_DEPTH || p->to - p->from < 1e-15) {
            if (changes == 0 && p->b[ORDER] < 0.0) return fall_or_touch(c, p->from);
            --top;
        } else {
            split(stack, top++);
        }
    }
    return 2.0;
}

/* The largest |value| on [0, 1] if it exceeds *best; then *best and *at are replaced. */
static int larger_maximum(const double *c, double *best, double *at)
{
    double low, high;
    value_bounds(c, &low, &high);
    if (!(larger(-low, high) > *best)) return 0;
    if (monotone(c)) {
        const double end = fabs(value(c, 1.0)), begin = fabs(c[0]);
        if (!(larger(begin, end) > *best)) return 0;
        *best = larger(begin, end);
        *at = end > begin ? 1.0 : 0.0;
        return 1;
    }
    if (bends_one_way(c)) {
        const double places[3] = {0.0, 1.0, extremum(c)};
        int improved = 0;
        for (int i = 0; i < 3 && places[i] <= 1.0; ++i) {
            const double size = fabs(value(c, places[i]));
            if (!(size > *best)) continue;
            *best = size;
            *at = places[i];
            improved = 1;
        }
        return improved;
    }
    double slopes[ORDER + 1];
    derivative(c, slopes);
    piece stack[MAX_DEPTH + 1];
    int top = 0, found = 0;
    bernstein(c, &stack[0]);
    while (top >= 0) {
        piece *p = &stack[top];
        double hull = 0.0, d[ORDER];
        for (int i = 0; i <= ORDER; ++i) hull = larger(hull, fabs(p->b[i]));
        if (!(hull > *best)) {
            --top;
            continue;
        }
        for (int end = 0; end < 2; ++end)
            if (fabs(p->b[end ? ORDER : 0]) > *best) {
                *best = fabs(p->b[end ? ORDER : 0]);
                *at = end ? p->to : p->from;
                found = 1;
            }
        for (int i = 0; i < ORDER; ++i) d[i] = p->b[i + 1] - p->b[i];
        const int changes = variations(d, ORDER, 0.0);
        if (changes == 0 || top == MAX_DEPTH || p->to - p->from < 1e-15) {
            --top;
        } else if (changes == 1 && (d[0] > 0.0) != (d[ORDER - 1] > 0.0)) {
            const double s = root_between(slopes, p->from, p->to, 0.0);
            if (fabs(value(c, s)) > *best) {
                *best = fabs(value(c, s));
                *at = s;
                found = 1;
            }
            --top;
        } else {
            split(stack, top++);
        }
    }
    return found;
}
#endif
