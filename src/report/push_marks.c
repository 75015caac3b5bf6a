// Pushes of a scenario as arrows. The result has no columns of them: the scenario is read again
// from the inputs of the run.
#include "report/traces.h"
#include "simulate/plant.h"

#include <arne/document.h>
#include <arne/kinematics.h>
#include <dirent.h>
#include <errno.h>
#include <string.h>

// The file as a scenario; NULL where it is something else, or cannot be read any more.
static arne_scenario *scenario_at(const char *dir, const char *file, int *no_memory)
{
    buffer         path = {0};
    arne_scenario *scenario = NULL;
    arne_document  kind;
    put(&path, "%s/%s", dir, file);
    arne_status status = path.failed ? ARNE_NO_MEMORY : arne_document_kind(path.text, &kind, NULL);
    if (!status && kind == ARNE_DOCUMENT_SCENARIO)
        status = arne_scenario_read(path.text, NULL, &scenario, NULL);
    *no_memory |= status == ARNE_NO_MEMORY;
    buffer_free(&path);
    return scenario;
}

// The scenario among the inputs; NULL where there is none. The summary need not list the files of
// the run yet: a page is written before they are all there.
static arne_scenario *kept_scenario(const tracing *t)
{
    buffer         path = {0};
    arne_scenario *found = NULL;
    if (strcmp(run_text(t->run, "kind", ""), "simulate") != 0) return NULL;
    put(&path, "%s/inputs", t->run->dir);
    DIR *folder = path.failed ? NULL : opendir(path.text);
    int  no_memory = path.failed || (!folder && errno == ENOMEM);
    for (struct dirent *e; folder && !found && (e = readdir(folder));) {
        const size_t length = strlen(e->d_name);
        if (length > 5 && strcmp(e->d_name + length - 5, ".yaml") == 0)
            found = scenario_at(path.text, e->d_name, &no_memory);
    }
    if (folder) closedir(folder);
    if (no_memory) t->out->failed = 1;
    buffer_free(&path);
    return found;
}

static void put_push(tracing *t, const arne_scenario *scenario, const arne_surrounding *s)
{
    const arne_robot     *robot = arne_scenario_simulation(scenario)->robot;
    const arne_frame_info frame = arne_robot_frame(robot, s->frame);
    const figure         *f = t->figure;
    if (frame.body >= f->body_count) return;
    for (int i = 0; i < t->samples; i++) {
        const int    at = tracing_frame(t, i);
        const float *X = f->poses + ((size_t)at * (size_t)f->body_count + (size_t)frame.body) * 7;
        const arne_vec3 p = tracing_turn(X + 3, frame.pose.p);
        arne_vec3       force = surroundings_push_at(s, f->times[at]).lin;
        if (!s->in_world) {
            const arne_mat3 *R = &frame.pose.R;
            const arne_vec3  v = force;
            force = (arne_vec3){R->x.x * v.x + R->y.x * v.y + R->z.x * v.z,
                                R->x.y * v.x + R->y.y * v.y + R->z.y * v.z,
                                R->x.z * v.x + R->y.z * v.y + R->z.z * v.z};
            force = tracing_turn(X + 3, force);
        }
        const double value[6] = {X[0] + p.x, X[1] + p.y, X[2] + p.z, force.x, force.y, force.z};
        for (int k = 0; k < 6; k++)
            t->values[6 * i + k] = (float)value[k];
    }
    tracing_put(t, frame.name, "Pushes", "force", -1, 6);
}

void traces_pushes(tracing *t)
{
    arne_scenario *scenario = kept_scenario(t);
    if (!scenario) return;
    const arne_simulation_spec *sim = arne_scenario_simulation(scenario);
    for (int i = 0; i < sim->surrounding_count; i++)
        if (sim->surroundings[i].kind == ARNE_SURROUNDING_PUSH)
            put_push(t, scenario, &sim->surroundings[i]);
    arne_scenario_free(scenario);
}
