// Impacts of a run: when, and the impulse on each contact.
#ifndef ARNE_SIMULATE_IMPACTS_H
#define ARNE_SIMULATE_IMPACTS_H

#include <arne/contact.h>
#include <arne/table.h>

typedef struct impact_log {
    arne_table *table; // NULL where there is no rigid ground
    double     *row;
    int         contact_count, failed; // for want of memory
} impact_log;

// How many impacts are kept: the first ones.
enum { IMPACTS_MOST = 100000 };

ARNE_CHECKED arne_status impacts_new(const arne_robot *robot, impact_log *log);
void                     impacts_free(impact_log *log);
// The forces of touches are impulses [N s] on their contacts. Nothing is kept where all are zero.
void impacts_add(impact_log *log, double time, const arne_touch *touches, int count);

// contact.NAME.fx and so on: the name of a contact, numbered where several have it. Returns 0 where
// it is too long.
int contact_column(const arne_robot *robot, int contact, const char *before, const char *after,
                   char *out, size_t size);

#endif
