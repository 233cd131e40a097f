/* The ensemble: lanes take runs from the queue, step, look for events, store, and go on. */
#ifndef ZWANG_DRIVER_H
#define ZWANG_DRIVER_H
#include <stdlib.h>
#include <string.h>

enum { OK = 0, AT_REST = 1, SINGULAR_CHART = 6, STEP_TOO_SMALL = 7, NON_FINITE = 8 };
#define CHART_MIN 1e-6   /* below, rounding errors grow past 1e-10 */
#define PIVOT_MIN 1e-10
#define REST_SPEED 1e-5  /* from here the last bit to rest is one extrapolated step */
#define SLOW 1e-2        /* m/s */
#define STEPS_MAX 1000000

typedef struct {
    long runs, times, mus;
    double t0, t_end, tolerance;
    const double *parameters; /* runs x NP */
    const double *start;      /* runs x NX */
    const double *time;       /* the output grid, ascending */
    const double *mu;         /* ascending */
    double *x_end, *rate_end, *reaction_end; /* runs x NX, NX, NR */
    double *t_reached, *pivot, *defect;      /* runs */
    double *maximum, *t_maximum;             /* runs x NC */
    double *onset;                           /* runs x NC x mus */
    double *x_out, *rate_out, *reaction_out; /* runs x times x NX, NX, NR; or NULL */
    int *status;
    long *steps;
} ensemble;

typedef struct {
    long run, steps, next_time;
    double t, stop, defect, pivot, last_h;
    double p[NP + NB + 1], tau[NB + 1];
    int reached[NC + 1]; /* how many of the mu are already passed, by contact */
    int active;
} lane;

/* Switch on every break up to now and set the next stop. */
static void set_segment(lane *a, const ensemble *e, V *k, int i)
{
    a->stop = e->t_end;
    for (int b = 0; b < NB; ++b) {
        a->p[NP + b] = a->tau[b] <= a->t ? 1.0 : 0.0;
        if (a->tau[b] > a->t && a->tau[b] < a->stop) a->stop = a->tau[b];
    }
    double own[NK + 1];
    constants(a->p, own);
    for (int j = 0; j < NK; ++j) k[j][i] = own[j];
}

static int take_run(lane *a, const ensemble *e, long run, V (*x)[ORDER + 1], V *k, int i)
{
    a->run = run;
    a->steps = a->next_time = 0;
    a->t = e->t0;
    a->defect = 0.0;
    a->last_h = 0.0;
    a->pivot = 1.0;
    a->active = 1;
    for (int j = 0; j < NP; ++j) a->p[j] = e->parameters[run * NP + j];
    breaks(a->p, a->tau);
    for (int j = 0; j < NX; ++j) x[j][0][i] = e->start[run * NX + j];
    for (int c = 0; c < NC; ++c) {
        a->reached[c] = 0;
        e->maximum[run * NC + c] = -1.0;
    }
    set_segment(a, e, k, i);
    return 1;
}

/* h from the last two coefficients, states and reactions in the norm [JorbaZou sec. 3]. */
static double step_size(V (*x)[ORDER + 1], int i, double tolerance)
{
    double last = 0.0, before = 0.0;
    for (int j = 0; j < NX + NR; ++j) {
        V *c = j < NX ? x[j] : x[reaction_node[j - NX]];
        const double unit = j < NX ? 1.0 : x[reaction_scale[j - NX]][0][i];
        const double scale = 1.0 / (j < NX ? larger(1.0, fabs(c[0][i])) : fabs(c[0][i]) + unit);
        last = larger(last, fabs(c[ORDER][i]) * scale);
        before = larger(before, fabs(c[ORDER - 1][i]) * scale);
    }
    const double h1 = pow(tolerance / larger(last, 1e-300), 1.0 / ORDER);
    const double h2 = pow(tolerance / larger(before, 1e-300), 1.0 / (ORDER - 1));
    return smaller(h1, h2);
}

static double at(V *c, int i, double h)
{
    double r = c[ORDER][i];
    for (int n = ORDER - 1; n >= 0; --n) r = r * h + c[n][i];
    return r;
}

static double rate_at(V *c, int i, double h)
{
    double r = ORDER * c[ORDER][i];
    for (int n = ORDER - 1; n >= 1; --n) r = r * h + n * c[n][i];
    return r;
}

/* Maxima of |Lambda|/N and first times |Lambda| = mu N inside this step. */
static void look_for_events(lane *a, const ensemble *e, V (*x)[ORDER + 1], int i, double h)
{
    for (int c = 0; c < NC; ++c) {
        V *u = x[utilisation_node[c]];
        double s[ORDER + 1], power = 1.0, bound = 0.0;
        for (int n = 0; n <= ORDER; ++n, power *= h) {
            s[n] = u[n][i] * power;
            bound += fabs(s[n]);
        }
        double *best = &e->maximum[a->run * NC + c], where;
        if (bound > *best && larger_maximum(s, best, &where))
            e->t_maximum[a->run * NC + c] = a->t + where * h;
        while (a->reached[c] < e->mus && bound >= e->mu[a->reached[c]]) {
            const double mu = e->mu[a->reached[c]];
            double first = fabs(s[0]) >= mu ? 0.0 : first_crossing(s, mu);
            if (first > 0.0) first = smaller(first, first_crossing(s, -mu));
            if (first > 1.0) break;
            e->onset[(a->run * NC + c) * e->mus + a->reached[c]] = a->t + first * h;
            ++a->reached[c];
        }
    }
}

static void write_outputs(lane *a, const ensemble *e, V (*x)[ORDER + 1], int i, double h, int last)
{
    while (e->x_out && a->next_time < e->times) {
        const double s = e->time[a->next_time] - a->t;
        /* a time on the border belongs to the next step: from a break on the new law holds */
        if (last ? s > h + 1e-12 * larger(1.0, fabs(e->t_end)) : s >= h) break;
        const long row = a->run * e->times + a->next_time++;
        for (int j = 0; j < NX; ++j) {
            e->x_out[row * NX + j] = at(x[j], i, s);
            e->rate_out[row * NX + j] = rate_at(x[j], i, s);
        }
        for (int j = 0; j < NR; ++j) e->reaction_out[row * NR + j] = at(x[reaction_node[j]], i, s);
    }
}

static void finish(lane *a, const ensemble *e, V (*x)[ORDER + 1], int i, double h, int status)
{
    const long r = a->run;
    for (int j = 0; j < NX; ++j) {
        e->x_end[r * NX + j] = at(x[j], i, h);
        e->rate_end[r * NX + j] = rate_at(x[j], i, h);
    }
    for (int j = 0; j < NR; ++j) e->reaction_end[r * NR + j] = at(x[reaction_node[j]], i, h);
    e->t_reached[r] = a->t + h;
    e->status[r] = status;
    e->steps[r] = a->steps;
    e->defect[r] = a->defect;
    e->pivot[r] = a->pivot;
    a->active = 0;
}

/* Watch the pivots and the chart at the start of a step; what is wrong is a status. */
static int watch(lane *a, V (*x)[ORDER + 1], int i)
{
    double coordinates[NX + 1], smallest = 1.0;
    for (int j = 0; j < NX; ++j) coordinates[j] = x[j][0][i];
    for (int j = 0; j < NPIVOT; ++j)
        smallest = smaller(smallest, x[pivot_node[j]][0][i] / x[diagonal_node[j]][0][i]);
    const double regular = chart(a->t, coordinates, a->p);
    a->pivot = smaller(a->pivot, smaller(smallest, regular));
    if (smallest < PIVOT_MIN || regular < CHART_MIN) return SINGULAR_CHART;
    for (int j = 0; j < NX; ++j)
        if (!isfinite(x[j][ORDER][i])) return NON_FINITE;
    for (int j = 0; j < NR; ++j)
        if (!isfinite(x[reaction_node[j]][ORDER][i])) return NON_FINITE;
    return OK;
}

static void measure_defect(lane *a, V (*x)[ORDER + 1], const V *slope_before, int i)
{
    if (a->last_h == 0.0) return;
    for (int j = 0; j < NX; ++j) {
        const double gap = fabs(slope_before[j][i] - x[j][1][i]) * a->last_h;
        a->defect = larger(a->defect, gap / larger(1.0, fabs(x[j][0][i])));
    }
}

/* When the speed passes zero within h, else infinity; its series runs through, the speed has a kink. */
static double standstill(const V *v, int i, double h)
{
    double s[ORDER + 1], power = h, change = 0.0;
    s[0] = v[0][i];
    for (int n = 1; n <= ORDER; ++n, power *= h) {
        s[n] = v[n][i] * power;
        change += fabs(s[n]);
    }
    const double first = change < s[0] ? 2.0 : first_crossing(s, 0.0);
    return first > 1.0 ? INFINITY : first * h;
}

/* One step of one lane; returns the step taken, and a status below zero while the run goes on. */
static double advance(lane *a, const ensemble *e, V (*x)[ORDER + 1], int i, int *status)
{
    *status = watch(a, x, i);
    if (*status != OK) return 0.0;
    const double left = a->stop - a->t;
    double h = smaller(left, step_size(x, i, e->tolerance)), zero;
    for (int j = 0; j < NS && speed_node[j] != rest_node; ++j)
        while ((zero = standstill(x[speed_node[j]], i, h)) <= h) h = 0.9 * zero;
    if (rest_node >= 0) {
        const V *v = x[rest_node];
        /* close to rest steps shrink for the sake of the kink alone: look past it */
        zero = standstill(v, i, v[0][i] < SLOW ? smaller(left, 2.0 * h) : h);
        if (zero == INFINITY && v[0][i] < REST_SPEED && v[1][i] < 0.0)
            zero = smaller(left, -v[0][i] / v[1][i]);
        if (zero < INFINITY) {
            h = zero;
            *status = AT_REST;
        }
    }
    const int last = h >= left;
    const double least = 4e-16 * larger(fabs(a->t), e->t_end - e->t0);
    if (*status == OK && ((!last && h < least) || ++a->steps > STEPS_MAX)) {
        *status = STEP_TOO_SMALL;
        return 0.0;
    }
    look_for_events(a, e, x, i, h);
    if (*status == OK && !(last && a->stop == e->t_end)) *status = -1;
    write_outputs(a, e, x, i, h, *status >= 0);
    return h;
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

int zwang_run(const ensemble *e)
{
    void *memory = malloc(sizeof(V) * NW * (ORDER + 1) + 64);
    if (!memory) return 1;
    V(*const x)[ORDER + 1] = (void *)(((size_t)memory + 63) & ~(size_t)63);
    V k[NK + 1], value[NX + 1], slope[NX + 1], h = ZERO;
    lane lanes[LANES];
    long next = 0, active = 0;
    memset(x, 0, sizeof(V) * NW * (ORDER + 1));
    memset(slope, 0, sizeof slope);
    for (int i = 0; i < LANES && e->runs > 0; ++i) {
        /* idle lanes repeat the first run, so that they compute something finite */
        take_run(&lanes[i], e, next < e->runs ? next : 0, x, k, i);
        lanes[i].active = next < e->runs;
        active += lanes[i].active;
        ++next;
    }
    while (active > 0) {
        int status[LANES];
        for (int i = 0; i < LANES; ++i) x[NX][0][i] = lanes[i].t;
        series(x, k);
        for (int i = 0; i < LANES; ++i) {
            status[i] = OK;
            h[i] = 0.0;
            if (!lanes[i].active) continue;
            measure_defect(&lanes[i], x, slope, i);
            h[i] = advance(&lanes[i], e, x, i, &status[i]);
        }
        end_of_step(x, h, value, slope);
        for (int i = 0; i < LANES; ++i) {
            lane *a = &lanes[i];
            if (!a->active) continue;
            if (status[i] >= 0) {
                finish(a, e, x, i, h[i], status[i]);
                --active;
                if (next < e->runs) active += take_run(a, e, next++, x, k, i);
                continue;
            }
            const int landed = a->t + h[i] >= a->stop;
            for (int j = 0; j < NX; ++j) x[j][0][i] = value[j][i];
            a->t = landed ? a->stop : a->t + h[i];
            a->last_h = landed ? 0.0 : h[i];
            if (landed) set_segment(a, e, k, i);
        }
    }
    free(memory);
    return 0;
}
#endif
