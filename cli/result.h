// What a quantity gives at one state: fields that know their shape, so that the order of joints,
// JSON and CSV are written once for all quantities.
#ifndef CLI_RESULT_H
#define CLI_RESULT_H

#include "order.h"
#include "print_json.h"

#include <arne/types.h>
#include <stdio.h>

// What numbers an index runs over.
typedef enum axis_kind {
    AXIS_ONE,    // nothing: there is no such index
    AXIS_XYZ,    // x, y, z
    AXIS_XYZW,   // of a quaternion, w last
    AXIS_TWIST,  // linear x, y, z, angular x, y, z
    AXIS_Q,      // coordinates, in the user's order
    AXIS_V,      // velocities, likewise
    AXIS_JOINT,  // those of joints alone, likewise
    AXIS_THETA,  // those of motors alone, by the names of their joints
    AXIS_ACTIVE, // velocities that are not passive, of a robot with loops, likewise
    AXIS_PARAMETER
} axis_kind;

enum { FIELD_AXES = 3 };

typedef struct field {
    const char *group;  // the JSON object it is in, or NULL
    const char *member; // the object in that, or NULL
    const char *key;
    axis_kind   axis[FIELD_AXES]; // of its indices; AXIS_ONE after the last
    double     *value;            // row-major, in the robot's own order
    const char *text;             // instead of numbers
} field;

typedef struct result {
    const ordering *order;
    field          *item;
    int             count, capacity;
} result;

// Texts given to these must outlive the result. The numbers may be written until the result is
// reset; a result is reused from state to state.
double *result_add(result *r, const char *key, axis_kind rows, axis_kind columns);
double *result_add_in(result *r, const char *group, const char *member, const char *key,
                      axis_kind rows, axis_kind columns);
// value[i][j][k], all three indices over velocities.
double *result_add_cube(result *r, const char *key);
void    result_add_vec3(result *r, const char *group, const char *member, const char *key,
                        arne_vec3 v);
void    result_add_text(result *r, const char *key, const char *text);
void    result_reset(result *r);
void    result_free(result *r);

// Whether all numbers are finite; where not, the first that is not goes by its name in CSV.
int result_is_finite(const result *r, char *name, size_t size);

void result_json(const result *r, json *out); // one object
void result_csv_header(const result *r, FILE *out);
// A text that grows, and is used again.
typedef struct row_text {
    char  *text;
    size_t length, capacity;
} row_text;
// Appends a row with its newline.
void result_csv_row(const result *r, row_text *out);

#endif
