// What the variants run: every algorithm of the catalogue that has a text, in each of its forms.
#ifndef TEST_REQUESTS_H
#define TEST_REQUESTS_H

#include <arne/arne.h>

typedef struct request {
    arne_algorithm algorithm;
    arne_axes      axes;   // where it takes them
    int            loaded; // with what may act on the robot, and all that is made on request
    arne_array     only;   // one output; ARNE_ARRAY_COUNT: all of this form
} request;

enum { MAX_REQUESTS = 6 * ARNE_ALGORITHM_COUNT };

// Every algorithm plain and, where that is another thing, loaded, in all axes that it takes.
int all_requests(request out[MAX_REQUESTS]);
// One output of an algorithm without loads, in a body's axes.
request request_for(arne_algorithm algorithm, arne_array only);

// "velocity of torque-rate, loaded" or the like, for messages; valid until the next call.
const char *request_name(const request *ask);
// Whether this robot has what the algorithm is about.
int request_applies(const request *ask, const arne_robot *robot);
// Whether it solves with the mass matrix, and so loses digits as that is conditioned.
int request_is_direct(const request *ask);

// Whether an output is made, and how many numbers all of them are.
int request_wants(const request *ask, arne_array array);
int request_outputs(const request *ask, const arne_robot *robot);

#endif
