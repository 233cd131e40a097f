/* Which rows at rest hold and which slide: Gauss's principle with bounded reactions. */
#ifndef ZWANG_PATTERNS_H
#define ZWANG_PATTERNS_H
#include <stddef.h>
#if NG > 0

#define NZ (2 * NG)
#define ANGLES 72 /* parts of the circle, each with at most one direction */
#define SAME 1e-9 /* of the accelerations: closer patterns are one motion */

/* The rows that may hold at one instant: a = a0 + W L, with bounds H = H0 + H1 L, R = R0 + R1 L. */
typedef struct {
    int rows, groups, group[NG], first[NG];
    double a0[NZ], W[NZ][NZ], unit[NZ], H0[NG], H1[NG][NZ], R0[NG], R1[NG][NZ];
} at_rest;

typedef struct {
    int option[NG];
    double reaction[NZ], acceleration[NZ], direction[NG][2];
} pattern;

static double node_value(V (*x)[ORDER + 1], int node, int i)
{
    return node < 0 ? 0.0 : x[node][0][i];
}

/* Accelerations and bounds without reactions, then with each reaction alone. */
static void gather_rows(lane *a, V (*x)[ORDER + 1], V *k, int i, double slow, at_rest *z)
{
    z->rows = z->groups = 0;
    for (int g = 0; g < NG; ++g) {
        double speed = 0.0;
        for (int r = 0; r < rows_of[g]; ++r) speed += fabs(x[slip_state[2 * g + r]][0][i]);
        if (a->mode[g] != 0 && (speed > slow || gap_state[g] >= 0)) continue;
        double *m = &a->p[NP + NB + MODES * g];
        m[0] = m[3] = 1.0;
        m[1] = m[2] = m[4] = m[5] = 0.0;
        for (int r = 0; r < rows_of[g]; ++r) x[slip_state[2 * g + r]][0][i] = 0.0;
        z->group[z->groups] = g;
        z->first[z->groups++] = z->rows;
        z->rows += rows_of[g];
    }
    for (int column = -1, on = 0; column < z->rows; ++column) {
        double *known = NULL;
        if (column >= 0) {
            while (on + 1 < z->groups && z->first[on + 1] <= column) ++on;
            const int g = z->group[on], r = column - z->first[on];
            known = &a->p[NP + NB + MODES * g + 4 + r];
            z->unit[column] = *known = x[slip_scale[2 * g + r]][0][i];
        }
        refresh(a, k, i);
        values(x, k);
        for (int j = 0; j < z->groups; ++j) {
            const int g = z->group[j];
            const double H = node_value(x, bound_node[g], i), R = node_value(x, carried_node[g], i);
            if (column < 0) {
                z->H0[j] = H;
                z->R0[j] = R;
            } else {
                z->H1[j][column] = (H - z->H0[j]) / z->unit[column];
                z->R1[j][column] = (R - z->R0[j]) / z->unit[column];
            }
            for (int r = 0; r < rows_of[g]; ++r) {
                const int row = z->first[j] + r;
                const double acceleration = x[slip_rate[2 * g + r]][0][i];
                if (column < 0) z->a0[row] = acceleration;
                else z->W[row][column] = (acceleration - z->a0[row]) / z->unit[column];
            }
        }
        if (known) *known = 0.0;
    }
}

/* Solve A y = b by elimination with pivoting; 0 if A is singular. */
static int solve_small(int n, double A[NZ][NZ], double *b)
{
    for (int c = 0; c < n; ++c) {
        int best = c;
        for (int r = c + 1; r < n; ++r)
            if (fabs(A[r][c]) > fabs(A[best][c])) best = r;
        if (!(fabs(A[best][c]) > 0.0)) return 0;
        for (int j = 0; j < n; ++j) {
            const double swap = A[c][j];
            A[c][j] = A[best][j];
            A[best][j] = swap;
        }
        const double swap = b[c];
        b[c] = b[best];
        b[best] = swap;
        for (int r = c + 1; r < n; ++r) {
            const double factor = A[r][c] / A[c][c];
            for (int j = c; j < n; ++j) A[r][j] -= factor * A[c][j];
            b[r] -= factor * b[c];
        }
    }
    for (int c = n - 1; c >= 0; --c) {
        for (int j = c + 1; j < n; ++j) b[c] -= A[c][j] * b[j];
        b[c] /= A[c][c];
    }
    return 1;
}

/* Reactions and accelerations of a pattern whose directions in the plane are known. */
static int solve_pattern(const at_rest *z, pattern *p)
{
    double A[NZ][NZ], b[NZ];
    for (int j = 0; j < z->groups; ++j) {
        const int g = z->group[j], one_sided = bound_node[g] < 0;
        for (int r = 0; r < rows_of[g]; ++r) {
            const int row = z->first[j] + r;
            const double along = rows_of[g] == 2 ? p->direction[j][r] : p->option[j];
            for (int c = 0; c < z->rows; ++c)
                A[row][c] = p->option[j] == 0 ? z->W[row][c]
                                              : (row == c) + (one_sided ? 0.0 : along * z->R1[j][c]);
            b[row] = p->option[j] == 0 ? -z->a0[row] : (one_sided ? 0.0 : -along * z->R0[j]);
        }
    }
    if (!solve_small(z->rows, A, b)) return 0;
    for (int row = 0; row < z->rows; ++row) p->reaction[row] = b[row];
    for (int row = 0; row < z->rows; ++row) {
        p->acceleration[row] = z->a0[row];
        for (int c = 0; c < z->rows; ++c) p->acceleration[row] += z->W[row][c] * b[c];
    }
    for (int j = 0; j < z->groups; ++j) /* exactly zero, not a rounding of it */
        for (int r = 0; r < rows_of[z->group[j]] && p->option[j] == 0; ++r)
            p->acceleration[z->first[j] + r] = 0.0;
    return 1;
}

/* The unit vector n with (R W + alpha) n = c for some alpha >= 0: slip along the acceleration.
 * |(R W + alpha)^-1 c| falls with alpha, so that there is at most one; if there is none, n for
 * alpha = 0, which the final check refuses unless R has changed by then. */
static int slip_direction(double W[2][2], double R, const double *c, double *n)
{
    double low = 0.0, high = sqrt(c[0] * c[0] + c[1] * c[1]);
    for (int step = 0; step < 200; ++step) {
        const double alpha = step == 0 ? 0.0 : 0.5 * (low + high);
        const double d0 = R * W[0][0] + alpha, d1 = R * W[1][1] + alpha, o = R * W[0][1];
        const double det = d0 * d1 - o * o;
        n[0] = (d1 * c[0] - o * c[1]) / det;
        n[1] = (d0 * c[1] - o * c[0]) / det;
        const double size = sqrt(n[0] * n[0] + n[1] * n[1]);
        if (step == 0 && size <= 1.0) break;
        if (size > 1.0) low = alpha;
        else high = alpha;
        if (step > 0 && high - low <= 1e-16 * high) break;
    }
    const double size = sqrt(n[0] * n[0] + n[1] * n[1]);
    n[0] /= size;
    n[1] /= size;
    return isfinite(n[0]) && isfinite(n[1]);
}

/* Whether held rows stay within their bounds and sliding ones go the way of their slip. */
static int consistent(const at_rest *z, const pattern *p)
{
    for (int j = 0; j < z->groups; ++j) {
        const int g = z->group[j], f = z->first[j];
        double size = 0.0, force = 0.0, along = 0.0, across = 0.0;
        for (int r = 0; r < rows_of[g]; ++r) {
            const double L = p->reaction[f + r], a = p->acceleration[f + r];
            force += L * L;
            size += fabs(z->a0[f + r]);
            for (int c = 0; c < z->rows; ++c) size += fabs(z->W[f + r][c] * p->reaction[c]);
            along += a * (rows_of[g] == 2 ? p->direction[j][r] : p->option[j]);
        }
        if (p->option[j] == 0) {
            double H = z->H0[j];
            for (int c = 0; c < z->rows; ++c) H += z->H1[j][c] * p->reaction[c];
            const double L = p->reaction[f];
            if (bound_node[g] < 0 ? L < -SLACKNESS * size * z->unit[f]
                                  : sqrt(force) > H + SLACKNESS * (H + sqrt(force)))
                return 0;
        } else {
            if (rows_of[g] == 2)
                across = p->acceleration[f] * p->direction[j][1] - p->acceleration[f + 1] * p->direction[j][0];
            double R = z->R0[j];
            for (int c = 0; c < z->rows; ++c) R += z->R1[j][c] * p->reaction[c];
            if (along < -SLACKNESS * size || fabs(across) > SAME * size) return 0;
            if (R < 0.0) return 0; /* friction of a load that pulls */
        }
    }
    return 1;
}

static int same_motion(const at_rest *z, const pattern *p, const pattern *q)
{
    for (int row = 0; row < z->rows; ++row) {
        double size = fabs(z->a0[row]);
        for (int c = 0; c < z->rows; ++c) size += fabs(z->W[row][c] * p->reaction[c]);
        if (fabs(p->acceleration[row] - q->acceleration[row]) > SAME * size) return 0;
    }
    return 1;
}

/* Sideways acceleration of a slip in the plane that begins at this angle. */
static double sideways_at(const at_rest *z, pattern *p, int j, double angle)
{
    const int f = z->first[j];
    p->direction[j][0] = own_cos(angle);
    p->direction[j][1] = own_sin(angle);
    if (!solve_pattern(z, p)) return NAN;
    return p->acceleration[f] * p->direction[j][1] - p->acceleration[f + 1] * p->direction[j][0];
}

/* All directions in which a slip whose load depends on its own friction can begin: their number,
 * and the pattern of the last one. */
static int search_direction(const at_rest *z, pattern *p, int j)
{
    pattern found = *p;
    int ways = 0;
    const double part = 2.0 * 3.14159265358979323846 / ANGLES;
    double before = sideways_at(z, p, j, 0.0);
    for (int i = 1; i <= ANGLES; ++i) {
        double low = (i - 1) * part, high = i * part;
        const double after = sideways_at(z, p, j, high), from = before;
        before = after;
        if (!(from * after <= 0.0)) continue;
        for (int turn = 0; turn < 60; ++turn) {
            const double middle = 0.5 * (low + high);
            if (sideways_at(z, p, j, middle) * from > 0.0) low = middle;
            else high = middle;
        }
        sideways_at(z, p, j, 0.5 * (low + high));
        if (!consistent(z, p)) continue; /* a pole, or against the slip */
        ways += !ways || !same_motion(z, &found, p);
        found = *p;
    }
    *p = found;
    return ways;
}

/* Solve a pattern, the directions of slips in the plane by turns: the number of its solutions. */
static int complete(const at_rest *z, pattern *p)
{
    int planes = 0, plane = 0, feeds_back = 0;
    for (int j = 0; j < z->groups; ++j) {
        if (rows_of[z->group[j]] != 2 || p->option[j] == 0) continue;
        const double *a = &z->a0[z->first[j]];
        const double size = sqrt(a[0] * a[0] + a[1] * a[1]);
        if (!(size > 0.0)) return 0;
        p->direction[j][0] = a[0] / size;
        p->direction[j][1] = a[1] / size;
        ++planes;
        plane = j;
        for (int c = 0; c < z->rows; ++c) feeds_back |= z->R1[j][c] != 0.0;
    }
    if (planes == 1 && feeds_back) return search_direction(z, p, plane);
    for (int turn = 0; turn < 500; ++turn) {
        if (!solve_pattern(z, p)) return 0;
        double change = 0.0;
        for (int j = 0; j < z->groups && planes; ++j) {
            if (rows_of[z->group[j]] != 2 || p->option[j] == 0) continue;
            const int f = z->first[j];
            double W[2][2], c[2], n[2], R = z->R0[j];
            for (int col = 0; col < z->rows; ++col) R += z->R1[j][col] * p->reaction[col];
            for (int r = 0; r < 2; ++r) {
                c[r] = p->acceleration[f + r];
                for (int s = 0; s < 2; ++s) {
                    W[r][s] = z->W[f + r][f + s];
                    c[r] -= W[r][s] * p->reaction[f + s];
                }
            }
            if (!slip_direction(W, R, c, n)) return 0;
            change = larger(change, fabs(n[0] - p->direction[j][0]) + fabs(n[1] - p->direction[j][1]));
            p->direction[j][0] = n[0];
            p->direction[j][1] = n[1];
        }
        if (change <= 1e-15) return solve_pattern(z, p);
    }
    return 0;
}

/* Gauss's principle with bounded reactions over all rows at rest [Moreau]: every pattern of
 * holding and sliding is tried. Contacts that hold go on holding where they can; of patterns with
 * one motion the one that holds more is taken; none, or several motions, are not unique.
 * `leaving` slides in any case, the way of `way`. */
static int decide(const lane *a, const at_rest *z, int leaving, int way, pattern *best)
{
    int count = 1, found = 0, others = 0, most_kept = -1, most_held = -1;
    for (int j = 0; j < z->groups; ++j) count *= 3;
    for (int number = 0; number < count; ++number) {
        pattern p;
        int kept = 0, held = 0, allowed = 1, digits = number;
        for (int j = 0; j < z->groups; ++j, digits /= 3) {
            const int g = z->group[j], option = digits % 3 == 2 ? -1 : digits % 3;
            p.option[j] = option;
            if (option == -1 && (rows_of[g] == 2 || bound_node[g] < 0)) allowed = 0;
            if (g == leaving && (rows_of[g] == 2 ? option != 1 : option != way)) allowed = 0;
            held += option == 0;
            kept += option == 0 && a->mode[g] == 0;
        }
        const int ways = allowed ? complete(z, &p) : 0;
        if (!ways || !consistent(z, &p)) continue;
        if (kept > most_kept) {
            most_kept = kept;
            most_held = held;
            *best = p;
            others = ways - 1;
        } else if (kept == most_kept) {
            others += ways - 1 + !same_motion(z, best, &p);
            if (held > most_held) {
                most_held = held;
                *best = p;
            }
        }
        found = 1;
    }
    return found && others == 0;
}
#endif
#endif
