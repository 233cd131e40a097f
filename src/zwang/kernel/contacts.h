/* Contacts within a step: bounds reached, slips that begin and end, loads that vanish, distances. */
#ifndef ZWANG_CONTACTS_H
#define ZWANG_CONTACTS_H

#define SLACKNESS 1e-11 /* of a bound or an acceleration: below, it is rounding */
#define STOPPED 1e-6    /* m/s, a slip in the plane that will end within one extrapolated step */
#define AHEAD 64.0      /* steps: a root's series allows only a part of the way to its zero */
#define GONE 1e-12      /* m/s, one that is over: its direction turns faster than it gets slower */

enum { NOTHING, RELEASE, STOP, TAUT };
typedef struct {
    double time; /* in steps; 2 if there is none */
    int kind, group;
    double reaction[2]; /* of the contact at that time */
} event;

/* Lanes in which a contact, held or sliding, surely does not change within the step h. */
typedef struct {
    I held[NG + 1], slides[NG + 1];
} quiet;

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
    event none = {2.0, NOTHING, g, {0.0, 0.0}}, found = none;
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

static quiet quiet_contacts(V (*x)[ORDER + 1], V h)
{
    quiet q;
    for (int g = 0; g < NG; ++g) {
        q.held[g] = q.slides[g] = (I){0};
        if (rows_of[g] != 1 || bound_node[g] < 0 || !bound_constant[g]) continue;
        V *const L = x[slip_reaction[2 * g]], *const s = x[slip_state[2 * g]];
        V force = absolute(L[ORDER]), change = absolute(s[ORDER]);
        for (int n = ORDER - 1; n >= 1; --n) {
            force = force * h + absolute(L[n]);
            change = change * h + absolute(s[n]);
        }
        q.held[g] = force * h + absolute(L[0]) < x[bound_node[g]][0];
        q.slides[g] = change * h < absolute(s[0]);
    }
    return q;
}

/* The first change of mode within the step h. */
static event first_event(const lane *a, V (*x)[ORDER + 1], int i, double h, const quiet *q)
{
    event first = {2.0, NOTHING, -1, {0.0, 0.0}};
    for (int g = 0; g < NG; ++g) {
        if ((a->mode[g] == 0 ? q->held[g] : q->slides[g])[i]) continue;
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
