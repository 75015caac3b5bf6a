// arne identify payload: what a load weighs and how its mass is spread.
#include "identify.h"
#include "message.h"
#include "output.h"
#include "print_json.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// The link that nothing moves beyond: that of the last joint.
static int last_link(const arne_robot *robot)
{
    const int joints = arne_robot_sizes(robot).joint_count;
    return joints ? arne_robot_joint(robot, joints - 1).child : 0;
}

static void print_load(const arne_load_found *l, const char *frame)
{
    const arne_payload *p = &l->load;
    char                name[256];
    printf("frame              %s\n", shown(frame, name, sizeof name));
    printf("mass               %.6g kg (deviation %.2g)\n", p->mass, l->mass_deviation);
    printf("centre             %.6g %.6g %.6g m (%.2g %.2g %.2g)\n", p->com.x, p->com.y, p->com.z,
           l->com_deviation.x, l->com_deviation.y, l->com_deviation.z);
    printf("inertia            %.6g %.6g %.6g %.6g %.6g %.6g kg m^2 (xx yy zz xy xz yz)\n",
           p->inertia[0], p->inertia[1], p->inertia[2], p->inertia[3], p->inertia[4],
           p->inertia[5]);
    printf("left of torques    %.3g %%\n", l->percent);
    identify_print_filter(l->cutoff, l->torque_cutoff, stdout);
    printf("deviations         %s\n",
           l->rests_on_robot
               ? "hold only if the links of the robot file are right: errors of their masses add "
                 "to the load; a log\n                   without the load (--unloaded) removes "
                 "that"
               : "from the noise of both logs; the robot file is not relied on");
    printf("--payload          %s=%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", frame,
           p->mass, p->com.x, p->com.y, p->com.z, p->inertia[0], p->inertia[1], p->inertia[2],
           p->inertia[3], p->inertia[4], p->inertia[5]);
}

static int write_load(const char *dir, const arne_load_found *l, const char *frame)
{
    const arne_payload *p = &l->load;
    const double        com[3] = {p->com.x, p->com.y, p->com.z};
    const double com_deviation[3] = {l->com_deviation.x, l->com_deviation.y, l->com_deviation.z};
    char        *path = need(strlen(dir) + sizeof "/payload.json", 1);
    output       out;
    (void)mkdir(dir, 0777); // where it cannot be made, the file cannot be written
    sprintf(path, "%s/payload.json", dir);
    int code = output_open(&out, path);
    if (code == EXIT_FINE) {
        json j = json_begin(out.stream);
        json_open(&j, NULL, '{');
        json_text(&j, "frame", frame);
        json_number(&j, "mass", p->mass);
        json_number(&j, "mass_deviation", l->mass_deviation);
        json_numbers(&j, "com", com, 3);
        json_numbers(&j, "com_deviation", com_deviation, 3);
        json_numbers(&j, "inertia", p->inertia, 6);
        json_number(&j, "percent", l->percent);
        json_number(&j, "cutoff", l->cutoff);
        json_number(&j, "torque_cutoff", l->torque_cutoff);
        json_boolean(&j, "rests_on_robot", l->rests_on_robot);
        json_close(&j, '}');
        fputc('\n', out.stream);
        code = output_deliver(&out);
    }
    free(path);
    return code;
}

int identify_payload(const char *path, const arne_robot *robot, const text_list *logs,
                     const identify_args *args)
{
    fit_options     o;
    arne_identify  *s = NULL;
    arne_error      error;
    arne_load_found found;
    note_list       notes = {0};
    int             quiet = args->robot.quiet;
    const int frame = args->frame ? find_frame(robot, "--frame", args->frame) : last_link(robot);
    if (frame < 0) return EXIT_DATA;
    int code = fit_options_make(args, robot, &o);
    if (code == EXIT_FINE) code = identify_begin(path, robot, &o, &notes, &quiet, &s);
    if (code == EXIT_FINE) code = identify_add_logs(s, logs, ARNE_LOG_LOADED);
    if (code == EXIT_FINE) code = identify_add_logs(s, &args->unloaded, ARNE_LOG_FIT);
    if (code == EXIT_FINE) {
        const arne_status status = arne_identify_payload(s, frame, &found, &error);
        if (status) code = notes_fail(&notes, logs->text[0], status, &error);
    }
    const char *name = arne_robot_frame(robot, frame).name;
    if (code == EXIT_FINE) print_load(&found, name);
    if (code == EXIT_FINE && args->out) code = write_load(args->out, &found, name);
    arne_identify_free(s);
    notes_free(&notes);
    fit_options_free(&o);
    return code;
}
