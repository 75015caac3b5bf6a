// Arrays of a batch by their place in the catalogue.
#include <arne/batch.h>

int arne_batch_set_input(arne_batch_inputs *inputs, arne_array array, const double *at)
{
    switch ((int)array) {
#define ARNE_INPUT(name, ...)                                                                      \
    case ARNE_ARRAY_##name:                                                                        \
        inputs->name = at;                                                                         \
        return 1;
#define ARNE_INPUT_OUTPUT ARNE_INPUT
#include <arne/catalogue.def>
    default:
        return 0;
    }
}

int arne_batch_set_output(arne_batch_outputs *outputs, arne_array array, double *at)
{
    switch ((int)array) {
#define ARNE_OUTPUT(name, ...)                                                                     \
    case ARNE_ARRAY_##name:                                                                        \
        outputs->name = at;                                                                        \
        return 1;
#define ARNE_INPUT_OUTPUT ARNE_OUTPUT
#include <arne/catalogue.def>
    default:
        return 0;
    }
}
