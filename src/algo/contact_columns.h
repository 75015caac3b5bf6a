// Rows of a Jacobian for points that touch, and what unit impulses along them do to the velocities.
#ifndef ARNE_ALGO_CONTACT_COLUMNS_H
#define ARNE_ALGO_CONTACT_COLUMNS_H

#include <arne/dynamics.h>

// Up to three directions at a point of a body, against the world or another body; or one velocity
// coordinate.
typedef struct contact_rows {
    int       body[2]; // the second is -1 where it is the world
    arne_vec3 point;   // in the world
    arne_vec3 axis[3]; // likewise: unit vectors
    int       rows;
    int       turns;                // the axes are of turning, not of moving
    int       coordinate;           // of one that is a velocity coordinate; -1: it is a point
    int       first, count;         // the velocity coordinates that it can move
    int       body_first, body_end; // the bodies that it can move
    size_t    at;                   // of its rows x count numbers in J and in Y
} contact_rows;

// J, and Y = M^-1 J^T with a row for each column: O(bodies) for each row. ARNE_SINGULAR as forward
// dynamics.
ARNE_CHECKED arne_status contact_columns(const arne_robot *robot, arne_work *work, const double *q,
                                         const contact_rows *rows, int count, double *J, double *Y,
                                         arne_error *error);

#endif
