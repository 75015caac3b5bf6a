// Quantities with frames that are held.
#ifndef CLI_COMPUTE_CONTACT_H
#define CLI_COMPUTE_CONTACT_H

#include "options.h"
#include "quantities.h"

typedef struct contact_args {
    const text_list *contact; // NAME, NAME=point or NAME=foot
    int              unilateral;
    double           friction; // negative: none
} contact_args;

// Fills ask->holding; contacts_free gives it back.
int  contacts_make(request *ask, const contact_args *args);
void contacts_free(request *ask);

int contact_dynamics(const request *ask, const state *at, result *out);
int contact_dynamics_derivatives(const request *ask, const state *at, result *out);
int contact_inverse_dynamics(const request *ask, const state *at, result *out);

#endif
