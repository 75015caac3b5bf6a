// Robots on rigid ground: our steps, and MuJoCo's where it was found.
#ifndef ARNE_BENCH_CONTACT_H
#define ARNE_BENCH_CONTACT_H

#include "measure.h"
#include "models.h"
#include <functional>

namespace peers
{

const double ground_friction = 0.8;
const int    settling = 300; // steps before those that are timed

// Where joints of one coordinate are to be: springs and dampers pull them there, swaying slowly.
struct stance {
    std::vector<double> q; // with the base, on the ground
    double              kp = 0, kd = 0;
    static double       sway(double time);
    double              torque(int q_index, double sway, double position, double velocity) const;
};

// The quadruped with its four feet on the ground.
stance quadruped_stance(const arne_robot *robot);
// So many balls, each free, side by side on the ground; and where they lie.
robot_ptr make_balls(int count);
stance    balls_stance(const arne_robot *robot);

// A robot on the plane z = 0, in steps of the rigid model.
class standing
{
  public:
    standing(const arne_robot *robot, const stance &where, double step);
    ~standing();
    standing(const standing &) = delete;
    standing &operator=(const standing &) = delete;

    void          start();
    void          advance(); // one step
    const double *q() const { return q_.data(); }
    int           touch_count() const { return arne_world_touch_count(world_); }

  private:
    stance              where_;
    arne_work          *work_ = nullptr;
    arne_world         *world_ = nullptr;
    std::vector<double> q_, qd_, tau_;
    std::vector<int>    joint_q_, joint_v_; // of joints of one coordinate
    double              step_;
    long                steps_ = 0;
};

// MuJoCo's steps: cones as they are or as pyramids; contacts of this stiffness [1/s^2] and this
// softness, the part of a constraint that is not kept.
struct mujoco_ground {
    bool   pyramid = false;
    double stiffness = 0, softness = 0; // 0: as MuJoCo has them
};

#ifdef ARNE_HAVE_MUJOCO
// ns of a step, the best of so many rounds.
double mujoco_step_time(const arne_robot *robot, const stance &where, double step, int steps,
                        const mujoco_ground &how, int rounds);
// Steps in a second of so many worlds on so many threads, each world by itself; pyramids, as
// MuJoCo's defaults have them.
double mujoco_worlds_rate(const arne_robot *robot, const stance &where, double step, int worlds,
                          int threads, int steps);
// Where the robot is after so many steps, in the coordinates of the tree.
std::vector<double> mujoco_after(const arne_robot *robot, const stance &where, double step,
                                 int steps, const mujoco_ground &how);
#endif

// The least time of a call, of three [s].
double wall_seconds(const std::function<void()> &call);

// The quadruped, and how steps grow with the number of contacts.
void print_ground(const arne_robot *quadruped, int rounds);

} // namespace peers

#endif
