// A law of the caller's own.
#include "simulate/controllers/controller.h"

#include "base/error.h"
#include <stdlib.h>

typedef struct callback {
    arne_control_fn function;
    void           *context;
} callback;

static arne_status user_law_torques(arne_controller *c, const arne_control_input *in, double *tau,
                                    arne_error *error)
{
    const callback *own = c->own;
    (void)error;
    for (int i = 0; i < c->size.v_count; i++)
        tau[i] = 0;
    return own->function(own->context, in, tau);
}

static void user_law_release(arne_controller *c) { free(c->own); }

arne_status arne_controller_callback(const arne_robot *robot, arne_control_fn function,
                                     void *context, arne_controller **out, arne_error *error)
{
    static const controller_law law = {
        .name = "callback", .torques = user_law_torques, .release = user_law_release, .given = 1};
    if (!function) return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "function is NULL");
    const arne_status status = controller_new(robot, &law, 0, out, error);
    if (status) return status;
    callback *own = malloc(sizeof *own);
    if (!own) {
        arne_controller_free(*out);
        *out = NULL;
        return arne_fail_memory(error);
    }
    *own = (callback){function, context};
    (*out)->own = own;
    return ARNE_OK;
}
