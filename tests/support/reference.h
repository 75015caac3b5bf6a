// Robots that others computed: $ARNE_REFERENCE/robots/NAME.json, by Pinocchio, without friction and
// rotors.
//
// Vectors there follow that file's own order of joints, so everything is matched by name.
#ifndef TEST_REFERENCE_H
#define TEST_REFERENCE_H

#include "json.h"
#include "random.h"

typedef struct reference {
    json       *file;
    arne_robot *robot;
    arne_work  *work;
    int         q_from[MAX_Q], v_from[MAX_V]; // where the reference keeps our entry
    int         nq, nv, last;                 // last: the frame of its last joint's child
} reference;

// The path of a file by its name in the folder of ARNE_REFERENCE. Where that is not set, 0 and a
// message: the comparison is left out. Where it is, the file must be there.
int reference_path(const char *name, char *path, size_t size);

// Where ARNE_REFERENCE is not set the test is skipped; where it is, everything must be there.
reference reference_open(const char *name);
void      reference_close(reference *r);
// Our joint for one of theirs: by name, but for a free base, which nobody's file names.
int our_joint(const reference *r, const json *joint);

// Their numbers in our order.
void  vector_of(const reference *r, const json *s, const char *key, double *out);
void  columns_of(const reference *r, const json *s, const char *key, int rows, double *out);
void  matrix_of(const reference *r, const json *s, const char *key, double *out);
state state_of(const reference *r, const json *s);

// A cmocka test of one robot by name.
#define REFERENCE(name, test)                                                                      \
    {                                                                                              \
        name, test, NULL, NULL, (void *)(uintptr_t)name                                            \
    }
#define EACH_REFERENCE(test)                                                                       \
    REFERENCE("ur5", test), REFERENCE("stanford", test), REFERENCE("chain10", test),               \
        REFERENCE("hyq", test), REFERENCE("anymal_b", test), REFERENCE("simple_humanoid", test)

#endif
