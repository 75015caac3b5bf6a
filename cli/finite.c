#include "finite.h"

#include "message.h"

#include <math.h>
#include <stdio.h>

// Products of three such numbers overflow.
static const double LARGE = 1e75;

typedef struct suspect {
    double value;
    char   name[256];
} suspect;

static void suspect_number(suspect *s, double x, const char *part, const char *name)
{
    if (!isfinite(x) || fabs(x) <= fabs(s->value)) return; // what is given is finite
    s->value = x;
    snprintf(s->name, sizeof s->name, "%s%s%s", part, *name ? "." : "", name);
}

static void suspect_wrench(suspect *s, const arne_wrench *f, const char *part, const char *name)
{
    const double x[6] = {f->lin.x, f->lin.y, f->lin.z, f->ang.x, f->ang.y, f->ang.z};
    for (int i = 0; i < 6; i++)
        suspect_number(s, x[i], part, name);
}

// The largest number that the quantity was given.
static suspect largest_input(const quantity *what, const request *ask, const state *at)
{
    const ordering *order = ask->order;
    suspect         s = {0};
    for (int p = 0; p < PART_COUNT; p++) {
        const int            count = p == PART_Q ? order->q_count : order->v_count;
        const unsigned char *found = p == PART_Q ? order->q_passive : order->v_passive;
        if (!(what->needs & 1u << p)) continue;
        for (int i = 0; i < count; i++)
            if (!found || !found[i] || !(at->partial & 1u << p))
                suspect_number(&s, at->part[p][p == PART_Q ? order->q[i] : order->v[i]],
                               part_name[p], p == PART_Q ? order->q_name[i] : order->v_name[i]);
    }
    for (int i = 0; i < ask->load_count; i++) {
        const char *link = arne_robot_frame(ask->robot, ask->loads[i].frame).name;
        suspect_wrench(&s, &ask->loads[i].wrench, "--wrench", link);
        suspect_wrench(&s, &ask->loads[i].rate, "--wrench-rate", link);
    }
    return s;
}

int check_finite(const quantity *what, const request *ask, const state *at, int index, int count,
                 const result *found)
{
    char entry[512], row[32] = "";
    if (result_is_finite(found, entry, sizeof entry)) return EXIT_FINE;
    const suspect s = largest_input(what, ask, at);
    if (count > 1) snprintf(row, sizeof row, " of state %d", index + 1);
    if (fabs(s.value) >= LARGE)
        return fail_data("%s: %s%s is not finite: %s is %.9g, which is too large to compute with",
                         ask->path, entry, row, s.name, s.value);
    return fail_data("%s: %s%s is not finite", ask->path, entry, row);
}
