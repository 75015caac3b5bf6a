// Ipopt has no C interface for linear solvers. But programs may hand it functions that it calls as
// those of MA57, a solver that it knows by name (HSLLoader.h of Ipopt 3.11 to 3.13). Ours keep all
// they know in the arrays that Ipopt makes for them.
#include "modules/ipopt/own_solver.h"
#include "plan/solve/condense.h"
#include <stddef.h>

#ifdef ARNE_IPOPT_LOADER
#include <HSLLoader.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>

enum { MOST_ROWS = 600 }; // beyond, MUMPS gains more from zeros

enum { NO_ROOM = -1, SINGULAR = 4 };                       // of info[0]
enum { NUMBERS = 8, WHOLE = 9, NEGATIVE = 23, RANK = 24 }; // places in info
enum { LIMITS = 5, CONTROLS = 20 };                        // lengths
// The whole numbers begin with the address of what analyse left, for Ipopt does not hand it to
// solve.
enum { ADDRESS = 16 / sizeof(int) };

static void set_defaults(double *limits, ipfint *control)
{
    memset(limits, 0, LIMITS * sizeof *limits);
    memset(control, 0, CONTROLS * sizeof *control);
}

static void analyse(ipfint *n, ipfint *entries, const ipfint *row, const ipfint *column,
                    ipfint *keep_size, ipfint *keep, ipfint *room, ipfint *control, ipfint *info,
                    double *figures)
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

static void factor(ipfint *n, ipfint *entries, double *values, double *numbers, ipfint *size,
                   ipfint *whole, ipfint *whole_size, ipfint *keep_size, ipfint *keep, ipfint *room,
                   ipfint *control, double *limits, ipfint *info, double *figures)
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

static void solve(ipfint *job, ipfint *n, double *numbers, ipfint *size, ipfint *whole,
                  ipfint *whole_size, ipfint *sides, double *x, ipfint *stride, double *room,
                  ipfint *room_size, ipfint *more_room, ipfint *control, ipfint *info)
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

// Asked for by Ipopt where factors have outgrown their arrays, which ours never do.
static void lengthen(ipfint *n, ipfint *which, ipfint *keep, double *numbers, ipfint *size,
                     double *longer, ipfint *longer_size, ipfint *whole, ipfint *whole_size,
                     ipfint *longer_whole, ipfint *longer_whole_size, ipfint *info)
{
    (void)n, (void)which, (void)keep, (void)numbers, (void)size, (void)longer, (void)longer_size;
    (void)whole, (void)whole_size, (void)longer_whole, (void)longer_whole_size;
    info[0] = NO_ROOM;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int             users; // searches that run with it

const char *own_solver_give(int rows)
{
    if (rows > MOST_ROWS) return NULL;
    pthread_mutex_lock(&lock);
    const int ours = users > 0 || !LSL_isMA57available();
    if (ours && users++ == 0) LSL_setMA57(analyse, factor, solve, lengthen, set_defaults);
    pthread_mutex_unlock(&lock);
    return ours ? "ma57" : NULL;
}

void own_solver_take_back(void)
{
    pthread_mutex_lock(&lock);
    if (--users == 0) LSL_setMA57(NULL, NULL, NULL, NULL, NULL);
    pthread_mutex_unlock(&lock);
}

#else

const char *own_solver_give(int rows)
{
    (void)rows;
    return NULL;
}

void own_solver_take_back(void) {}

#endif
