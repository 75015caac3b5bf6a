#include "load.h"

#include "message.h"
#include "which_verb.h"

#include <arne/io.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// --- robots ------------------------------------------------------------------------------------

static arne_status read_open(const char *path, const arne_build_options *options, arne_robot **out,
                             arne_error *error)
{
    arne_builder *builder = NULL;
    arne_status   status = arne_builder_new(&builder);
    if (!status) status = arne_read_open(builder, path, error);
    if (!status) status = arne_builder_finish(builder, options, out, error);
    arne_builder_free(builder);
    return status;
}

// --lock JOINT=VALUE, all of them at once.
static arne_status lock_joints(const text_list *locks, arne_robot **robot, arne_error *error)
{
    const char **names = need((size_t)locks->count + 1, sizeof *names);
    double      *values = need((size_t)locks->count + 1, sizeof *values);
    arne_status  status = ARNE_OK;
    for (int i = 0; i < locks->count; i++) {
        const char *equals = strrchr(locks->text[i], '=');
        names[i] = need_copy(locks->text[i],
                             equals ? (size_t)(equals - locks->text[i]) : strlen(locks->text[i]));
        if (!status && (!equals || arne_parse_number(equals + 1, &values[i]) != ARNE_OK)) {
            status = ARNE_VALUE;
            *error = (arne_error){.code = status};
            snprintf(error->text, sizeof error->text,
                     "--lock: '%.100s' is not JOINT=VALUE, such as elbow=0.5 or elbow='30 deg'",
                     locks->text[i]);
        }
    }
    arne_robot *reduced = NULL;
    if (!status) status = arne_robot_reduce(*robot, locks->count, names, values, &reduced, error);
    if (!status) {
        arne_robot_free(*robot);
        *robot = reduced;
    }
    for (int i = 0; i < locks->count; i++)
        free((char *)names[i]);
    free(names);
    free(values);
    return status;
}

arne_status read_robot(const char *path, const robot_args *args, note_list *notes, arne_robot **out,
                       arne_error *error)
{
    arne_vec3          gravity = {0};
    arne_build_options options = {.base = (arne_base)args->base,
                                  .no_friction = args->no_friction,
                                  .no_rotor = args->no_rotor,
                                  .strict = args->strict,
                                  .isa = (arne_isa)args->isa};
    if (args->gravity.given) {
        gravity =
            (arne_vec3){args->gravity.value[0], args->gravity.value[1], args->gravity.value[2]};
        options.gravity = &gravity;
    }
    notes_listen(notes, &options);
    *out = NULL;
    memset(error, 0, sizeof *error);
    arne_status status = args->open ? read_open(path, &options, out, error)
                                    : arne_robot_read(path, &options, out, error);
    if (!status && args->lock.count) status = lock_joints(&args->lock, out, error);
    return status;
}

int load_robot(const char *path, const robot_args *args, note_list *notes, arne_robot **out)
{
    note_list   own = {0}, *list = notes ? notes : &own;
    arne_error  error;
    arne_status status = read_robot(path, args, list, out, &error);
    if (status != ARNE_OK && check_kind(path, ARNE_DOCUMENT_ROBOT) != EXIT_FINE) {
        notes_free(&own);
        return EXIT_DATA;
    }
    // Shapes that cannot touch matter where there is ground.
    if (status == ARNE_OK && !notes && !args->touches) notes_hide(list, "contact");
    if (!notes) notes_group(list);
    // What the file accepts by name is the file's own business; `arne check` shows it.
    notes_say(list, path, args->quiet ? NOTES_QUIET : 0);
    const int code = status == ARNE_OK ? EXIT_FINE
                     : list->errors    ? EXIT_DATA
                                       : fail_error(path, status, &error);
    notes_free(&own);
    return code;
}

// --- names and payloads ------------------------------------------------------------------------

const char *frame_name(const void *robot, int frame) { return arne_robot_frame(robot, frame).name; }

const char *joint_name(const void *robot, int joint) { return arne_robot_joint(robot, joint).name; }

int find_frame(const arne_robot *robot, const char *option_name, const char *name)
{
    char      buffer[512];
    const int frame = arne_find_frame(robot, name);
    if (frame >= 0) return frame;
    near_matches(name, frame_name, robot, arne_robot_sizes(robot).frame_count, buffer,
                 sizeof buffer);
    say("%s: there is no link or frame '%s'%s", option_name, name, buffer);
    return -1;
}

int parse_on_frame(const arne_robot *robot, const char *option_name, const char *text, int count,
                   int *frame, number_list *out)
{
    const char *equals = strrchr(text, '=');
    if (!equals) return fail_usage("%s: '%s' has no '='; write LINK=numbers", option_name, text);
    char *name = need_copy(text, (size_t)(equals - text));
    *frame = find_frame(robot, option_name, name);
    free(name);
    if (*frame < 0) return EXIT_USAGE;
    return parse_numbers(option_name, equals + 1, count, out);
}

static int attach_payload(const char *path, const char *text, arne_robot **robot)
{
    number_list  list = {0};
    arne_payload payload = {0};
    int          frame = -1;
    const int    code = parse_on_frame(*robot, "--payload", text, 0, &frame, &list);
    if (code != EXIT_FINE) return code;
    if (list.count != 4 && list.count != 7 && list.count != 10) {
        free(list.value);
        return fail_data(
            "--payload: mass,cx,cy,cz and then 0, 3 or 6 inertia values are needed, %d "
            "values are given",
            list.count);
    }
    payload.mass = list.value[0];
    payload.com = (arne_vec3){list.value[1], list.value[2], list.value[3]};
    for (int i = 4; i < list.count; i++)
        payload.inertia[i - 4] = list.value[i];
    free(list.value);

    arne_error        error = {0};
    arne_robot       *loaded = NULL;
    const arne_status status = arne_robot_attach(*robot, frame, &payload, &loaded, &error);
    if (status != ARNE_OK) {
        if (!error.file[0]) return fail_error("--payload", status, &error);
        return fail_error(path, status, &error);
    }
    arne_robot_free(*robot);
    *robot = loaded;
    return EXIT_FINE;
}

int attach_payloads(const char *path, const text_list *payloads, arne_robot **robot)
{
    int code = EXIT_FINE;
    for (int i = 0; i < payloads->count && code == EXIT_FINE; i++)
        code = attach_payload(path, payloads->text[i], robot);
    return code;
}

// --- the robots that come with Arne ------------------------------------------------------------

#ifndef ARNE_ROBOTS_DIR
#define ARNE_ROBOTS_DIR ""
#endif

static char *robot_in(const char *dir, const char *name)
{
    static const char *const ending[] = {".yaml", ".urdf"};
    for (int i = 0; i < 2; i++) {
        const size_t size = strlen(dir) + strlen(name) + 8;
        char        *path = need(size, 1);
        snprintf(path, size, "%s/%s%s", dir, name, ending[i]);
        FILE *file = fopen(path, "rb");
        if (file) {
            fclose(file);
            return path;
        }
        free(path);
    }
    return NULL;
}

const char *named_robot(const char *name)
{
    static char **found; // they last to the end of the program
    static size_t count;
    struct stat   there;
    if (!*name || strpbrk(name, "./: ") || stat(name, &there) == 0) return NULL;
    char *path = ARNE_ROBOTS_DIR[0] ? robot_in(ARNE_ROBOTS_DIR, name) : NULL;
    if (!path) path = robot_in("robots", name);
    if (!path) return NULL;
    found = need_more(found, count + 1, sizeof *found);
    return found[count++] = path;
}

char *find_robot(const char *dir, const char *name)
{
    char *path = NULL;
    if (dir)
        path = robot_in(dir, name);
    else if (ARNE_ROBOTS_DIR[0])
        path = robot_in(ARNE_ROBOTS_DIR, name);
    if (!dir && !path) path = robot_in("robots", name);
    if (!path)
        say("%s: there is no robot '%s'; --robots DIR says where Arne's robots are",
            dir ? dir : "robots", name);
    return path;
}
