// The program of static optimisation: activations of least cost that give torques.
//
//     minimise    sum of a^power + sum of c^2      lower <= a <= upper
//     subject to  B a + R c = b                    c: controls of reserves, R diagonal
#ifndef ARNE_MUSCLE_ACTIVATION_PROGRAM_H
#define ARNE_MUSCLE_ACTIVATION_PROGRAM_H

#include <arne/status.h>

// Columns of B are sparse: entries start[i] to start[i + 1] of rows and values.
typedef struct activation_program {
    int           columns, rows;
    double        power;
    const double *lower, *upper, *b, *soft; // soft: R^2 / 2 of each row
    const int    *start, *row;
    const double *value;
} activation_program;

// Numbers of room that activation_solve needs.
int activation_room(int columns, int rows);
// lambda: of the rows; soft times lambda is what reserves give. ARNE_NOT_CONVERGED: no activations
// within their bounds give b.
ARNE_CHECKED arne_status activation_solve(const activation_program *p, double *room, double *a,
                                          double *lambda);

#endif
