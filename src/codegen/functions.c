#include "codegen/functions.h"
#include <stddef.h>
#include <string.h>

const char *function_word(arne_algorithm f, char word[FUNCTION_WORD])
{
    const char *name = arne_catalogue_algorithm(f)->name;
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
    const arne_algorithm_info *info = arne_catalogue_algorithm(f);
    const arne_array_info     *made = arne_catalogue_array(info->outputs[0].array);
    if (made->shape[0] != ARNE_EXTENT_FRAME || ask->options->frame >= 0) return 1;
    return arne_robot_sizes(ask->robot).frame_count;
}

// The others would take rates of the constraints' directions, or their multipliers.
int has_closed_form(arne_algorithm f)
{
    return f != ARNE_ALGORITHM_INVERSE_DYNAMICS_DERIVATIVES && f != ARNE_ALGORITHM_TORQUE_RATE &&
           f != ARNE_ALGORITHM_JOINT_WRENCHES;
}

static array_info array_of(const request *ask, arne_array array)
{
    const arne_array_info *info = arne_catalogue_array(array);
    const array_info       a = {array, info->name, info->unit, info->text,
                                (int)arne_array_size(ask->robot, array)};
    return a;
}

int function_inputs(const request *ask, arne_algorithm f, array_info out[MOST_INPUTS])
{
    int count = 0;
    for (int i = 0; i < ARNE_INPUT_COUNT; i++)
        if (arne_catalogue_algorithm(f)->needs >> i & 1)
            out[count++] = array_of(ask, (arne_array)i);
    return count;
}

static const char *axes_meaning(arne_axes axes)
{
    if (axes == ARNE_AXES_BODY) return "its velocity in the frame's axes, at its origin, is J qd";
    if (axes == ARNE_AXES_WORLD)
        return "its velocity in the world's axes, at the world's origin, is J qd";
    return "its velocity in the world's axes, at the frame's origin, is J qd";
}

int function_outputs(const request *ask, arne_algorithm f, array_info out[MOST_OUTPUTS])
{
    const arne_algorithm_info *info = arne_catalogue_algorithm(f);
    int                        count = 0;
    for (int i = 0; i < info->output_count && count < MOST_OUTPUTS; i++) {
        if (info->outputs[i].on_request) continue;
        array_info *a = &out[count++];
        *a = array_of(ask, info->outputs[i].array);
        a->count *= frame_count(ask, f);
        if (ask->order && f == ARNE_ALGORITHM_MASS_MATRIX) {
            const int free = arne_robot_sizes(ask->robot).v_count - ask->dependent;
            a->count = free * free;
            a->meaning = "mass matrix of the active joints";
        }
        if (info->takes & ARNE_TAKES_AXES) a->meaning = axes_meaning(ask->options->axes);
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
