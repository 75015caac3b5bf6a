#include "mjcf.h"

#include "algebra.h"
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace peers
{
void append(std::string &out, const char *format, ...)
{
    char    line[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    out += line;
}

namespace
{

// All numbers with 17 digits, so that the text loses nothing.
void append_joint(std::string &out, const tree_joint &j, int body, int number)
{
    static const char *const name[] = {"hinge", "slide", "ball", "free"};
    append(out, "<joint name=\"b%d.%d\" type=\"%s\" limited=\"false\"", body, number,
           name[static_cast<int>(j.type)]);
    if (j.type == joint_type::hinge || j.type == joint_type::slide)
        append(out, " axis=\"%.17g %.17g %.17g\"", j.axis.x, j.axis.y, j.axis.z);
    if (j.type == joint_type::hinge || j.type == joint_type::ball)
        append(out, " pos=\"%.17g %.17g %.17g\"", j.point.x, j.point.y, j.point.z);
    append(out, " armature=\"%.17g\"/>\n", j.rotor);
}

const int levels_in_a_file = 40;

// Writes bodies with all that hangs on them, in as many files as it takes.
class mjcf_writer
{
  public:
    mjcf_writer(const tree &t, double friction)
        : tree_(t), friction_(friction), children_(t.bodies.size() + 1), files_(1)
    {
        for (size_t i = 0; i < t.bodies.size(); i++)
            children_[t.bodies[i].parent + 1].push_back(static_cast<int>(i));
        append(files_[0],
               "<mujoco>\n<compiler angle=\"radian\" inertiafromgeom=\"false\"/>\n"
               "<option gravity=\"%.17g %.17g %.17g\">",
               t.gravity.x, t.gravity.y, t.gravity.z);
        files_[0] += friction < 0 ? "<flag constraint=\"disable\" energy=\"enable\"/></option>\n"
                                  : "</option>\n";
        if (friction >= 0) files_[0] += "<size nconmax=\"1000\" njmax=\"4000\"/>\n";
        files_[0] += "<worldbody>\n";
        if (friction >= 0)
            append(files_[0],
                   "<geom type=\"plane\" size=\"100 100 1\" contype=\"1\" conaffinity=\"0\" "
                   "condim=\"3\" friction=\"%.17g 0 0\"/>\n",
                   friction);
        children(0, -1, 1);
        files_[0] += "</worldbody>\n</mujoco>\n";
    }
    std::vector<std::string> take() { return std::move(files_); }

  private:
    void children(size_t file, int body, int level)
    {
        if (children_[body + 1].empty()) return;
        if (level % levels_in_a_file != 0) {
            for (int child : children_[body + 1])
                write(file, child, level);
            return;
        }
        const size_t next = files_.size();
        append(files_[file], "<include file=\"%d.xml\"/>\n", static_cast<int>(next));
        files_.push_back("<mujocoinclude>\n");
        for (int child : children_[body + 1])
            write(next, child, level);
        files_[next] += "</mujocoinclude>\n";
    }

    // The inertia of the text stands for the real one: off the centre and turned, so that the
    // compiler does not see a body that is simple, and takes no short cut.
    void write(size_t file, int body, int level)
    {
        const tree_body &b = tree_.bodies[body];
        const arne_mat3 T = transposed(b.placement.R); // its columns are the rows that MuJoCo wants
        const mjtNum    mat[9] = {T.x.x, T.x.y, T.x.z, T.y.x, T.y.y, T.y.z, T.z.x, T.z.y, T.z.z};
        mjtNum          u[4];
        mju_mat2Quat(u, mat);
        append(files_[file],
               "<body name=\"b%d\" pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\">\n",
               body, b.placement.p.x, b.placement.p.y, b.placement.p.z, u[0], u[1], u[2], u[3]);
        files_[file] += "<inertial pos=\"0.1 0.2 0.3\" quat=\"0.5 0.5 -0.5 0.5\" mass=\"1\" "
                        "diaginertia=\"2 3 4\"/>\n";
        for (size_t k = 0; k < b.joints.size(); k++)
            append_joint(files_[file], b.joints[k], body, static_cast<int>(k));
        for (const tree_sphere &s : tree_.spheres)
            if (friction_ >= 0 && s.body == body)
                append(
                    files_[file],
                    "<geom type=\"sphere\" size=\"%.17g\" pos=\"%.17g %.17g %.17g\" contype=\"0\" "
                    "conaffinity=\"1\" condim=\"3\" friction=\"%.17g 0 0\"/>\n",
                    s.radius, s.centre.x, s.centre.y, s.centre.z, friction_);
        children(file, body, level + 1);
        files_[file] += "</body>\n";
    }

    const tree                   &tree_;
    double                        friction_;
    std::vector<std::vector<int>> children_; // of body i at i + 1
    std::vector<std::string>      files_;
};

// A = V diag(d) V^T by Jacobi's rotations, to the last digit: mju_eig3 stops at 1e-6 off the axes.
void diagonalise(double A[3][3], double V[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            V[i][k] = i == k;
    for (int step = 0; step < 60; step++) {
        const int    p = step % 3, q = (p + 1) % 3;
        const double apart = A[q][q] - A[p][p];
        // Never more than an eighth of a turn, or it may go round for ever.
        const double angle = apart != 0     ? 0.5 * std::atan(2 * A[p][q] / apart)
                             : A[p][q] != 0 ? M_PI / 4
                                            : 0;
        const double c = std::cos(angle), s = std::sin(angle);
        for (int k = 0; k < 3; k++) {
            const double x = A[k][p], y = A[k][q], u = V[k][p], v = V[k][q];
            A[k][p] = c * x - s * y;
            A[k][q] = s * x + c * y;
            V[k][p] = c * u - s * v;
            V[k][q] = s * u + c * v;
        }
        for (int k = 0; k < 3; k++) {
            const double x = A[p][k], y = A[q][k];
            A[p][k] = c * x - s * y;
            A[q][k] = s * x + c * y;
        }
    }
}

void set_inertia(mjModel *m, int id, const tree_body &b)
{
    const double *I = b.inertia;
    double        A[3][3] = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}}, V[3][3];
    const double  com[3] = {b.com.x, b.com.y, b.com.z};
    diagonalise(A, V);
    m->body_mass[id] = b.mass;
    for (int k = 0; k < 3; k++) {
        m->body_ipos[3 * id + k] = com[k];
        m->body_inertia[3 * id + k] = A[k][k];
    }
    mju_mat2Quat(&m->body_iquat[4 * id], &V[0][0]);
}

// mj_loadXML reads from memory through a virtual file system, which is some megabytes large.
mjModel *compile(const std::vector<std::string> &files)
{
    std::unique_ptr<mjVFS> disk(new mjVFS);
    char                   error[512] = "";
    mj_defaultVFS(disk.get());
    for (size_t i = 0; i < files.size(); i++) {
        const std::string name = std::to_string(i) + ".xml";
        mj_makeEmptyFileVFS(disk.get(), name.c_str(), static_cast<int>(files[i].size()));
        const int at = mj_findFileVFS(disk.get(), name.c_str());
        if (at >= 0) std::memcpy(disk->filedata[at], files[i].data(), files[i].size());
    }
    mjModel *m = mj_loadXML("0.xml", disk.get(), error, sizeof error);
    mj_deleteVFS(disk.get());
    if (!m) throw std::runtime_error(error);
    return m;
}

} // namespace

std::vector<std::string> mjcf_files(const tree &t, double friction)
{
    return mjcf_writer(t, friction).take();
}

mjModel *mjcf_model(const tree &t, double friction)
{
    mjModel *m = compile(mjcf_files(t, friction));
    for (size_t i = 0; i < t.bodies.size(); i++) {
        const std::string name = "b" + std::to_string(i);
        set_inertia(m, mj_name2id(m, mjOBJ_BODY, name.c_str()), t.bodies[i]);
    }
    mjData *d = mj_makeData(m);
    if (!d) {
        mj_deleteModel(m);
        throw std::runtime_error("no memory for MuJoCo's data");
    }
    mj_setConst(m, d); // the masses of subtrees
    mj_deleteData(d);
    return m;
}

} // namespace peers
