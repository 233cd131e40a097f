/* Roots and maxima of one step's polynomial, found in Bernstein form so that none is lost. */
#ifndef ZWANG_EVENTS_H
#define ZWANG_EVENTS_H
#include <math.h>

#define MAX_DEPTH 60

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

static double value(const double *c, double s)
{
    double r = c[ORDER];
    for (int i = ORDER - 1; i >= 0; --i) r = r * s + c[i];
    return r;
}

static double slope(const double *c, double s)
{
    double r = ORDER * c[ORDER];
    for (int i = ORDER - 1; i >= 1; --i) r = r * s + i * c[i];
    return r;
}

static double curvature(const double *c, double s)
{
    double r = ORDER * (ORDER - 1) * c[ORDER];
    for (int i = ORDER - 1; i >= 2; --i) r = r * s + i * (i - 1) * c[i];
    return r;
}

/* The root in [a, b] of f - shift (f: value, or slope for a critical point), by guarded Newton. */
static double root_between(const double *c, double a, double b, double shift, int of_slope)
{
    const double fa = (of_slope ? slope(c, a) : value(c, a)) - shift;
    double s = 0.5 * (a + b);
    for (int i = 0; i < 80; ++i) {
        const double f = (of_slope ? slope(c, s) : value(c, s)) - shift;
        const double df = of_slope ? curvature(c, s) : slope(c, s);
        if (f == 0.0) return s;
        if ((f > 0.0) == (fa > 0.0)) a = s;
        else b = s;
        double next = s - f / df;
        if (!(next > a && next < b)) next = 0.5 * (a + b);
        if (fabs(next - s) <= 1e-16 || b - a <= 1e-16) return next;
        s = next;
    }
    return s;
}

/* First s in [0, 1] with value = level, or 2 if there is none. */
static double first_crossing(const double *c, double level)
{
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
            return root_between(c, p->from, p->to, level, 0);
        } else if (top == MAX_DEPTH || p->to - p->from < 1e-15) {
            return p->from; /* a touch */
        } else {
            piece right;
            halve(p, &right);
            stack[top + 1] = *p; /* the left half is looked at first */
            stack[top] = right;
            ++top;
        }
    }
    return 2.0;
}

/* The largest |value| on [0, 1] if it exceeds *best; then *best and *at are replaced. */
static int larger_maximum(const double *c, double *best, double *at)
{
    piece stack[MAX_DEPTH + 1];
    int top = 0, found = 0;
    bernstein(c, &stack[0]);
    while (top >= 0) {
        piece *p = &stack[top];
        double hull = 0.0, d[ORDER];
        for (int i = 0; i <= ORDER; ++i) hull = fmax(hull, fabs(p->b[i]));
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
            const double s = root_between(c, p->from, p->to, 0.0, 1);
            if (fabs(value(c, s)) > *best) {
                *best = fabs(value(c, s));
                *at = s;
                found = 1;
            }
            --top;
        } else {
            piece right;
            halve(p, &right);
            stack[top + 1] = *p;
            stack[top] = right;
            ++top;
        }
    }
    return found;
}
#endif
