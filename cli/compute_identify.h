// The quantities of identification: see quantities.h.
#ifndef CLI_IDENTIFY_H
#define CLI_IDENTIFY_H

#include "quantities.h"

// Everything there is to print, an array of one object with JSON.
int write_base_parameters(const request *ask, const ordering *order, int wants_json, FILE *out);

#endif
