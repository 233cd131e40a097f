/* Which contacts hold and which slide: bounds reached, slips that end, and the decision at rest. */
#ifndef ZWANG_MODES_H
#define ZWANG_MODES_H
#include <stddef.h>

#define NZ (2 * NG + 1)
#define SLACKNESS 1e-11 /* of a bound or an acceleration: below, it is rounding */
#define SAME 1e-9       /* of the accelerations: closer patterns are one motion */
#define STOPPED 1e-6    /* m/s, a slip in the plane that will end within one extrapolated step */
#define AHEAD 64.0      /* steps: a root's series allows only a part of the way to its zero */
#define GONE 1e-12      /* m/s, one that is over: its direction turns faster than it gets slower */

enum { NOTHING, RELEASE, STOP, TAUT };
typedef struct {
    double time; /* in steps; 2 if there is none */
    int kind, group;
} event;

/* The mode of every contact as constants of the series. */
static void set_modes(lane *a)
{
    for (int g = 0; g < NG; ++g) {
        double *m = &a->p[NP + NB + MODES * g];
        const int moves = a->mode[g] != 0, plane = rows_of[g] == 2;
        m[0] = moves;
        m[1] = plane ? moves : a->mode[g];
        m[2] = plane && moves && a->fresh[g];
        m[3] = !(plane && moves && !a->fresh[g]);
        m[4] = m[5] = 0.0;
    }
}

static void refresh(const lane *a, V *k, int i)
{
    double own[NK + 1];
    constants(a->p, own);
    for (int j = 0; j < NK; ++j) k[j][i] = own[j];
}

#if NG > 0
/* Drop a zero of this order at the start, known to be there: what is left decides. */
static void divide_out(double *s, int order)
{
    for (int n = 0; n <= ORDER; ++n) s[n] = n + order <= ORDER ? s[n + order] : 0.0;
}

/* The speed of a slip in the plane on the step [0, h]; at its start along the given direction. */
static void slip_speed(const lane *a, V (*x)[ORDER + 1], int i, int g, double h, double *s)
{
    if (!a->fresh[g]) {
        on_step(x[slip_node[g]], i, h, s);
        return;
    }
    double power = 1.0;
    for (int n = 0; n <= ORDER; ++n, power *= h) {
        s[n] = 0.0;
        for (int j = 0; j <= n; ++j)
            s[n] += x[slip_state[2 * g]][j][i] * x[cosine_node[g]][n - j][i]
                    + x[slip_state[2 * g + 1]][j][i] * x[sine_node[g]][n - j][i];
        s[n] *= power;
    }
}

/* When a held contact leaves its bounds, or a sliding one comes to rest, within the step h. */
static event event_of(const lane *a, V (*x)[ORDER + 1], int i, int g, double h)
{
    event none = {2.0, NOTHING, g}, found = none;
    double s[ORDER + 1], b[ORDER + 1];
    if (a->mode[g] == 0) {
        found.kind = RELEASE;
        if (rows_of[g] == 2) {
            const double size = on_step(x[bound_node[g]], i, h, b);
            on_step(x[margin_node[g]], i, h, s);
            found.time = first_fall(s, SLACKNESS * size * size);
            return found;
        }
        const double size = on_step(x[slip_reaction[2 * g]], i, h, s);
        if (bound_node[g] < 0) { /* one-sided: reaction >= 0 */
            found.time = first_fall(s, SLACKNESS * size);
            return found;
        }
        if (bound_constant[g] && size < x[bound_node[g]][0][i]) return none;
        const double most = on_step(x[bound_node[g]], i, h, b);
        if (size < 2.0 * b[0] - most) return none;
        double high[ORDER + 1], low[ORDER + 1];
        for (int n = 0; n <= ORDER; ++n) {
            high[n] = b[n] - s[n];
            low[n] = b[n] + s[n];
        }
        found.time = smaller(first_fall(high, SLACKNESS * most), first_fall(low, SLACKNESS * most));
        return found;
    }
    if (gap_state[g] >= 0) { /* slack until the gap closes again */
        found.kind = TAUT;
        on_step(x[gap_state[g]], i, h, s);
        divide_out(s, a->fresh[g] ? a->fresh[g] + 1 : 0);
        found.time = first_fall(s, 0.0);
        return found;
    }
    found.kind = STOP;
    if (rows_of[g] == 2) {
        slip_speed(a, x, i, g, h, s);
        divide_out(s, a->fresh[g]);
        found.time = first_fall(s, 0.0);
        if (a->fresh[g]) return found;
        if (found.time > 1.0 && s[0] < STOPPED && s[1] < 0.0 && s[0] <= -s[1]) found.time = -s[0] / s[1];
        if (found.time > 1.0 && s[0] < GONE && s[1] < 0.0) found.time = 1.0;
        return found;
    }
    const double size = on_step(x[slip_state[2 * g]], i, h, s);
    divide_out(s, a->fresh[g]);
    for (int n = 0; n <= ORDER; ++n) s[n] *= a->mode[g];
    found.time = first_fall(s, a->fresh[g] ? 0.0 : 1e-14 * size);
    return found;
}

/* The first change of mode within the step h. */
static event first_event(const lane *a, V (*x)[ORDER + 1], int i, double h)
{
    event first = {2.0, NOTHING, -1};
    for (int g = 0; g < NG; ++g) {
        const event one = event_of(a, x, i, g, h);
        if (one.time <= 1.0 && one.time < first.time) first = one;
    }
    return first;
}

/* A load that vanishes or a drive that exceeds the grip ends the run: its time within h. */
static double lost_grip(V (*x)[ORDER + 1], int i, double h, double span, int *status)
{
    double first = INFINITY, s[ORDER + 1];
    for (int g = 0; g < NG; ++g) {
        if (load_node[g] >= 0) {
            const double size = on_step(x[load_node[g]], i, h, s);
            const double when = size < 2.0 * s[0] ? 2.0 : first_fall(s, 1e-14 * size);
            if (when <= 1.0 && when < first) {
                first = when;
                *status = LIFT_OFF;
            }
        }
        if (radicand_node[g] >= 0 && h < 1e-9 * span) { /* steps shrink towards the zero */
            on_step(x[radicand_node[g]], i, AHEAD * h, s);
            const double when = AHEAD * first_fall(s, 0.0);
            if (when <= AHEAD && when < first) {
                first = when;
                *status = DRIVE_EXCEEDS_GRIP;
            }
        }
    }
    return first;
}

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

/* Solve a pattern, the directions of slips in the plane by turns; 0 if it has no solution. */
static int complete(const at_rest *z, pattern *p)
{
    int planes = 0;
    for (int j = 0; j < z->groups; ++j) {
        if (rows_of[z->group[j]] != 2 || p->option[j] == 0) continue;
        const double *a = &z->a0[z->first[j]];
        const double size = sqrt(a[0] * a[0] + a[1] * a[1]);
        if (!(size > 0.0)) return 0;
        p->direction[j][0] = a[0] / size;
        p->direction[j][1] = a[1] / size;
        ++planes;
    }
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
        if (!allowed || !complete(z, &p) || !consistent(z, &p)) continue;
        if (kept > most_kept) {
            most_kept = kept;
            most_held = held;
            *best = p;
            others = 0;
        } else if (kept == most_kept) {
            if (!same_motion(z, best, &p)) ++others;
            if (held > most_held) {
                most_held = held;
                *best = p;
            }
        }
        found = 1;
    }
    return found && others == 0;
}

/* Whether all contacts at rest can hold: then they do, if no other motion is possible beside it.
 * That is so where W > 0, loads are constant and mu does not jump [Moreau]. */
static int all_hold(lane *a, V (*x)[ORDER + 1], V *k, int i, double slow)
{
    int kept[NG];
    for (int g = 0; g < NG; ++g) {
        if (jumps[g] || load_node[g] >= 0 || rows_of[g] != 1 || bound_node[g] < 0) return 0;
        kept[g] = a->mode[g];
        if (fabs(x[slip_state[2 * g]][0][i]) <= slow) {
            a->mode[g] = 0;
            x[slip_state[2 * g]][0][i] = 0.0;
        }
    }
    set_modes(a);
    refresh(a, k, i);
    values(x, k);
    int inside = 1;
    for (int g = 0; g < NG; ++g)
        if (a->mode[g] == 0)
            inside &= fabs(x[slip_reaction[2 * g]][0][i]) < (1.0 - SAME) * x[bound_node[g]][0][i];
    for (int g = 0; g < NG && !inside; ++g) a->mode[g] = kept[g];
    return inside;
}

static void record(lane *a, const ensemble *e, int g, int from, int to)
{
    if (from == to) return;
    if (a->events < e->event_room) {
        e->event_time[a->run * e->event_room + a->events] = a->t;
        e->event_what[a->run * e->event_room + a->events] = 9 * g + 3 * (from + 1) + to + 1;
    }
    if (from == 0 && !(e->first_slip[a->run * NG + g] <= a->t))
        e->first_slip[a->run * NG + g] = a->t;
    if (++a->events > e->event_limit) a->failed = EVENT_LIMIT;
}

/* The angle of a direction; 1e-300 keeps the quotient finite. */
static double angle_of(double x, double y)
{
    const double a = own_atan(fabs(y) / larger(fabs(x), 1e-300));
    const double b = x >= 0.0 ? a : 3.14159265358979323846 - a;
    return y >= 0.0 ? b : -b;
}

/* Change modes at this instant, after an event or (kind NOTHING) at the start of a run. */
static void switch_modes(lane *a, const ensemble *e, V (*x)[ORDER + 1], V *k, int i, event what,
                         const double *reaction)
{
    const int g = what.group;
    int before[NG];
    for (int j = 0; j < NG; ++j) before[j] = a->mode[j];
    if (what.kind == RELEASE && !jumps[g]) { /* forces go on continuously */
        const int plane = rows_of[g] == 2;
        a->mode[g] = plane || reaction[0] <= 0.0 || bound_node[g] < 0 ? 1 : -1;
        a->fresh[g] = 2;
        for (int r = 0; r < rows_of[g]; ++r) x[slip_state[2 * g + r]][0][i] = 0.0;
        if (gap_state[g] >= 0) x[gap_state[g]][0][i] = 0.0;
        if (plane) x[direction_node[g]][0][i] = angle_of(-reaction[0], -reaction[1]);
    } else if (what.kind == RELEASE || !all_hold(a, x, k, i, e->tolerance)) {
        at_rest z;
        pattern p;
        const int leaving = what.kind == RELEASE ? g : -1;
        gather_rows(a, x, k, i, e->tolerance, &z);
        int exceeded = 0;
        for (int j = 0; j < NG; ++j)
            exceeded |= radicand_node[j] >= 0 && x[radicand_node[j]][0][i] < 0.0;
        if (exceeded) {
            a->failed = DRIVE_EXCEEDS_GRIP;
        } else if (!decide(a, &z, leaving, reaction[0] > 0.0 ? -1 : 1, &p)) {
            a->failed = NOT_UNIQUE;
        } else {
            for (int j = 0; j < z.groups; ++j) {
                const int h = z.group[j];
                a->mode[h] = p.option[j];
                a->fresh[h] = p.option[j] != 0;
                if (gap_state[h] >= 0) x[gap_state[h]][0][i] = 0.0;
                if (rows_of[h] == 2 && p.option[j])
                    x[direction_node[h]][0][i] = angle_of(p.direction[j][0], p.direction[j][1]);
            }
        }
    }
    for (int j = 0; j < NG; ++j) {
        if (a->mode[j] == 0) a->fresh[j] = 0;
        record(a, e, j, before[j], a->mode[j]);
    }
    set_modes(a);
    refresh(a, k, i);
}

/* The modes at the start: what slips slides, what does not is decided. */
static void begin_modes(lane *a, const ensemble *e, V (*x)[ORDER + 1], V *k, int i)
{
    const event start = {0.0, NOTHING, -1};
    const double none[2] = {0.0, 0.0};
    for (int g = 0; g < NG; ++g) {
        const double s = x[slip_state[2 * g]][0][i];
        double speed = fabs(s);
        if (rows_of[g] == 2) speed += fabs(x[slip_state[2 * g + 1]][0][i]);
        const int slips = speed > e->tolerance;
        a->mode[g] = !slips ? 0 : rows_of[g] == 2 || s > 0.0 ? 1 : -1;
        a->fresh[g] = 0;
        if (bound_node[g] < 0 && slips) a->failed = s > 0.0 ? SLACK : NOT_UNIQUE;
    }
    set_modes(a);
    refresh(a, k, i);
    switch_modes(a, e, x, k, i, start, none);
}

/* The direction in which a slip in the plane begins, as a series: s and n(psi) stay parallel.
 * psi's coefficient of order j first shows in order j + 1 of s x n, and there linearly. */
static double sideways(V (*x)[ORDER + 1], int i, int g, int order)
{
    const V *s0 = x[slip_state[2 * g]], *s1 = x[slip_state[2 * g + 1]];
    const V *c = x[cosine_node[g]], *s = x[sine_node[g]];
    double sum = 0.0;
    for (int n = 0; n <= order; ++n) sum += s0[n][i] * s[order - n][i] - s1[n][i] * c[order - n][i];
    return sum;
}

static void find_directions(lane *lanes, V (*x)[ORDER + 1], const V *k)
{
    int own[LANES] = {0}, most = 0;
    for (int i = 0; i < LANES; ++i) {
        for (int g = 0; g < NG; ++g) own[i] += lanes[i].active && rows_of[g] == 2 && lanes[i].fresh[g];
        most = own[i] > most ? own[i] : most;
    }
    if (!most) return;
    for (int g = 0; g < NG; ++g)
        for (int j = 1; j <= ORDER && rows_of[g] == 2; ++j) x[direction_node[g]][j] = ZERO;
    for (int sweep = 0; sweep < (most > 1 ? 4 : 1); ++sweep)
        for (int j = 1; j < ORDER; ++j)
            for (int g = 0; g < NG; ++g) {
                if (rows_of[g] != 2) continue;
                double off[LANES];
                const V kept = x[direction_node[g]][j];
                series(x, k);
                for (int i = 0; i < LANES; ++i) off[i] = sideways(x, i, g, j + 1);
                x[direction_node[g]][j] = kept + 1.0;
                series(x, k);
                for (int i = 0; i < LANES; ++i) {
                    const double slope = sideways(x, i, g, j + 1) - off[i];
                    const int here = lanes[i].active && lanes[i].fresh[g] && slope != 0.0;
                    const int again = sweep == 0 || own[i] > 1; /* one contact needs one sweep */
                    x[direction_node[g]][j][i] = !here ? 0.0 : again ? kept[i] - off[i] / slope : kept[i];
                }
            }
    series(x, k);
}

/* The integral of a series from one part of the step to another. */
static double integral(const double *s, double from, double to)
{
    double a = 0.0, b = 0.0;
    for (int n = ORDER; n >= 0; --n) {
        a = (a + s[n] * inverse[n + 1]) * from;
        b = (b + s[n] * inverse[n + 1]) * to;
    }
    return b - a;
}

/* Time and distance of sliding, the integral of the speed of slip. */
static void measure_slip(const lane *a, const ensemble *e, V (*x)[ORDER + 1], int i, double h)
{
    for (int g = 0; g < NG; ++g) {
        if (a->mode[g] == 0) continue;
        double s[ORDER + 1], turn = 2.0;
        if (rows_of[g] == 2) {
            slip_speed(a, x, i, g, h, s);
        } else {
            on_step(x[slip_state[2 * g]], i, h, s);
            if (gap_state[g] >= 0 && s[0] != 0.0) turn = first_crossing(s, 0.0);
        }
        e->slip_time[a->run * NG + g] += h;
        e->slip_distance[a->run * NG + g] +=
            h * (turn > 1.0 ? fabs(integral(s, 0.0, 1.0))
                            : fabs(integral(s, 0.0, turn)) + fabs(integral(s, turn, 1.0)));
    }
}
#endif
#endif
