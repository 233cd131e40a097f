/* The ensemble: lanes take runs from the queue, step, look for events, store, and go on. */
#ifndef ZWANG_DRIVER_H
#define ZWANG_DRIVER_H
#include <stdlib.h>
#include <string.h>

#if NT > 0
/* Take the polynomials of the tables from now to their next knots, which are stops. */
static void set_pieces(lane *a)
{
    for (int j = 0; j < NT; ++j) {
        const double *knot = table_knots[j];
        double *p = &a->p[NP + NB + MODES * NG + PIECE * j];
        int low = 0, high = table_size[j] - 1;
        while (high - low > 1) {
            const int middle = (low + high) / 2;
            if (knot[middle] <= a->t) low = middle;
            else high = middle;
        }
        p[0] = knot[low];
        for (int n = 0; n < 4; ++n) p[1 + n] = table_pieces[j][low][n];
        if (knot[high] > a->t && knot[high] < a->stop) a->stop = knot[high];
    }
}
#endif

/* Switch on every break up to now and set the next stop; whether forces may jump here, as they do
 * not at the knots of a table. */
static int set_segment(lane *a, const ensemble *e, V (*x)[ORDER + 1], V *k, int i)
{
    int jump = 0;
    a->stop = e->t_end;
    for (int b = 0; b < NB; ++b) {
        a->p[NP + b] = a->tau[b] <= a->t ? 1.0 : 0.0;
        jump |= a->tau[b] == a->t;
        if (a->tau[b] > a->t && a->tau[b] < a->stop) a->stop = a->tau[b];
    }
#if NT > 0
    set_pieces(a);
#endif
    x[NX][0][i] = a->t;
    refresh(a, k, i);
    return jump;
}

static void take_run(lane *a, const ensemble *e, long run, V (*x)[ORDER + 1], V *k, int i)
{
    a->run = run;
    a->steps = a->next_time = a->events = 0;
    a->t = e->t0;
    a->defect = 0.0;
    a->last_h = 0.0;
    a->pivot = 1.0;
    a->active = 1;
    a->failed = OK;
    for (int j = 0; j < NP; ++j) a->p[j] = e->parameters[run * NP + j];
    breaks(a->p, a->tau);
    for (int j = 0; j < NX; ++j) x[j][0][i] = e->start[run * NX + j];
    for (int c = 0; c < NC; ++c) {
        a->reached[c] = 0;
        a->maximum[c] = -1.0;
        a->t_maximum[c] = NAN;
    }
    for (int g = 0; g < NG; ++g) {
        a->mode[g] = a->fresh[g] = 0;
        e->slip_time[run * NG + g] = e->slip_distance[run * NG + g] = 0.0;
    }
    set_modes(a);
    set_segment(a, e, x, k, i);
#if NG > 0
    begin_modes(a, e, x, k, i);
#endif
}

/* Maxima of |Lambda|/N and first times |Lambda| = mu N of one contact inside this step. */
static void look_closer(lane *a, const ensemble *e, const double *s, int c, double h)
{
    double where;
    if (larger_maximum(s, &a->maximum[c], &where)) a->t_maximum[c] = a->t + where * h;
    while (a->reached[c] < e->mus) {
        double mu = e->mu[a->reached[c]];
        if (utilisation_squared[c]) mu *= mu;
        double first = fabs(s[0]) >= mu ? 0.0 : first_crossing(s, mu);
        if (first > 0.0) first = smaller(first, first_crossing(s, -mu));
        if (first > 1.0) break;
        e->onset[(a->run * NC + c) * e->mus + a->reached[c]] = a->t + first * h;
        ++a->reached[c];
    }
}

/* The same for all lanes: most steps are excluded by bounds, four at once. */
static void look_for_events(lane *lanes, const ensemble *e, V (*x)[ORDER + 1], V h, const int *looks)
{
    for (int c = 0; c < NC; ++c) {
        V *u = x[utilisation_node[c]], s[ORDER + 1], power = ZERO + 1.0, tail = ZERO;
        for (int n = 0; n <= ORDER; ++n, power *= h) {
            s[n] = u[n] * power;
            if (n > 4) tail += absolute(s[n]);
        }
        const V d1 = s[1] * (1.0 / 4.0), d2 = s[2] * (1.0 / 6.0), d3 = s[3] * (1.0 / 4.0);
        const V b1 = s[0] + d1, b2 = b1 + d1 + d2, b3 = b2 + d1 + 2.0 * d2 + d3;
        V most = absolute(s[0]);
        for (int i = 1; i <= 4; ++i) {
            const V b = absolute(i == 1 ? b1 : i == 2 ? b2 : i == 3 ? b3 : s[0] + s[1] + s[2] + s[3] + s[4]);
            most = chosen(b > most, b, most);
        }
        most += tail;
        for (int i = 0; i < LANES; ++i) {
            lane *a = &lanes[i];
            if (!looks[i]) continue;
            double least = a->maximum[c];
            if (a->reached[c] < e->mus) {
                const double mu = e->mu[a->reached[c]];
                least = smaller(least, utilisation_squared[c] ? mu * mu : mu);
            }
            if (!(most[i] >= least)) continue;
            double own[ORDER + 1];
            for (int n = 0; n <= ORDER; ++n) own[n] = s[n][i];
            look_closer(a, e, own, c, h[i]);
        }
    }
}

static void write_outputs(lane *a, const ensemble *e, V (*x)[ORDER + 1], int i, double h, int last)
{
    while (e->x_out && a->next_time < e->times) {
        const double s = e->time[a->next_time] - a->t, border = smaller(a->t + h, a->stop);
        /* a time on the border belongs to the next step: from a break on the new law holds */
        if (last ? s > h + 1e-12 * larger(1.0, fabs(e->t_end)) : e->time[a->next_time] >= border)
            break;
        const long row = a->run * e->times + a->next_time++;
        for (int j = 0; j < NX; ++j) {
            e->x_out[row * NX + j] = at(x[j], i, s);
            e->rate_out[row * NX + j] = rate_at(x[j], i, s);
        }
        for (int j = 0; j < NR; ++j) e->reaction_out[row * NR + j] = at(x[reaction_node[j]], i, s);
        for (int g = 0; g < NG; ++g) e->mode_out[row * NG + g] = a->mode[g];
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
    for (int g = 0; g < NG; ++g) e->mode_end[r * NG + g] = a->mode[g];
    for (int c = 0; c < NC; ++c) {
        const double most = a->maximum[c];
        e->maximum[r * NC + c] = utilisation_squared[c] && most > 0.0 ? sqrt(most) : most;
        e->t_maximum[r * NC + c] = a->t_maximum[c];
    }
    e->t_reached[r] = a->t + h;
    e->status[r] = status;
    e->steps[r] = a->steps;
    e->events[r] = a->events;
    e->defect[r] = a->defect;
    e->pivot[r] = a->pivot;
    a->active = 0;
}

/* The step that rest, standstill and lost grip leave; a status if one of them ends the run. */
static double shortened(V (*x)[ORDER + 1], int i, double h, double left, int *status)
{
    double zero;
    for (int j = 0; j < NS; ++j)
        while (speed_node[j] != rest_node && (zero = standstill(x[speed_node[j]], i, h)) <= h)
            h = 0.9 * zero;
    if (rest_node >= 0) {
        V *v = x[rest_node];
        /* close to rest steps shrink for the sake of the kink alone: look past it */
        zero = standstill(v, i, v[0][i] < SLOW ? smaller(left, 2.0 * h) : h);
        if (zero == INFINITY && v[0][i] < REST_SPEED && v[1][i] < 0.0)
            zero = smaller(left, -v[0][i] / v[1][i]);
        if (zero < INFINITY) {
            h = zero;
            *status = AT_REST;
        }
    }
    return h;
}

/* One step of one lane, at most h; returns the step taken, and a status below zero while the run
 * goes on. A change of mode at its end is left in `what`; `looks` unless nothing could be done. */
static double advance(lane *a, const ensemble *e, V (*x)[ORDER + 1], int i, double h, int *status,
                      event *what, int *looks, const quiet *q)
{
    what->kind = NOTHING;
    *looks = 0;
    (void)q;
    if (*status != OK) return 0.0;
    const double left = a->stop - a->t, span = e->t_end - e->t0;
    const double least = 4e-16 * larger(fabs(a->t), span);
    h = shortened(x, i, smaller(left, h), left, status);
    int stuck = *status == OK && h < left && h < least;
#if CHART_VARIES
    const double regular = chart_fails(a, x, i, h);
    if (regular <= 1.0) {
        h *= regular;
        *status = SINGULAR_CHART;
    }
#endif
#if NG > 0
    int lost = OK;
    *what = first_event(a, x, i, h, q);
    const double grip = lost_grip(x, i, h, span, &lost);
    if (lost != OK && (what->kind == NOTHING || grip < what->time)) {
        h *= grip;
        *status = lost;
        what->kind = NOTHING;
    } else if (what->kind != NOTHING) {
        h *= what->time;
        for (int r = 0; r < rows_of[what->group]; ++r)
            what->reaction[r] = at(x[slip_reaction[2 * what->group + r]], i, h);
        *status = what->kind == TAUT ? SLACK : OK;
        if (what->kind == STOP && h == 0.0 && a->fresh[what->group] == 2) *status = NOT_UNIQUE;
        if (*status != OK) what->kind = NOTHING;
    }
    stuck = stuck && *status == OK && what->kind == NOTHING;
    if (!stuck) measure_slip(a, e, x, i, h);
#endif
    if (stuck || ++a->steps > STEPS_MAX) {
        *status = regularity(a, x, i) < CHART_POOR ? SINGULAR_CHART : STEP_TOO_SMALL;
        return 0.0;
    }
    const int last = what->kind == NOTHING && h >= left && a->stop == e->t_end;
    if (*status == OK && !last) *status = -1;
    *looks = 1;
    return h;
}

#if NPROJECT > 0
/* Bring the rates back onto the constraints; twice, for the correction is of first order. */
static void project(V (*x)[ORDER + 1], const V *k)
{
    for (int turn = 0; turn < 2; ++turn) {
        values(x, k);
        for (int j = 0; j < NPROJECT; ++j) x[NQ + j][0] = x[projected_node[j]][0];
    }
}
#endif

/* Go to the end of the step: new values, the next segment of the inputs, the next modes. */
static void arrive(lane *a, const ensemble *e, V (*x)[ORDER + 1], V *k, int i, double h,
                   const V *value, event what)
{
    const int landed = what.kind == NOTHING && a->t + h >= a->stop;
    for (int j = 0; j < NX; ++j) x[j][0][i] = value[j][i];
    a->t = landed ? a->stop : a->t + h;
    a->last_h = landed || what.kind != NOTHING ? 0.0 : h;
    x[NX][0][i] = a->t;
#if NG > 0
    int refreshed = 0;
    for (int g = 0; g < NG && h > 0.0; ++g) {
        refreshed |= rows_of[g] == 2 && a->fresh[g];
        a->fresh[g] = 0;
    }
    if (refreshed) {
        set_modes(a);
        refresh(a, k, i);
    }
    const int jump = landed && set_segment(a, e, x, k, i);
    if (jump || what.kind != NOTHING) switch_modes(a, e, x, k, i, what);
#else
    if (landed) set_segment(a, e, x, k, i);
#endif
}

int zwang_run(const ensemble *e)
{
    void *memory = malloc(sizeof(V) * (STEEP + 1) * NW * (ORDER + 1) + 64);
    if (!memory) return 1;
    V(*const x)[ORDER + 1] = (void *)(((size_t)memory + 63) & ~(size_t)63);
#if STEEP
    V(*const y)[ORDER + 1] = x + NW;
    memset(y, 0, sizeof(V) * NW * (ORDER + 1));
#endif
    V k[NK + 1], value[NX + 1], slope[NX + 1], h = ZERO;
    lane lanes[LANES];
    long next = 0, active = 0;
    memset(x, 0, sizeof(V) * NW * (ORDER + 1));
    memset(slope, 0, sizeof slope);
    for (int i = 0; i < LANES; ++i) lanes[i].active = 0;
    for (int j = 0; j < NK; ++j) k[j] = ZERO;
    for (int i = 0; i < LANES && e->runs > 0; ++i) {
        /* idle lanes repeat the first run, so that they compute something finite */
        take_run(&lanes[i], e, next < e->runs ? next : 0, x, k, i);
        lanes[i].active = next < e->runs;
        active += lanes[i].active;
        ++next;
    }
    while (active > 0) {
        int status[LANES], looks[LANES] = {0};
        event what[LANES];
#if NPROJECT > 0
        project(x, k);
#endif
        series(x, k);
#if NG > 0
        find_directions(lanes, x, k);
#endif
        V most = step_sizes(x, e->tolerance);
        const V pivot = smallest_pivots(x);
#if STEEP
        for (int i = 0; i < LANES; ++i) most[i] = smaller(most[i], lanes[i].stop - lanes[i].t);
        most = verified(x, y, k, most, e->tolerance);
#endif
        const V finite = not_finite(x);
#if NG > 0
        const quiet q = quiet_contacts(x, most);
#else
        const quiet q = {0};
#endif
        for (int i = 0; i < LANES; ++i) h[i] = lanes[i].last_h;
        const V defect = defects(x, slope, h);
        for (int i = 0; i < LANES; ++i) {
            lane *a = &lanes[i];
            status[i] = OK;
            h[i] = 0.0;
            if (!a->active) continue;
            if (a->last_h > 0.0) a->defect = larger(a->defect, defect[i]);
            status[i] = a->failed != OK ? a->failed : watch(a, x, i, pivot[i], finite[i]);
            h[i] = advance(&lanes[i], e, x, i, most[i], &status[i], &what[i], &looks[i], &q);
        }
        look_for_events(lanes, e, x, h, looks);
        for (int i = 0; i < LANES; ++i)
            if (looks[i]) write_outputs(&lanes[i], e, x, i, h[i], status[i] >= 0);
        end_of_step(x, h, value, slope);
        for (int i = 0; i < LANES; ++i) {
            lane *a = &lanes[i];
            if (!a->active) continue;
            if (status[i] < 0) continue;
            finish(a, e, x, i, h[i], status[i]);
            --active;
        }
        /* from here on series of order zero are overwritten */
        for (int i = 0; i < LANES; ++i) {
            lane *a = &lanes[i];
            if (a->active) arrive(a, e, x, k, i, h[i], value, what[i]);
            else if (next < e->runs) {
                take_run(a, e, next++, x, k, i);
                ++active;
            }
        }
    }
    free(memory);
    return 0;
}
#endif
