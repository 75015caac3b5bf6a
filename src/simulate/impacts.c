// Impacts of rigid contact as a table: a row for each, with the impulses of all contacts.
#include "simulate/impacts.h"
#include <arne/robot.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int contact_column(const arne_robot *robot, int contact, const char *before, const char *after,
                   char *out, size_t size)
{
    const char *own = arne_robot_contact(robot, contact).name;
    char        number[16] = "";
    int         same = 0;
    for (int k = 0; k < contact; k++)
        same += strcmp(arne_robot_contact(robot, k).name, own) == 0;
    if (same) snprintf(number, sizeof number, "_%d", same + 1);
    return snprintf(out, size, "%s.%s%s.%s", before, own, number, after) < (int)size;
}

arne_status impacts_new(const arne_robot *robot, impact_log *log)
{
    static const char *const AXES[3] = {"x", "y", "z"};
    const int                count = arne_robot_sizes(robot).contact_count;
    arne_status              status = arne_table_new(&log->table);
    if (!status) status = arne_table_add_column(log->table, "time", "s");
    for (int i = 0; i < 3 * count && !status; i++) {
        char name[512];
        status = contact_column(robot, i / 3, "impulse", AXES[i % 3], name, sizeof name)
                     ? arne_table_add_column(log->table, name, "N s")
                     : ARNE_TOO_LARGE;
    }
    log->contact_count = count;
    log->row = calloc((size_t)(3 * count) + 1, sizeof *log->row);
    return status ? status : log->row ? ARNE_OK : ARNE_NO_MEMORY;
}

void impacts_free(impact_log *log)
{
    arne_table_free(log->table);
    free(log->row);
    memset(log, 0, sizeof *log);
}

void impacts_add(impact_log *log, double time, const arne_touch *touches, int count)
{
    double largest = 0, *cell;
    if (!log->table || arne_table_rows(log->table) >= IMPACTS_MOST) return;
    cell = log->row + 1;
    memset(cell, 0, (size_t)(3 * log->contact_count) * sizeof *cell);
    log->row[0] = time;
    for (int i = 0; i < count; i++) {
        const arne_vec3 p = touches[i].force;
        const int       on[2] = {touches[i].contact, touches[i].other};
        largest = fmax(largest, fabs(p.x) + fabs(p.y) + fabs(p.z));
        for (int k = 0; k < 2 && on[k] >= 0; k++) {
            cell[3 * on[k]] += k ? -p.x : p.x;
            cell[3 * on[k] + 1] += k ? -p.y : p.y;
            cell[3 * on[k] + 2] += k ? -p.z : p.z;
        }
    }
    if (largest > 0 && arne_table_append(log->table, log->row) != ARNE_OK) log->failed = 1;
}
