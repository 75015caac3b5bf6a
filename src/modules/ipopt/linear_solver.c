// Ipopt has no C interface for linear solvers, but a table of functions that it calls as those of
// MA57, a solver that it knows by name (HSLLoader.h of Ipopt 3.11 to 3.13). The table is one for
// the process. So the module has its own copy of Ipopt, linked from libipopt.a with hidden names,
// and fills that copy's table once, when it is loaded: another user of libipopt.so sees nothing of
// it. Where there is no such copy (ARNE_IPOPT_PRIVATE), MUMPS solves all systems.
//
// The functions keep all they know in the arrays that Ipopt makes for them.
#include "modules/ipopt/linear_solver.h"
#include "plan/solve/condense.h"
#include <stddef.h>

#ifdef ARNE_IPOPT_PRIVATE
#include <HSLLoader.h>
#include <limits.h>
#include <string.h>

// Rows of the condensed system up to which dense factors were faster than MUMPS with all rows: 0.9
// ms against 5.4 ms at 308 rows (the thesis's gait), but slower at 1458 (a gait with contacts).
enum { DENSE_ROWS = 600 };

enum { NO_ROOM = -1, SINGULAR = 4 };                       // of info[0]
enum { NUMBERS = 8, WHOLE = 9, NEGATIVE = 23, RANK = 24 }; // places in info
enum { LIMITS = 5, CONTROLS = 20 };                        // lengths
// The whole numbers begin with the address of what analyse left, for Ipopt does not hand it to
// solve.
enum { ADDRESS = 16 / sizeof(int) };

static void linear_solver_defaults(double *limits, ipfint *control)
{
    memset(limits, 0, LIMITS * sizeof *limits);
    memset(control, 0, CONTROLS * sizeof *control);
}

static void linear_solver_analyse(ipfint *n, ipfint *entries, const ipfint *row,
                                  const ipfint *column, ipfint *keep_size, ipfint *keep,
                                  ipfint *room, ipfint *control, ipfint *info, double *figures)
{
    (void)control, (void)figures;
    info[0] = NO_ROOM;
    if (*keep_size < condense_keep(*n, *entries)) return;
    condense_pattern(*n, *entries, row, column, keep, room);
    const condensed c = condense_open(keep);
    if (condense_numbers(&c) > INT_MAX / 2) return;
    info[0] = 0;
    info[NUMBERS] = (ipfint)condense_numbers(&c);
    info[WHOLE] = condense_whole(&c) + ADDRESS;
}

static void linear_solver_factor(ipfint *n, ipfint *entries, double *values, double *numbers,
                                 ipfint *size, ipfint *whole, ipfint *whole_size, ipfint *keep_size,
                                 ipfint *keep, ipfint *room, ipfint *control, double *limits,
                                 ipfint *info, double *figures)
{
    const condensed c = condense_open(keep);
    (void)entries, (void)keep_size, (void)room, (void)control, (void)limits, (void)figures;
    info[0] = NO_ROOM;
    if (*size < condense_numbers(&c) || *whole_size < condense_whole(&c) + ADDRESS) return;
    memcpy(whole, &keep, sizeof keep);
    const int negative = condense_factor(&c, values, numbers, whole + ADDRESS);
    info[0] = negative < 0 ? SINGULAR : 0;
    info[NEGATIVE] = negative;
    info[RANK] = negative < 0 ? *n - 1 : *n;
}

static void linear_solver_solve(ipfint *job, ipfint *n, double *numbers, ipfint *size,
                                ipfint *whole, ipfint *whole_size, ipfint *sides, double *x,
                                ipfint *stride, double *room, ipfint *room_size, ipfint *more_room,
                                ipfint *control, ipfint *info)
{
    int *keep;
    (void)job, (void)n, (void)size, (void)whole_size, (void)room, (void)room_size;
    (void)more_room, (void)control;
    memcpy(&keep, whole, sizeof keep);
    const condensed c = condense_open(keep);
    for (int i = 0; i < *sides; i++)
        condense_solve(&c, numbers, whole + ADDRESS, x + (size_t)i * (size_t)*stride);
    info[0] = 0;
}

// Called by Ipopt when factors need longer arrays than analyse said; ours never do.
static void linear_solver_lengthen(ipfint *n, ipfint *which, ipfint *keep, double *numbers,
                                   ipfint *size, double *longer, ipfint *longer_size, ipfint *whole,
                                   ipfint *whole_size, ipfint *longer_whole,
                                   ipfint *longer_whole_size, ipfint *info)
{
    (void)n, (void)which, (void)keep, (void)numbers, (void)size, (void)longer, (void)longer_size;
    (void)whole, (void)whole_size, (void)longer_whole, (void)longer_whole_size;
    info[0] = NO_ROOM;
}

// Runs when the module is loaded, before any search can.
__attribute__((constructor)) static void linear_solver_install(void)
{
    LSL_setMA57(linear_solver_analyse, linear_solver_factor, linear_solver_solve,
                linear_solver_lengthen, linear_solver_defaults);
}

const char *linear_solver_name(int rows) { return rows <= DENSE_ROWS ? "ma57" : NULL; }

#else

const char *linear_solver_name(int rows)
{
    (void)rows;
    return NULL;
}

#endif
