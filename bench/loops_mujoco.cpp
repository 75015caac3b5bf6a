// The five-bar as MuJoCo has it: its tree, and a point that ties the couplers.
#include "loops.h"

#include "mjcf.h"
#include <cstdio>
#include <stdexcept>

namespace peers
{
namespace
{

void append_link(std::string &out, const arne_robot *robot, const char *link, const char *joint,
                 double x)
{
    const arne_frame_info f = arne_robot_frame(robot, arne_find_frame(robot, link));
    const arne_joint_info j = arne_robot_joint(robot, arne_find_joint(robot, joint));
    append(out, "<body name=\"%s\" pos=\"%.17g 0 0\">\n", link, x);
    append(out, "<joint axis=\"0 0 1\" limited=\"false\" armature=\"%.17g\"/>\n", j.rotor_inertia);
    append(out, "<inertial pos=\"%.17g %.17g %.17g\" mass=\"%.17g\" ", f.com.x, f.com.y, f.com.z,
           f.mass);
    append(out, "diaginertia=\"%.17g %.17g %.17g\"/>\n", f.inertia[0], f.inertia[1], f.inertia[2]);
}

std::string text_of(const arne_robot *robot, double impedance)
{
    std::string out = "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\"/>\n"
                      "<option gravity=\"0 -9.81 0\"";
    if (impedance > 0) out += " solver=\"Newton\" iterations=\"100\" tolerance=\"1e-15\"";
    out += "/>\n<worldbody>\n";
    append_link(out, robot, "crank1", "motor1", 0);
    append_link(out, robot, "coupler1", "elbow1", 0.25);
    out += "</body></body>\n";
    append_link(out, robot, "crank2", "motor2", 0.3);
    append_link(out, robot, "coupler2", "elbow2", 0.25);
    out += "</body></body>\n</worldbody>\n<equality><connect body1=\"coupler1\" "
           "body2=\"coupler2\" anchor=\"0.35 0 0\"";
    if (impedance > 0) append(out, " solimp=\"%.17g %.17g 0.001\"", impedance, impedance);
    return out + "/></equality>\n</mujoco>\n";
}

mjModel *load(const std::string &text)
{
    std::unique_ptr<mjVFS> disk(new mjVFS);
    char                   error[500] = "";
    mj_defaultVFS(disk.get());
    mj_makeEmptyFileVFS(disk.get(), "0.xml", static_cast<int>(text.size()));
    const int at = mj_findFileVFS(disk.get(), "0.xml");
    std::copy(text.begin(), text.end(), static_cast<char *>(disk->filedata[at]));
    mjModel *m = mj_loadXML("0.xml", disk.get(), error, sizeof error);
    mj_deleteVFS(disk.get());
    if (!m) throw std::runtime_error(error);
    // Its compiler closes loops at zero; ours is open there. Both anchors are at the ends of the
    // couplers.
    for (int i = 0; i < 2; i++) {
        m->eq_data[3 * i] = 0.35;
        m->eq_data[3 * i + 1] = m->eq_data[3 * i + 2] = 0;
    }
    return m;
}

class twin : public five_bar_twin
{
  public:
    twin(const arne_robot *robot, double impedance)
        : model_(load(text_of(robot, impedance))), data_(mj_makeData(model_))
    {
    }
    ~twin() override
    {
        mj_deleteData(data_);
        mj_deleteModel(model_);
    }
    const double *accelerations(const double *q, const double *qd, const double *tau) override
    {
        for (int i = 0; i < 4; i++) {
            data_->qpos[i] = q[i];
            data_->qvel[i] = qd[i];
            data_->qfrc_applied[i] = tau[i];
        }
        mj_forward(model_, data_);
        return data_->qacc;
    }

  private:
    mjModel *model_;
    mjData  *data_;
};

} // namespace

std::unique_ptr<five_bar_twin> five_bar_in_mujoco(const arne_robot *robot, double impedance)
{
    return std::make_unique<twin>(robot, impedance);
}

} // namespace peers
