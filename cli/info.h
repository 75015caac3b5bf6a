// The facts of `arne info`, as a table and as JSON.
#ifndef CLI_INFO_H
#define CLI_INFO_H

#include "load.h"

#include <arne/loop.h>
#include <stdio.h>

typedef struct facts {
    const char       *path;
    const arne_robot *robot;
    const note_list  *notes;
} facts;

// What the loops leave, at the configuration where assembling from the joints' start leads.
typedef struct loop_facts {
    arne_status      status; // ARNE_OK: there is a report, and the robot can move
    arne_error       error;
    arne_loop_report report;
} loop_facts;
void loop_facts_find(const arne_robot *robot, loop_facts *out);

void info_table(const facts *about, FILE *out);
void info_json(const facts *about, FILE *out);

// All that Arne computes, of any robot.
void catalogue_table(FILE *out);
void catalogue_json(FILE *out);

// "fixed", "prescribed" or "free".
const char *base_name(const arne_robot *robot);
// The mass of all links and their motors, also of those that are welded to a fixed base.
double link_mass(const arne_robot *robot);
// The joints that move, without that of a free base, which no file has.
int own_joints(const arne_robot *robot);
// Whether a link hangs on its parent by a fixed joint, so that it is one body with it.
int is_merged(const arne_robot *robot, int link);

#endif
