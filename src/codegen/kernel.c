// One function, or a rollout, as CUDA C++ that NVRTC and nvcc compile: the straight-line code of
// emit.c, in place in a kernel with one thread for each state.
#include "codegen/kernel.h"
#include "base/error.h"
#include "base/options.h"
#include "codegen/emit.h"
#include "codegen/generate.h"
#include "codegen/names.h"
#include "codegen/screw_form.h"
#include <arne/integrate.h>
#include <arne/version.h>
#include <stdlib.h>
#include <string.h>

// ---- what is asked ----

static int makes(const arne_algorithm_info *info, arne_array array)
{
    for (int i = 0; i < info->output_count; i++)
        if (info->outputs[i].array == array) return !info->outputs[i].on_request;
    return 0;
}

static arne_status check_outputs(const arne_algorithm_info *info, const arne_kernel_options *o,
                                 arne_error *error)
{
    for (int i = 0; i < o->output_count && o->outputs; i++)
        if (!makes(info, o->outputs[i]))
            return arne_fail(error, ARNE_NOT_FOUND, NULL, 0, "generated code for %s has no %s",
                             info->name, arne_catalogue_array(o->outputs[i])->name);
    return ARNE_OK;
}

static arne_status check_request(const arne_robot *robot, arne_algorithm algorithm,
                                 const arne_kernel_options *o, arne_error *error)
{
    const arne_algorithm_info *info = arne_catalogue_algorithm(algorithm);
    if (!info)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no algorithm %d", (int)algorithm);
    if (!(info->has & ARNE_HAS_GENERATED) && algorithm != ARNE_ALGORITHM_ROLLOUT)
        return arne_fail(error, ARNE_NOT_FOUND, NULL, 0, "there is no function '%s' to generate",
                         info->name);
    if (info->takes & ARNE_TAKES_FRAME &&
        (o->frame < 0 || o->frame >= arne_robot_sizes(robot).frame_count))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no frame %d", o->frame);
    if (o->method != ARNE_METHOD_EULER && o->method != ARNE_METHOD_RK4)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "method %d: a rollout steps by ARNE_METHOD_EULER or ARNE_METHOD_RK4",
                         o->method);
    if (arne_robot_base(robot) == ARNE_BASE_PRESCRIBED)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "code for a prescribed base is not supported; fixed and free ones are");
    return check_outputs(info, o, error);
}

// ---- which arrays ----

static int kernel_is_wanted(const arne_kernel_options *o, arne_array array)
{
    for (int i = 0; o->outputs && i < o->output_count; i++)
        if (o->outputs[i] == array) return 1;
    return !o->outputs;
}

static void list_rollout_inputs(const arne_kernel_options *o, arne_kernel *k)
{
    const struct {
        int        reads;
        arne_array array;
    } list[] = {{o->stiffness || o->policy, ARNE_ARRAY_q_ref},
                {o->damping || o->policy, ARNE_ARRAY_qd_ref},
                {o->ground != ARNE_GROUND_NONE, ARNE_ARRAY_ground},
                {o->mass, ARNE_ARRAY_mass_factor},
                {o->own_gains && o->stiffness, ARNE_ARRAY_stiffness},
                {o->own_gains && o->damping, ARNE_ARRAY_damping},
                {o->restart, ARNE_ARRAY_restart},
                {o->restart, ARNE_ARRAY_q_start},
                {o->restart, ARNE_ARRAY_qd_start}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].reads) k->arrays[k->input_count++] = list[i].array;
}

static void list_arrays(const kernel_plan *p)
{
    const arne_algorithm_info *info = arne_catalogue_algorithm(p->algorithm);
    arne_kernel               *k = p->out;
    array_info                 in[MOST_INPUTS];
    k->input_count = function_inputs(&p->ask, p->function, in);
    for (int i = 0; i < k->input_count; i++)
        k->arrays[i] = in[i].array;
    if (is_rollout(p)) list_rollout_inputs(p->options, k);
    for (int i = 0; i < info->output_count; i++)
        if (!info->outputs[i].on_request && kernel_is_wanted(p->options, info->outputs[i].array))
            k->arrays[k->input_count + k->output_count++] = info->outputs[i].array;
}

// ---- the text ----

void kernel_put_definition(buffer *b, const emission *how, buffer *body)
{
    put(b, "static __device__ __forceinline__ void generated_%s(", how->word);
    for (int i = 0; i < how->in_count; i++)
        put(b, "in_%s %s, ", how->in[i].name, how->in[i].name);
    for (int i = 0; i < how->out_count; i++)
        put(b, "%sout_%s %s", i ? ", " : "", how->out[i].name, how->out[i].name);
    put(b, ")");
    emit_braces(b, body);
}

static void put_types(buffer *b, const kernel_plan *p, const array_info *in, int in_count,
                      const array_info *out, int out_count)
{
    const int own = is_rollout(p); // its arrays are registers
    for (int i = 0; i < in_count; i++)
        put(b, "typedef %s in_%s;\n", own ? "const real *" : "const rows_in &", in[i].name);
    for (int i = 0; i < out_count; i++)
        put(b, "typedef %s out_%s;\n",
            own                                          ? "real *"
            : kernel_is_wanted(p->options, out[i].array) ? "rows_out"
                                                         : "nowhere",
            out[i].name);
}

static arne_status kernel_put_function(buffer *b, const kernel_plan *p)
{
    const arne_algorithm f = p->function;
    array_info           in[MOST_INPUTS], out[MOST_OUTPUTS];
    char                 word[FUNCTION_WORD];
    const int            in_count = function_inputs(&p->ask, f, in),
              out_count = function_outputs(&p->ask, f, out);
    const emission how = {.prefix = "generated",
                          .word = function_word(f, word),
                          .in = in,
                          .out = out,
                          .in_count = in_count,
                          .out_count = out_count,
                          .is_float = p->options->precision == ARNE_PRECISION_FLOAT,
                          .lanes = 1,
                          .cuda = 1};
    buffer         body = {0};
    put_types(b, p, in, in_count, out, out_count);
    const arne_status status = emit_recorded(&p->ask, f, &how, b, &body, &p->out->counts);
    kernel_put_definition(b, &how, &body);
    return status;
}

static void kernel_put_head(buffer *b, const kernel_plan *p)
{
    const int        single = p->options->precision == ARNE_PRECISION_FLOAT;
    const char      *suffix = single ? "f" : "";
    const arne_sizes size = arne_robot_sizes(p->ask.robot);
    char             name[SHOWN_NAME];
    put(b, "// %s of the robot %s, made by Arne %s.\n",
        arne_catalogue_algorithm(p->algorithm)->name, harmless(arne_robot_name(p->ask.robot), name),
        arne_version());
    put(b, "typedef %s real;\nenum { NQ = %d, NV = %d };\n", single ? "float" : "double",
        size.q_count, size.v_count);
    put(b, "#define EACH(i, n) _Pragma(\"unroll\") for (int i = 0; i < (n); i++)\n");
    put(b,
        "static __device__ __forceinline__ void real_sincos(real x, real *s, real *c)\n"
        "{ sincos%s(x, s, c); }\n",
        suffix);
    put(b, "static __device__ __forceinline__ real real_sqrt(real x) { return sqrt%s(x); }\n",
        suffix);
    put(b,
        "static __device__ __forceinline__ real real_atan2(real y, real x)\n"
        "{ return atan2%s(y, x); }\n",
        suffix);
    put(b, "static __device__ __forceinline__ real real_tanh(real x) { return tanh%s(x); }\n\n%s\n",
        suffix, kernel_arrays);
}

// A thread for each state.
static void put_kernel(buffer *b, const kernel_plan *p)
{
    array_info in[MOST_INPUTS], out[MOST_OUTPUTS];
    char       word[FUNCTION_WORD];
    const int  in_count = function_inputs(&p->ask, p->function, in),
              out_count = function_outputs(&p->ask, p->function, out);
    put(b, "extern \"C\" __global__ void __launch_bounds__(%d) arne_kernel(", ARNE_KERNEL_BLOCK);
    for (int i = 0; i < p->out->input_count + p->out->output_count; i++)
        put(b, "const array %s_, ", arne_catalogue_array(p->out->arrays[i])->name);
    put(b,
        "unsigned long long count)\n{\n"
        "    const long long s = (long long)blockIdx.x * %d + threadIdx.x;\n"
        "    if ((unsigned long long)s >= count) return;\n    generated_%s(",
        ARNE_KERNEL_BLOCK, function_word(p->function, word));
    for (int i = 0; i < in_count; i++)
        put(b, "rows_in(%s_, s), ", in[i].name);
    for (int i = 0; i < out_count; i++) {
        put(b, i ? ", " : "");
        if (kernel_is_wanted(p->options, out[i].array))
            put(b, "rows_out(%s_, s)", out[i].name);
        else
            put(b, "nowhere()");
    }
    put(b, ");\n}\n");
}

static arne_status write_kernel(const kernel_plan *p, arne_error *error)
{
    buffer b = {0};
    list_arrays(p);
    kernel_put_head(&b, p);
    arne_status status = p->ground ? put_ground_functions(&b, p) : kernel_put_function(&b, p);
    if (is_rollout(p))
        put_rollout(&b, p);
    else
        put_kernel(&b, p);
    p->out->text = b.text;
    p->out->size = b.size;
    if (b.not_finite) return generate_fail_singular(p->ask.robot, error);
    return status || b.failed || !b.text ? arne_fail_memory(error) : ARNE_OK;
}

void arne_kernel_free(arne_kernel *kernel)
{
    if (!kernel) return;
    free(kernel->text);
    free(kernel);
}

static int solves(arne_algorithm f)
{
    return f == ARNE_ALGORITHM_FORWARD_DYNAMICS || f == ARNE_ALGORITHM_INVERSE_MASS_MATRIX ||
           f == ARNE_ALGORITHM_FORWARD_DYNAMICS_DERIVATIVES ||
           f == ARNE_ALGORITHM_GROUND_DYNAMICS || f == ARNE_ALGORITHM_ROLLOUT;
}

arne_status arne_generate_kernel(const arne_robot *robot, arne_algorithm algorithm,
                                 const arne_kernel_options *options, arne_kernel **out,
                                 arne_error *error)
{
    arne_kernel_options own = {0};
    arne_robot         *screws = NULL;
    arne_error_clear(error);
    if (out) *out = NULL;
    if (!robot || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s is NULL", out ? "robot" : "out");
    if (options && !options_take(&own, sizeof own, OPTIONS_FIRST(arne_kernel_options), options))
        return options_refuse(error);
    arne_status status = check_request(robot, algorithm, &own, error);
    if (!status) status = generate_check_functions(robot, error);
    if (!status && solves(algorithm)) status = generate_check_regular(robot, error);
    if (status == ARNE_NO_MEMORY) return arne_fail_memory(error);
    if (status) return status;
    arne_kernel *made = calloc(1, sizeof *made);
    if (!made || screw_form(robot, &screws)) {
        free(made);
        return arne_fail_memory(error);
    }
    const arne_generate_options how = {
        .frame = own.frame, .axes = own.axes, .precision = own.precision, .open = 1};
    ground_request ground = {.robot = robot,
                             .left_out = own.left_out,
                             .on_ground = own.ground != ARNE_GROUND_NONE,
                             .own_planes = own.ground == ARNE_GROUND_FIELD,
                             .has_mass = own.mass};
    const int      grounded = algorithm == ARNE_ALGORITHM_ROLLOUT && (own.ground || own.mass);
    ground_start(&ground);
    const kernel_plan plan = {
        .ask = {.robot = robot, .options = &how, .form = robot, .screws = screws},
        .options = &own,
        .algorithm = algorithm,
        .function =
            algorithm == ARNE_ALGORITHM_ROLLOUT ? ARNE_ALGORITHM_FORWARD_DYNAMICS : algorithm,
        .ground = grounded ? &ground : NULL,
        .out = made};
    status = grounded ? ground_check(&ground, &own, error) : ARNE_OK;
    if (!status) status = write_kernel(&plan, error);
    arne_robot_free(screws);
    if (status)
        arne_kernel_free(made);
    else
        *out = made;
    return status;
}
