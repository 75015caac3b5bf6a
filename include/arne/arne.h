// Arne: articulated Newton-Euler. Robot dynamics by recursion, in C.
//
// A robot is read (io.h) or built (builder.h), and is read-only from then on (robot.h). A workspace
// (work.h) holds the intermediate results of one thread. The algorithms are in kinematics.h,
// dynamics.h and the other headers.
#ifndef ARNE_ARNE_H
#define ARNE_ARNE_H

#include <arne/batch.h>
#include <arne/builder.h>
#include <arne/capture.h>
#include <arne/catalogue.h>
#include <arne/codegen.h>
#include <arne/configuration.h>
#include <arne/contact.h>
#include <arne/control.h>
#include <arne/derivatives.h>
#include <arne/document.h>
#include <arne/dynamics.h>
#include <arne/effort.h>
#include <arne/equilibrium.h>
#include <arne/fmi.h>
#include <arne/function.h>
#include <arne/gpu.h>
#include <arne/horizon.h>
#include <arne/identify.h>
#include <arne/integrate.h>
#include <arne/io.h>
#include <arne/kinematics.h>
#include <arne/loop.h>
#include <arne/modes.h>
#include <arne/modules.h>
#include <arne/motion.h>
#include <arne/motor.h>
#include <arne/muscle.h>
#include <arne/muscle_force.h>
#include <arne/optimal_control.h>
#include <arne/pack.h>
#include <arne/parallel.h>
#include <arne/plan.h>
#include <arne/report.h>
#include <arne/robot.h>
#include <arne/simulate.h>
#include <arne/simulation.h>
#include <arne/status.h>
#include <arne/sweep.h>
#include <arne/table.h>
#include <arne/types.h>
#include <arne/version.h>
#include <arne/work.h>

#endif
