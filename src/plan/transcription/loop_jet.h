// A robot with closed loops along a curve s -> z of its planned coordinates: its motion, torques
// and wrenches with their first and second derivatives by s, exact to rounding.
#ifndef ARNE_PLAN_TRANSCRIPTION_LOOP_JET_H
#define ARNE_PLAN_TRANSCRIPTION_LOOP_JET_H

#include <arne/loop.h>

typedef struct loop_jet loop_jet;

// An external wrench at a point of a frame, in the axes of the world or of the frame, with its
// rate.
typedef struct loop_push {
    int         frame, in_frame;
    arne_vec3   point;
    arne_wrench now, rate;
} loop_push;

// independent: n coordinates, all that are active. NULL: no memory.
loop_jet *loop_jet_new(const arne_robot *robot, const int *independent, int n);
void      loop_jet_free(loop_jet *j);
// q: a closed configuration. curve: of n positions, n velocities and n accelerations, value, first
// and second derivative each.
void loop_jet_move(loop_jet *j, const double *q, const double (*curve)[3]);
// Where loops tie velocities alone: a curve of all positions, velocities and accelerations, whether
// or not it obeys them; and by how much dependent velocities are off, as many rows as there are.
void loop_jet_place(loop_jet *j, const double (*curve)[3]);
void loop_jet_slip(const loop_jet *j, int derivative, double *out);
// After that: torques of active joints, and the wrenches that joints and loops carry with them.
void loop_jet_push(loop_jet *j, const loop_push *pushes, int count);
// The results, v_count numbers: of order 0 to 2 of the motion, of torques, by s as often as
// `derivative` says.
void loop_jet_motion(const loop_jet *j, int order, int derivative, double *out);
void loop_jet_torques(const loop_jet *j, int derivative, double *out);
// Of the wrench of a joint, as arne_joint_wrench: six numbers.
void loop_jet_wrench(const loop_jet *j, int joint, int derivative, double *out);

#endif
