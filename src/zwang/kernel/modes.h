/* Changes of mode: after an event, at a break of the inputs, at the start of a run. */
#ifndef ZWANG_MODES_H
#define ZWANG_MODES_H
#if NG > 0

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
static void switch_modes(lane *a, const ensemble *e, V (*x)[ORDER + 1], V *k, int i, event what)
{
    const double *reaction = what.reaction;
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
    const event start = {0.0, NOTHING, -1, {0.0, 0.0}};
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
    switch_modes(a, e, x, k, i, start);
}
#endif
#endif
