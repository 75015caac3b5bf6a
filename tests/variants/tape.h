// The recording arithmetic: a list of operations, and how many of them its results need.
#ifndef TEST_TAPE_H
#define TEST_TAPE_H

struct tape;
struct real;

// Additions with subtractions, sine and cosine of an angle as one; a change of sign is free.
typedef struct operation_counts {
    int mul, add, div, sqrt, sincos, sign;
} operation_counts;

struct tape *tape_new(void);
void         tape_free(struct tape *t);
// A number that is not known before the code runs.
struct real tape_variable(struct tape *t, double value);
// The operations that these results need; those without use are not counted.
operation_counts tape_count(const struct tape *t, const struct real *results, int count);

#endif
