// The tree as MuJoCo reads it, and MuJoCo's own model of it.
#ifndef ARNE_BENCH_MJCF_H
#define ARNE_BENCH_MJCF_H

#include "tree.h"
#include <mujoco/mujoco.h>

namespace peers
{

// out + a line, as printf writes it.
void append(std::string &out, const char *format, ...) __attribute__((format(printf, 2, 3)));

// MuJoCo's file of the robot: bodies "b0", "b1" ... with joints "b0.0", "b0.1" ... Bodies are
// nested in such a file, and its reader takes only so many levels, so that long robots need
// several: file 0 includes "1.xml", that one "2.xml" and so on. The inertias are not those of the
// robot: MuJoCo's compiler turns down massless links and inertias against the triangle inequality.
// friction: negative: no ground; else the robot's spheres touch the plane z = 0 with this
// coefficient, and nothing else.
std::vector<std::string> mjcf_files(const tree &t, double friction = -1);

// Compiles the files and then writes the inertias into the model, where everything is allowed.
// Contacts (but for those with the ground, if any), limits and all other constraints are off.
// Throws std::runtime_error with MuJoCo's words; free with mj_deleteModel.
mjModel *mjcf_model(const tree &t, double friction = -1);

} // namespace peers

#endif
