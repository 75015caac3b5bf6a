// Searches from several starts.
#ifndef ARNE_CLI_PLAN_STARTS_H
#define ARNE_CLI_PLAN_STARTS_H

#include <arne/plan.h>

// How far a random start is from that of the problem, as a part of the joints' ranges.
#define STARTS_PART 0.1

// Whether a start came to a better motion than another: one that keeps all constraints first.
static inline int plan_found_is_better(const arne_plan_found *a, const arne_plan_found *b)
{
    if (arne_plan_is_complete(a->status) != arne_plan_is_complete(b->status))
        return arne_plan_is_complete(a->status);
    return a->objective < b->objective;
}

// Searches the problem from `count` starts, in processes beside each other, `most` at a time: the
// first as the problem has it, the others at random by seeds seed, seed + 1, ... found takes what
// each came to. 0, or an exit status where no process can be had.
int plan_starts(const char *path, const arne_solve_options *how, int count, unsigned long seed,
                int most, arne_plan_found *found);

#endif
