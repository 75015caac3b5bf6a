// Turns a robot file into texts that the GPU benchmark includes, so that it reads no file where it
// runs:
//
//     arne_gpu_embed ROBOT FOLDER
//
// writes robot.inl (the robot's block, and operation counts), float.inl and double.inl (its
// generated functions).
#include "robot/robot.h"
#include <arne/arne.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const functions[] = {"inverse-dynamics", "forward-dynamics", "mass-matrix",
                                        "inverse-dynamics-derivatives"};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static int fail(const char *what, const arne_error *error)
{
    fprintf(stderr, "arne_gpu_embed: %s%s%s\n", what, error ? ": " : "", error ? error->text : "");
    return 1;
}

static FILE *create(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "w");
}

// Functions become device functions; their header, which says otherwise, is left out.
static void write_functions(FILE *out, const char *text)
{
    for (const char *line = text; *line;) {
        const char  *end = strchr(line, '\n');
        const size_t length = end ? (size_t)(end - line) + 1 : strlen(line);
        if (strncmp(line, "void ", 5) == 0) fputs("static __device__ __forceinline__ ", out);
        if (strncmp(line, "#include \"", 10) != 0) fwrite(line, 1, length, out);
        line += length;
    }
}

static void write_robot(FILE *out, const arne_robot *robot, const arne_generated *made)
{
    fprintf(out, "alignas(64) static const unsigned char robot_block[] = {");
    for (size_t i = 0; i < robot->size; i++)
        fprintf(out, "%s%u,", i % 32 ? "" : "\n    ", ((const unsigned char *)robot)[i]);
    fprintf(out, "\n};\nstatic const int operation_counts[] = {");
    for (int i = 0; i < FUNCTIONS; i++)
        fprintf(out, "%d, ", made->counts[i].mul + made->counts[i].add + made->counts[i].div);
    fprintf(out, "};\n");
}

static int embed(const arne_robot *robot, const char *folder, arne_precision precision)
{
    arne_generate_options options = {.functions = functions,
                                     .function_count = FUNCTIONS,
                                     .prefix = "generated",
                                     .frame = -1,
                                     .precision = precision};
    arne_generated       *made;
    arne_error            error;
    if (arne_generate(robot, &options, &made, &error)) return fail("generate", &error);
    FILE *out = create(folder, precision == ARNE_PRECISION_FLOAT ? "float.inl" : "double.inl");
    FILE *facts = create(folder, "robot.inl");
    int   bad = !out || !facts;
    if (!bad) {
        write_functions(out, made->file[1].text);
        write_robot(facts, robot, made);
    }
    if (out) bad |= fclose(out) != 0;
    if (facts) bad |= fclose(facts) != 0;
    arne_generated_free(made);
    return bad ? fail("the folder cannot be written", NULL) : 0;
}

int main(int argc, char **argv)
{
    arne_robot *robot;
    arne_error  error;
    if (argc != 3) return fail("arne_gpu_embed ROBOT FOLDER", NULL);
    if (arne_robot_read(argv[1], NULL, &robot, &error)) return fail(argv[1], &error);
    const int bad =
        embed(robot, argv[2], ARNE_PRECISION_FLOAT) || embed(robot, argv[2], ARNE_PRECISION_DOUBLE);
    arne_robot_free(robot);
    return bad;
}
