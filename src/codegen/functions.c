#include "codegen/functions.h"
#include <stddef.h>
#include <string.h>

// The catalogue has it as an output of the Jacobian that is made on request.
static const arne_algorithm_output rate_outputs[] = {{ARNE_ARRAY_Jdot, 0, 0}};
static const arne_algorithm_info   jacobian_rate = {
      .identifier = "JACOBIAN_RATE",
      .name = "jacobian-rate",
      .text = "time derivative of the Jacobian of a frame",
      .needs = 1u << ARNE_INPUT_q | 1u << ARNE_INPUT_qd,
      .takes = ARNE_TAKES_FRAME | ARNE_TAKES_AXES,
      .has = ARNE_HAS_GENERATED | ARNE_HAS_BASE_FORM | ARNE_HAS_CLOSED,
      .outputs = rate_outputs,
      .output_count = 1};

const arne_algorithm_info *function_info(arne_algorithm f)
{
    return f == FUNCTION_JACOBIAN_RATE ? &jacobian_rate : arne_catalogue_algorithm(f);
}

arne_algorithm function_algorithm(arne_algorithm f)
{
    return f == FUNCTION_JACOBIAN_RATE ? ARNE_ALGORITHM_JACOBIAN : f;
}

const arne_algorithm_info *arne_generated_function(int index)
{
    for (int f = 0; index >= 0 && f < FUNCTION_COUNT; f++) {
        const arne_algorithm_info *info = function_info((arne_algorithm)f);
        if (info->has & ARNE_HAS_GENERATED && index-- == 0) return info;
    }
    return NULL;
}

int gives_accelerations(arne_algorithm f)
{
    return f == ARNE_ALGORITHM_FORWARD_DYNAMICS || f == ARNE_ALGORITHM_INVERSE_MASS_MATRIX ||
           f == ARNE_ALGORITHM_GROUND_DYNAMICS || f == ARNE_ALGORITHM_FORWARD_DYNAMICS_DERIVATIVES;
}

const char *function_word(arne_algorithm f, char word[FUNCTION_WORD])
{
    const char *name = function_info(f)->name;
    size_t      i = 0;
    for (; name[i] && i + 1 < FUNCTION_WORD; i++)
        word[i] = (char)(name[i] == '-' ? '_' : name[i]);
    word[i] = 0;
    return word;
}

int first_frame(const request *ask) { return ask->options->frame < 0 ? 0 : ask->options->frame; }

// Of the arrays that have a part for each frame: all of them, where none is named.
int frame_count(const request *ask, arne_algorithm f)
{
    const arne_algorithm_info *info = function_info(f);
    const arne_array_info     *made = arne_catalogue_array(info->outputs[0].array);
    if (made->shape[0] != ARNE_EXTENT_FRAME || ask->options->frame >= 0) return 1;
    return arne_robot_sizes(ask->robot).frame_count;
}

static array_info functions_array_of(const request *ask, arne_array array)
{
    const arne_array_info *info = arne_catalogue_array(array);
    const array_info       a = {array, info->name, info->unit, info->text,
                                (int)arne_array_size(ask->robot, array)};
    return a;
}

int function_inputs(const request *ask, arne_algorithm f, array_info out[MOST_INPUTS])
{
    const arne_algorithm_info *info = function_info(f);
    unsigned                   needs = info->needs;
    int                        count = 0;
    for (int i = 0; i < info->output_count; i++)
        if (!info->outputs[i].on_request) needs |= info->outputs[i].needs;
    for (int i = 0; i < ARNE_INPUT_COUNT; i++)
        if (needs >> i & 1) out[count++] = functions_array_of(ask, (arne_array)i);
    return count;
}

static const char *axes_meaning(arne_axes axes, arne_array array)
{
    if (array != ARNE_ARRAY_J) return arne_catalogue_array(array)->text;
    if (axes == ARNE_AXES_BODY) return "its velocity in the frame's axes, at its origin, is J qd";
    if (axes == ARNE_AXES_WORLD)
        return "its velocity in the world's axes, at the world's origin, is J qd";
    return "its velocity in the world's axes, at the frame's origin, is J qd";
}

int function_outputs(const request *ask, arne_algorithm f, array_info out[MOST_OUTPUTS])
{
    const arne_algorithm_info *info = function_info(f);
    int                        count = 0;
    for (int i = 0; i < info->output_count && count < MOST_OUTPUTS; i++) {
        if (info->outputs[i].on_request) continue;
        array_info *a = &out[count++];
        *a = functions_array_of(ask, info->outputs[i].array);
        a->count *= frame_count(ask, f);
        if (ask->order && f == ARNE_ALGORITHM_MASS_MATRIX) {
            const int free = arne_robot_sizes(ask->robot).v_count - ask->dependent;
            a->count = free * free;
            a->meaning = "mass matrix of the active joints";
        }
        if (info->takes & ARNE_TAKES_AXES) a->meaning = axes_meaning(ask->options->axes, a->array);
    }
    return count;
}

int total_count(const array_info *arrays, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += arrays[i].count;
    return sum;
}
