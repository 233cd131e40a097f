/* One step of one lane: its size, the values on it, and what is watched at its start. */
#ifndef ZWANG_STEP_H
#define ZWANG_STEP_H

enum {
    OK = 0,
    AT_REST = 1,
    SLACK = 2,
    LIFT_OFF = 3,
    NOT_UNIQUE = 4,
    DRIVE_EXCEEDS_GRIP = 5,
    SINGULAR_CHART = 6,
    STEP_TOO_SMALL = 7,
    NON_FINITE = 8,
    EVENT_LIMIT = 9
};
#define CHART_MIN 1e-6   /* below, rounding errors grow past 1e-10 */
#define CHART_POOR 1e-3  /* below, series that overflow or leave no step do so because of it */
#define PIVOT_MIN 1e-10
#define REST_SPEED 1e-5  /* from here the last bit to rest is one extrapolated step */
#define SLOW 1e-2        /* m/s */
#define VERIFIED 100.0   /* tolerances by which slopes may differ at the end of a step */
#define STEPS_MAX 1000000
#define MODES 6          /* constants of a contact: mask, slide, fresh, still, known, known */
#define PIECE 5          /* constants of a table: the knot before, a polynomial of third degree */

typedef struct {
    long runs, times, mus, event_room, event_limit;
    double t0, t_end, tolerance;
    const double *parameters; /* runs x NP */
    const double *start;      /* runs x NX */
    const double *time;       /* the output grid, ascending */
    const double *mu;         /* ascending */
    double *x_end, *rate_end, *reaction_end;       /* runs x NX, NX, NR */
    double *t_reached, *pivot, *defect;            /* runs */
    double *maximum, *t_maximum;                   /* runs x NC */
    double *onset;                                 /* runs x NC x mus */
    double *x_out, *rate_out, *reaction_out;       /* runs x times x NX, NX, NR; or NULL */
    double *first_slip, *slip_time, *slip_distance; /* runs x NG */
    double *event_time;                            /* runs x event_room */
    int *status;
    int *event_what; /* runs x event_room: contact, mode before, mode after as digits */
    int *mode_end;   /* runs x NG */
    int *mode_out;   /* runs x times x NG */
    long *steps, *events;
} ensemble;

typedef struct {
    long run, steps, next_time, events;
    double t, stop, defect, pivot, last_h;
    double p[NP + NB + MODES * NG + PIECE * NT + 1], tau[NB + 1];
    double maximum[NC + 1], t_maximum[NC + 1];
    int reached[NC + 1]; /* how many of the mu are already passed, by contact */
    int mode[NG + 1];    /* 0 held; sliding: the sign of the slip, 1 for two rows */
    int fresh[NG + 1];   /* the order of the slip's zero at the start of this step */
    int active, failed;
} lane;

static inline V absolute(V a) { return (V)((I)a & 0x7fffffffffffffffLL); }

static double at(V *c, int i, double h)
{
    if (h == 0.0) return c[0][i]; /* whatever the higher orders are */
    double r = c[ORDER][i];
    for (int n = ORDER - 1; n >= 0; --n) r = r * h + c[n][i];
    return r;
}

static double rate_at(V *c, int i, double h)
{
    if (h == 0.0) return c[1][i];
    double r = ORDER * c[ORDER][i];
    for (int n = ORDER - 1; n >= 1; --n) r = r * h + n * c[n][i];
    return r;
}

/* The series of one lane on the step [0, h] as a polynomial on [0, 1]; the sum of sizes comes back. */
static double on_step(V *c, int i, double h, double *s)
{
    double power = 1.0, size = 0.0;
    for (int n = 0; n <= ORDER; ++n, power *= h) {
        s[n] = c[n][i] * power;
        size += fabs(s[n]);
    }
    return size;
}

/* h from the last two coefficients, states and reactions in the norm [JorbaZou sec. 3]. */
static V step_sizes(V (*x)[ORDER + 1], double tolerance)
{
    V last = ZERO, before = ZERO;
    for (int j = 0; j < NX + NR; ++j) {
        V *c = j < NX ? x[j] : x[reaction_node[j - NX]];
        const V size = absolute(c[0]);
        const V scale = 1.0 / (j < NX ? chosen(size > 1.0, size, ZERO + 1.0)
                                      : size + x[reaction_scale[j - NX]][0]);
        const V a = absolute(c[ORDER]) * scale, b = absolute(c[ORDER - 1]) * scale;
        last = chosen(a > last, a, last);
        before = chosen(b > before, b, before);
    }
    for (int g = 0; g < NG; ++g) { /* a bound that is a root loses its series where it vanishes */
        if (radicand_node[g] < 0) continue;
        V *c = x[bound_node[g]];
        const V scale = 1.0 / (absolute(c[0]) + 1e-300);
        const V a = absolute(c[ORDER]) * scale, b = absolute(c[ORDER - 1]) * scale;
        last = chosen(a > last, a, last);
        before = chosen(b > before, b, before);
    }
    const V tiny = ZERO + 1e-300;
    last = tolerance / chosen(last > tiny, last, tiny);
    before = tolerance / chosen(before > tiny, before, tiny);
    const V h1 = lanes_root(last, ZERO + 1.0 / ORDER);
    const V h2 = lanes_root(before, ZERO + 1.0 / (ORDER - 1));
    return chosen(h1 < h2, h1, h2);
}

#if STEEP
/* Shorten steps until the slopes at their ends are those of the equations there: far from where
 * it changes, a steep function leaves no trace in the coefficients. y is room for order zero. */
static V verified(V (*x)[ORDER + 1], V (*y)[ORDER + 1], const V *k, V h, double tolerance)
{
    for (int turn = 0; turn < 60; ++turn) {
        V worst = ZERO;
        for (int j = 0; j <= NX; ++j) {
            V a = x[j][ORDER];
            for (int n = ORDER - 1; n >= 0; --n) a = a * h + x[j][n];
            y[j][0] = a;
        }
        values(y, k);
        for (int j = 0; j < NX; ++j) {
            if (rate_node[j] < 0) continue;
            V slope = ORDER * x[j][ORDER];
            for (int n = ORDER - 1; n >= 1; --n) slope = slope * h + n * x[j][n];
            const V size = absolute(y[j][0]);
            const V gap = absolute(slope - y[rate_node[j]][0]) * h
                          / chosen(size > 1.0, size, ZERO + 1.0);
            worst = chosen(gap > worst, gap, worst);
        }
        const I bad = worst > VERIFIED * tolerance;
        if (!(bad[0] | bad[1] | bad[2] | bad[3])) break;
        h = chosen(bad, 0.5 * h, h);
    }
    return h;
}
#endif

/* The smallest pivot of M* over its diagonal entry, four lanes at once. */
static V smallest_pivots(V (*x)[ORDER + 1])
{
    V smallest = ZERO + 1.0;
    for (int j = 0; j < NPIVOT; ++j) {
        const V share = x[pivot_node[j]][0] / x[diagonal_node[j]][0];
        smallest = chosen(share < smallest, share, smallest);
    }
    return smallest;
}

/* Zero where all states and reactions have finite series, else not a number. */
static V not_finite(V (*x)[ORDER + 1])
{
    V sum = ZERO;
    for (int j = 0; j < NX; ++j) sum += x[j][ORDER] * 0.0;
    for (int j = 0; j < NR; ++j) sum += x[reaction_node[j]][ORDER] * 0.0;
    return sum;
}

/* How independent the velocities are at the start of a step: 1 at best, 0 where they fail. */
static double regularity(const lane *a, V (*x)[ORDER + 1], int i)
{
    double place[NX + 1];
    for (int j = 0; j < NX; ++j) place[j] = x[j][0][i];
    return fabs(chart(a->t, place, a->p));
}

/* Watch the pivots and the chart at the start of a step; what is wrong is a status. */
static int watch(lane *a, V (*x)[ORDER + 1], int i, double smallest, double finite)
{
    const double regular = CHART_VARIES ? regularity(a, x, i) : 1.0;
    a->pivot = smaller(a->pivot, smaller(smallest, regular));
    for (int g = 0; g < NG; ++g)
        if (radicand_node[g] >= 0 && x[radicand_node[g]][0][i] < 0.0) return DRIVE_EXCEEDS_GRIP;
    if (regular < CHART_MIN) return SINGULAR_CHART;
    if (smallest < PIVOT_MIN) return NG > 0 ? NOT_UNIQUE : SINGULAR_CHART;
    if (finite == 0.0) return OK;
    return regular < CHART_POOR ? SINGULAR_CHART : NON_FINITE; /* series overflow before it fails */
}

/* h times the gap between the slope at the end of the last step and the one at the start of this. */
static V defects(V (*x)[ORDER + 1], const V *slope_before, V last_h)
{
    V worst = ZERO;
    for (int j = 0; j < NX; ++j) {
        const V size = absolute(x[j][0]);
        const V gap = absolute(slope_before[j] - x[j][1]) * last_h
                      / chosen(size > 1.0, size, ZERO + 1.0);
        worst = chosen(gap > worst, gap, worst);
    }
    return worst;
}

/* The part of the step h after which the velocities become dependent, or 2. */
static __attribute__((unused)) double chart_fails(const lane *a, V (*x)[ORDER + 1], int i, double h)
{
    double place[NX + 1], low = 0.0, high = h, sign = 0.0;
    for (int turn = 0; turn < 60; ++turn) {
        const double s = turn == 0 ? 0.0 : turn == 1 ? h : 0.5 * (low + high);
        for (int j = 0; j < NX; ++j) place[j] = at(x[j], i, s);
        const double regular = chart(a->t + s, place, a->p);
        if (turn == 0) sign = regular;
        else if (regular * sign > 0.0) {
            if (turn == 1) return 2.0;
            low = s;
        } else high = s;
    }
    return h > 0.0 ? low / h : 0.0;
}

/* When the speed passes zero within h, else infinity; its series runs through, the speed has a kink. */
static double standstill(V *v, int i, double h)
{
    double s[ORDER + 1];
    const double change = on_step(v, i, h, s) - fabs(s[0]);
    const double first = change < s[0] ? 2.0 : first_crossing(s, 0.0);
    return first > 1.0 ? INFINITY : first * h;
}

/* Values and slopes of all states at the end of the step, four lanes at once. */
static void end_of_step(V (*x)[ORDER + 1], V h, V *value, V *slope)
{
    for (int j = 0; j < NX; ++j) {
        V a = x[j][ORDER], b = ORDER * x[j][ORDER];
        for (int n = ORDER - 1; n >= 1; --n) {
            a = a * h + x[j][n];
            b = b * h + n * x[j][n];
        }
        value[j] = a * h + x[j][0];
        slope[j] = b;
    }
}
#endif
