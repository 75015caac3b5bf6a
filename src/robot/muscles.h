// The numbers of the laws of muscles, by law: name (of the field and the key), how many, range,
// unit, what it is. Rules, files and their help come from these rows.
#ifndef ARNE_ROBOT_MUSCLES_H
#define ARNE_ROBOT_MUSCLES_H

#include <arne/muscle.h>

typedef enum number_range {
    RANGE_ANY,
    RANGE_POSITIVE,
    RANGE_NOT_NEGATIVE,
    RANGE_PART
} number_range;

#define MUSCLE_FIBRE(X)                                                                            \
    X(max_force, 1, POSITIVE, "N", "isometric force of the fibre")                                 \
    X(fibre_length, 1, POSITIVE, "m", "optimal length of the fibre")                               \
    X(slack_length, 1, NOT_NEGATIVE, "m", "of the tendon")                                         \
    X(pennation, 1, NOT_NEGATIVE, "rad", "angle of the fibre at its optimal length")               \
    X(max_velocity, 1, POSITIVE, "1/s", "optimal fibre lengths per second")                        \
    X(damping, 1, NOT_NEGATIVE, "1", "of the fibre: part of max_force at max_velocity")            \
    X(activation_time, 1, POSITIVE, "s", "time constant")                                          \
    X(deactivation_time, 1, POSITIVE, "s", "time constant")                                        \
    X(minimum_activation, 1, PART, "1", "it stays above this")                                     \
    X(tendon_strain, 1, POSITIVE, "1", "of a tendon that pulls with max_force")                    \
    X(passive_strain, 1, POSITIVE, "1", "of a passive fibre that pulls with max_force")

#define MUSCLE_MILLARD(X)                                                                          \
    X(active, 5, ANY, "1", "lengths of least force, transition, largest; slope; least force")      \
    X(velocity, 8, ANY, "1", "slopes at -1, near -1, at 0, at 1, near 1; force at 1; curvinesses") \
    X(passive, 4, ANY, "1", "strain of no force, low stiffness, stiffness, curviness")             \
    X(tendon, 3, ANY, "1", "stiffness, force where the toe ends, curviness")

#define MUSCLE_THELEN(X)                                                                           \
    X(active_shape, 1, POSITIVE, "1", "KshapeActive")                                              \
    X(passive_shape, 1, POSITIVE, "1", "KshapePassive")                                            \
    X(velocity_shape, 1, POSITIVE, "1", "Af")                                                      \
    X(lengthening_force, 1, POSITIVE, "1", "Flen")

#define MUSCLE_DEGROOTE(X) X(active_width, 1, POSITIVE, "1", "factor of the active curve's width")

#define MUSCLE_LIGAMENT(X)                                                                         \
    X(max_force, 1, POSITIVE, "N", "where its curve is 1")                                         \
    X(slack_length, 1, POSITIVE, "m", "at rest")

#define MUSCLE_SPRING(X)                                                                           \
    X(slack_length, 1, NOT_NEGATIVE, "m", "at rest")                                               \
    X(stiffness, 1, NOT_NEGATIVE, "N/m", "of the path")                                            \
    X(dissipation, 1, NOT_NEGATIVE, "s/m", "force times 1 + dissipation times velocity")

#define MUSCLE_LIMIT(X)                                                                            \
    X(limits, 2, ANY, "rad, m", "lower, upper; no force between them")                             \
    X(limit_stiffness, 2, NOT_NEGATIVE, "N m/rad, N/m", "below the lower, above the upper limit")  \
    X(transition, 1, POSITIVE, "rad, m", "over which stiffness and damping grow")                  \
    X(damping, 1, NOT_NEGATIVE, "N m s/rad, N s/m", "beyond the limits")

#define MUSCLE_TENDON(X)                                                                           \
    X(slack, 2, NOT_NEGATIVE, "m", "the shortest and longest length without force")                \
    X(elastic, 3, ANY, "N/m", "factors of x, x^2, x^3; x how far it is outside of slack")          \
    X(viscous, 3, ANY, "N s/m", "factors of v, v |v|, v^3; v how fast it lengthens")

#define MUSCLE_CABLE(X)                                                                            \
    X(max_force, 1, POSITIVE, "N", "at activation 1; of a chamber: largest pressure times area")   \
    X(activation_time, 1, POSITIVE, "s", "time constant of its drive, where excitations are given")

// Whether it has an activation.
static inline int muscle_is_driven(arne_muscle_kind kind)
{
    return kind < ARNE_MUSCLE_LIGAMENT || kind >= ARNE_MUSCLE_CABLE;
}

// Whether it pulls in every simulation, whatever drives that: what has no activation and pulls on
// bodies. (Paths along rods and with moving points do with the controller `muscles`.)
int muscle_acts_always(const arne_robot *robot, int muscle);

// Millard's curves as Bezier segments, 8 numbers each: x and y of P0, A, B, P1.
enum {
    BEZIER_SIZE = 8,
    MILLARD_ACTIVE = 0, // the first segment of each curve, and the number of all
    MILLARD_VELOCITY = 5,
    MILLARD_PASSIVE = 9,
    MILLARD_TENDON = 11,
    MILLARD_SEGMENTS = 13
};
void millard_fill(const arne_muscle_law *law, double *numbers);

#endif
