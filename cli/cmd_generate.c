// arne generate ROBOT: straight-line C for one robot, or an FMU.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): mkdtemp, flock
#include "generate_fmi.h"
#include "load.h"
#include "message.h"
#include "output.h"
#include "signals.h"
#include "verbs.h"

#include <arne/catalogue.h>
#include <arne/codegen.h>
#include <arne/horizon.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LONG_FUNCTION = 5000 };
enum { TARGET_CASADI = 2, TARGET_FMI }; // of --for

typedef struct generate_args {
    robot_args  robot;
    text_list   payload;
    const char *functions, *output, *name, *frame;
    int         axes, precision, sincos, count, base_parameters, open, lanes, target, derivatives;
    int         fmi, mpc;
} generate_args;

#define AT(field) offsetof(generate_args, field)
static const option options[] = {
    TEXT("--functions", "LIST", functions, "comma-separated list of functions to generate"),
    OPTION_ROW("--output", "-o", OPTION_TEXT, "DIR", output,
               "the folder to write to, created if necessary", 0),
    FLAG("--count", count, "print the number of operations of each function"),
    TEXT("--frame", "NAME", frame, "frame of pose (default: all frames) and jacobian"),
    CHOICE("--axes", "body|world|aligned", axes, "axes of the Jacobian (default: aligned)"),
    CHOICE("--precision", "double|float", precision, "precision of all numbers (default: double)"),
    CHOICE(
        "--sincos", "libm|polynomial", sincos,
        "sine and cosine of the C library, or a polynomial in the generated file (default: libm)"),
    CHOICE("--lanes", "1|2|4|8", lanes,
           "number of states computed at once in vector registers (default: 1)"),
    CHOICE("--for", "c|casadi|fmi", target,
           "who calls the code: C programs, CasADi by casadi.external, or simulators that load "
           "FMUs (default: c)"),
    CHOICE("--fmi", "2|3", fmi, "with --for fmi: FMI 2.0 or 3.0 (default: 3)"),
    CHOICE("--derivatives", "0|1|2", derivatives,
           "with --for casadi: exact Jacobians, or second derivatives too (default: 1)"),
    FLAG("--base-parameters", base_parameters,
         "the same torques with fewer operations, from base parameters"),
    FLAG("--open", open, "for a robot with loops: generate code for the tree without its loops"),
    TEXT("--name", "PREFIX", name,
         "prefix of the names of files and functions (default: the robot's name)"),
    TEXTS("--payload", "LINK=m,cx,cy,cz[,ixx,iyy,izz[,ixy,ixz,iyz]]", payload,
          "a mass on a link; repeatable"),
    FLAG("--mpc", mpc,
         "receding horizon control of PROBLEM; of the other options only --name, --precision, "
         "--sincos and -o count"),
    ROBOT_OPTIONS,
    OPTION_END,
};

static void cmd_generate_details(FILE *out)
{
    fprintf(out, "\nFunctions:\n");
    const arne_algorithm_info *info;
    for (int i = 0; (info = arne_generated_function(i)) != NULL; i++)
        help_line(out, 28, info->name, info->text);
}

static const command generate = {
    "generate",
    "ROBOT|SCENARIO [PROBLEM]",
    "Writes straight-line C99 for one robot: NAME.h, NAME.c, a self-test and a CMakeLists.txt; "
    "with\n"
    "--for casadi one NAME.c with exact Jacobians, and a CMakeLists.txt. With --for fmi it writes\n"
    "NAME.fmu, an FMU of the robot, or of a scenario with its controller and surroundings. With "
    "--mpc\n"
    "it writes a controller of PROBLEM, a problem file with method: riccati: NAME_mpc.h, "
    "NAME_mpc.c "
    "and\n"
    "a self-test.\n"
    "Either -o or --count is needed; both may be given.",
    1,
    2,
    options,
    cmd_generate_details};

// --- what is asked -----------------------------------------------------------------------------

static const char *function_name(const void *unused, int index)
{
    (void)unused;
    return arne_generated_function(index)->name;
}

static int check_function(const char *name)
{
    char buffer[512];
    int  count = 0;
    for (const arne_algorithm_info *f; (f = arne_generated_function(count)) != NULL; count++)
        if (strcmp(name, f->name) == 0) return EXIT_FINE;
    near_matches(name, function_name, NULL, count, buffer, sizeof buffer);
    return fail_usage("--functions: unknown function '%s'%s; 'arne generate --help' lists them",
                      name, buffer);
}

// "gravity,bias" as names; the list and its texts are to be freed.
static int split_functions(const char *text, text_list *out)
{
    int code = EXIT_FINE;
    for (const char *rest = text; code == EXIT_FINE;) {
        const size_t length = strcspn(rest, ",");
        char        *name = need_copy(rest, length);
        text_list_add(out, name, 0);
        code = check_function(name);
        if (!rest[length]) break;
        rest += length + 1;
    }
    return code;
}

static void free_functions(text_list *list)
{
    for (int i = 0; i < list->count; i++)
        free((void *)list->text[i]);
    text_list_free(list);
}

// --- what comes out ----------------------------------------------------------------------------

static int print_counts(const text_list *functions, const arne_generated *made)
{
    printf("%-30s %7s %7s %5s %5s %7s %5s\n", "function", "mul", "add", "div", "sqrt", "sin/cos",
           "sign");
    for (int i = 0; i < functions->count; i++) {
        const arne_operation_counts c = made->counts[i];
        printf("%-30s %7d %7d %5d %5d %7d %5d\n", functions->text[i], c.mul, c.add, c.div, c.sqrt,
               c.sincos, c.sign);
    }
    return EXIT_FINE;
}

// Straight-line code that does not fit the caches of instructions and registers loses to loops.
static void note_long(const text_list *functions, const arne_generated *made)
{
    for (int i = 0; i < functions->count; i++) {
        const int operations = made->counts[i].mul + made->counts[i].add;
        if (operations > LONG_FUNCTION)
            say("note: %s takes %d operations and is split into parts; code of more than some "
                "thousand "
                "may be slower than the library",
                functions->text[i], operations);
    }
}

static int write_text(const char *path, const arne_generated_file *file)
{
    FILE *out = fopen(path, "wbx");
    if (!out) return 0;
    const int fine = fwrite(file->text, 1, file->size, out) == file->size;
    return fclose(out) == 0 && fine;
}

// The first line of what was generated says so.
static int is_generated(const char *path)
{
    char  line[256] = "";
    FILE *in = fopen(path, "rb");
    if (!in) return 0;
    const int fine = fgets(line, sizeof line, in) != NULL;
    fclose(in);
    return fine && (strstr(line, "ade by Arne ") || strstr(line, "with values that Arne computed"));
}

// A folder in the place of a file would stop us half-way; a file that somebody wrote is not ours to
// replace.
static int check_places(char *const *to, int count)
{
    struct stat info;
    for (int i = 0; i < count; i++) {
        const char *why = NULL;
        if (lstat(to[i], &info) != 0) continue;
        if (S_ISDIR(info.st_mode))
            why = "it is a folder";
        else if (!is_generated(to[i]))
            why = "it was not generated; move it away, or choose another folder or --name";
        if (why) {
            fail_data("%s: cannot be written: %s", to[i], why);
            return 0;
        }
    }
    return 1;
}

static const char APART[] = ".arne.XXXXXX";

// What a killed process left: folders by that name, with files that are ours and nothing else.
static void clear_apart(const char *folder, const arne_generated *made)
{
    DIR *all = opendir(folder);
    for (struct dirent *e = all ? readdir(all) : NULL; e; e = readdir(all)) {
        const size_t fixed = strcspn(APART, "X");
        if (strlen(e->d_name) != sizeof APART - 1 || strncmp(e->d_name, APART, fixed) != 0)
            continue;
        char *apart = path_in(folder, e->d_name);
        for (int i = 0; i < made->file_count; i++) {
            char *path = path_in(apart, made->file[i].name);
            unlink(path);
            free(path);
        }
        rmdir(apart);
        free(apart);
    }
    if (all) closedir(all);
}

// All files are written to a folder inside the wanted one before any of them takes its place. From
// its making on nothing is allocated: without memory it would be left behind.
static int deliver(const char *folder, const arne_generated *made)
{
    const int count = made->file_count;
    char *apart = path_in(folder, APART), *from[ARNE_GENERATED_FILES], *to[ARNE_GENERATED_FILES];
    for (int i = 0; i < count; i++) {
        from[i] = path_in(apart, made->file[i].name);
        to[i] = path_in(folder, made->file[i].name);
    }
    int fine = check_places(to, count), why = 0;
    if (fine) {
        fine = mkdtemp(apart) != NULL;
        why = errno;
        for (int i = 0; i < count; i++)
            memcpy(from[i], apart, strlen(apart));
        for (int i = 0; i < 2 * count && fine; i++) {
            const int k = i % count;
            fine = i == k ? write_text(from[k], &made->file[k]) : rename(from[k], to[k]) == 0;
            why = errno;
        }
        for (int i = 0; i < count && !fine; i++)
            unlink(from[i]);
        rmdir(apart);
        if (!fine) fail_data("%s: cannot be written: %s", folder, strerror(why));
    }
    for (int i = 0; i < count; i++) {
        free(from[i]);
        free(to[i]);
    }
    free(apart);
    return fine ? EXIT_FINE : EXIT_DATA;
}

// Waits for ten seconds at most. A file system without locks is no reason to stop.
static int take_lock(int folder)
{
    const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
    for (int i = 0; i < 500; i++) {
        if (flock(folder, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return 1;
        nanosleep(&pause, NULL);
    }
    return 0;
}

static int write_files(const char *folder, const arne_generated *made)
{
    const int own = mkdir(folder, 0777) == 0;
    if (!own && errno != EEXIST)
        return fail_data("%s: cannot be made: %s", folder, strerror(errno));
    signals_hold(1);
    // One at a time; the lock ends with the process.
    const int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int       code = EXIT_FINE;
    if (lock >= 0 && !take_lock(lock))
        code = fail_data("%s: another process holds a lock on the folder", folder);
    if (code == EXIT_FINE) {
        clear_apart(folder, made);
        code = deliver(folder, made);
    }
    if (lock >= 0) close(lock);
    signals_hold(0);
    if (code != EXIT_FINE && own) rmdir(folder);
    return code;
}

// Receding horizon control of a problem file, whose robot must be the one that is given.
static int run_mpc(const char *path, const char *problem, const generate_args *args)
{
    const arne_generate_options how = {
        .prefix = args->name,
        .frame = -1,
        .precision = args->precision == 2 ? ARNE_PRECISION_FLOAT : ARNE_PRECISION_DOUBLE,
        .sincos = args->sincos == 2 ? ARNE_SINCOS_POLYNOMIAL : ARNE_SINCOS_LIBM};
    arne_robot     *robot = NULL;
    arne_horizon   *horizon = NULL;
    arne_generated *made = NULL;
    arne_error      error;
    int             code = load_robot(path, &args->robot, NULL, &robot);
    arne_status     status = code ? ARNE_OK : arne_horizon_read(problem, NULL, &horizon, &error);
    if (!code && status) code = fail_error(problem, status, &error);
    if (!code && strcmp(arne_robot_name(robot), arne_robot_name(arne_horizon_robot(horizon))) != 0)
        code =
            fail_data("%s: its robot is '%s', not '%s' of %s", problem,
                      arne_robot_name(arne_horizon_robot(horizon)), arne_robot_name(robot), path);
    if (!code) status = arne_generate_mpc(horizon, &how, &made, &error);
    if (!code && status) code = fail_error(problem, status, &error);
    if (!code) code = write_files(args->output, made);
    arne_generated_free(made);
    arne_horizon_free(horizon);
    arne_robot_free(robot);
    return code;
}

static int cmd_generate_run(const char *path, const generate_args *args, const text_list *functions)
{
    arne_robot           *robot = NULL;
    arne_generated       *made = NULL;
    arne_error            error;
    arne_generate_options how = {
        .functions = functions->text,
        .function_count = functions->count,
        .prefix = args->name,
        .frame = -1,
        .axes = args->axes ? (arne_axes)(args->axes - 1) : ARNE_AXES_ALIGNED,
        .precision = args->precision == 2 ? ARNE_PRECISION_FLOAT : ARNE_PRECISION_DOUBLE,
        .sincos = args->sincos == 2 ? ARNE_SINCOS_POLYNOMIAL : ARNE_SINCOS_LIBM,
        .open = args->open,
        .lanes = args->lanes ? 1 << (args->lanes - 1) : 1,
        .target = args->target == TARGET_CASADI ? ARNE_TARGET_CASADI : ARNE_TARGET_C,
        .base_parameters = args->base_parameters};
    how.derivatives = args->derivatives ? args->derivatives - 1 : how.target == ARNE_TARGET_CASADI;
    robot_args load = args->robot;
    for (int i = 0; i < functions->count; i++)
        load.touches |= strcmp(functions->text[i], "ground-dynamics") == 0;
    int code = load_robot(path, &load, NULL, &robot);
    if (code == EXIT_FINE) code = attach_payloads(path, &args->payload, &robot);
    if (code == EXIT_FINE && args->frame) {
        how.frame = find_frame(robot, "--frame", args->frame);
        if (how.frame < 0) code = EXIT_USAGE;
    }
    if (code == EXIT_FINE) {
        const arne_status status = arne_generate(robot, &how, &made, &error);
        if (status == ARNE_VALUE || status == ARNE_NOT_FOUND)
            code = fail_usage("%s", error.text);
        else if (status)
            code = fail_error(path, status, &error);
    }
    if (code == EXIT_FINE && args->output) code = write_files(args->output, made);
    if (code == EXIT_FINE && !args->robot.quiet) note_long(functions, made);
    if (code == EXIT_FINE && args->count) code = print_counts(functions, made);
    arne_generated_free(made);
    arne_robot_free(robot);
    return code;
}

// --- FMUs --------------------------------------------------------------------------------------

// What has no meaning for an FMU is refused by name.
static int check_fmi(const generate_args *args)
{
    if (!args->output) return fail_usage("--for fmi: give -o DIR or -o FILE.fmu");
    if (args->functions || args->count || args->frame || args->axes || args->precision ||
        args->sincos || args->lanes || args->derivatives || args->base_parameters || args->open)
        return fail_usage("--for fmi takes none of --functions, --count, --frame, --axes, "
                          "--precision, --sincos, --lanes, --derivatives, --base-parameters, "
                          "--open");
    return EXIT_FINE;
}

static int run_fmi(const char *path, const generate_args *args)
{
    const fmi_request request = {.robot = &args->robot,
                                 .payload = &args->payload,
                                 .output = args->output,
                                 .name = args->name,
                                 .version = args->fmi == 1 ? 2 : 3};
    return generate_fmi(path, &request);
}

int cmd_generate(int argc, char **argv)
{
    generate_args args = {0};
    text_list     operands = {0}, functions = {0};
    int           code = options_parse(&generate, argc, argv, &args, &operands);
    if (code != OPTIONS_GO) return code;
    if (args.mpc || operands.count > 1) {
        code = !args.mpc            ? fail_usage("a problem file needs --mpc")
               : operands.count < 2 ? fail_usage("--mpc needs a problem file: arne generate ROBOT "
                                                 "PROBLEM --mpc -o DIR")
               : !args.output       ? fail_usage("give -o DIR to write files")
               : args.functions     ? fail_usage("--functions has no meaning with --mpc, which "
                                                     "chooses them")
                                    : run_mpc(operands.text[0], operands.text[1], &args);
        options_free(&generate, &args, &operands);
        return code;
    }
    if (args.target == TARGET_FMI)
        code = check_fmi(&args);
    else if (args.fmi)
        code = fail_usage("--fmi goes with --for fmi");
    else if (!args.functions)
        code = fail_usage("--functions is missing; 'arne generate --help' lists them");
    else if (!args.output && !args.count)
        code = fail_usage("give -o DIR to write files, --count to count operations, or both");
    else
        code = split_functions(args.functions, &functions);
    if (code == EXIT_FINE)
        code = args.target == TARGET_FMI ? run_fmi(operands.text[0], &args)
                                         : cmd_generate_run(operands.text[0], &args, &functions);
    free_functions(&functions);
    options_free(&generate, &args, &operands);
    return code;
}
