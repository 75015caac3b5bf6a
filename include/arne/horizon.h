// Problem files of optimal control: those with solver: {method: riccati} (docs/problem-file.md).
//
// `arne plan` solves such a problem once, over its whole time; the controller `mpc` of scenarios
// solves it at every tick over its horizon, from the measured state. Both use
// arne/optimal_control.h.
#ifndef ARNE_HORIZON_H
#define ARNE_HORIZON_H

#include <arne/builder.h>
#include <arne/codegen.h>
#include <arne/control.h>
#include <arne/optimal_control.h>
#include <arne/report.h>

typedef struct arne_horizon arne_horizon;

ARNE_BEGIN

// Whether a file is a problem with method: riccati. 0 also where it cannot be read.
ARNE_API int arne_horizon_is(const char *path);

// Reads such a file and its robot. options->fail is called for all mistakes; error has the first.
ARNE_API ARNE_CHECKED arne_status arne_horizon_read(const char               *path,
                                                    const arne_build_options *options,
                                                    arne_horizon **out, arne_error *error);
ARNE_API void                     arne_horizon_free(arne_horizon *horizon);
ARNE_API const arne_robot        *arne_horizon_robot(const arne_horizon *horizon);

// The problem of the whole time, or of a receding horizon; its arrays belong to the horizon.
// arne_horizon_at fills the references of the motion from time t [s] and positions q on; NULL:
// those of the start.
ARNE_API arne_oc_problem arne_horizon_problem(arne_horizon *horizon, int receding);
ARNE_API void            arne_horizon_at(arne_horizon *horizon, double t, const double *q);
// The phase of every knot and of the step before, as arne_horizon_at left them, for
// arne_oc_schedule; NULL: there are no contacts.
ARNE_API const int *arne_horizon_schedule(const arne_horizon *horizon, int *before);
// The state at the start, q and qd, and the time between two ticks [s].
ARNE_API const double *arne_horizon_start(const arne_horizon *horizon);
ARNE_API double        arne_horizon_tick(const arne_horizon *horizon);
// The iterations of a tick, or at most of the first one and of plans.
ARNE_API int arne_horizon_iterations(const arne_horizon *horizon, int first);

// Solves the problem over its whole time, from its start. As arne_oc_solve; the best motion is kept
// in any case.
ARNE_API ARNE_CHECKED arne_status arne_horizon_solve(arne_horizon          *horizon,
                                                     const arne_oc_options *options,
                                                     arne_oc_result *result, arne_error *error);
// The solver of the last arne_horizon_solve, NULL before.
ARNE_API const arne_oc *arne_horizon_solver(const arne_horizon *horizon);
// Writes the folder of a run: inputs/, result.csv (a row for every knot) and summary.json. A motion
// that has not converged goes to DIR.incomplete. page: how its report.html is written; NULL: none.
ARNE_API ARNE_CHECKED arne_status arne_horizon_write(arne_horizon         *horizon,
                                                     const arne_oc_result *result, const char *dir,
                                                     const arne_report_options *page,
                                                     arne_error                *error);

// Receding horizon control: at its first sample the problem is solved from the measured state, at
// the others the last solution is shifted and improved by the file's number of iterations. It keeps
// the horizon, and frees it. The robot must have the coordinates of the file's robot; masses may
// differ.
ARNE_API ARNE_CHECKED arne_status arne_controller_mpc(const arne_robot *robot,
                                                      arne_horizon *horizon, arne_controller **out,
                                                      arne_error *error);

// C99 for one robot, one horizon and one set of costs: the files of arne_generate with what the
// controller needs, and PREFIX_mpc.h, PREFIX_mpc.c and PREFIX_mpc_selftest.c. All memory is in one
// struct of the caller; only libm is needed. The self-test compares the controls at two states with
// those of arne_oc_solve.
//
// Of options only prefix, precision and sincos count; may be NULL. ARNE_UNSUPPORTED, by name:
// joints whose coordinates do not add, loops, contacts, the integrator rk4, bounds other than those
// of torques, terms of a part of the time, quantities other than position, velocity, torque and the
// position of one frame.
ARNE_API ARNE_CHECKED arne_status arne_generate_mpc(arne_horizon                *horizon,
                                                    const arne_generate_options *options,
                                                    arne_generated **out, arne_error *error);

ARNE_END

#endif
