// Small MJCF files as MuJoCo reads them and as Arne does: equal mass matrix, bias with passive
// forces and poses in random states. Between them they have what models use: default classes,
// orientations, refs, several joints in a body, inertia of geoms, tendons over surfaces, and the
// settings of the compiler. MuJoCo 2.2.2 takes a side site that is near the plane's centre as
// inside of a sphere, so these are far.
#include <arne/arne.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mujoco/mujoco.h>
#include <string>
#include <vector>

namespace
{

const char *const ARM = "<worldbody><site name='w' pos='0.1 0.2 0.9'/><geom name='floor' "
                        "type='plane' size='1 1 1'/>"
                        "<body name='a' pos='0.1 0 0.2' quat='2 1 0 0.5'>";

// Two hinges and a slide with sites and surfaces; the tendons come last.
std::string with_tendons(const std::string &surface, const std::string &tendons)
{
    return "<mujoco><compiler angle='radian'/><default><geom mass='0.4' size='0.05'/>"
           "<joint axis='0 1 0'/></default><worldbody><site name='w' pos='0.2 0.03 0.3'/>"
           "<body name='a'><joint name='ja' springref='0.3'/><geom/><site name='s1' pos='0.02 0.01 "
           "0.35'/><site name='t1' pos='-0.2 0.05 0.1'/>"
           "<body name='b' pos='0 0 0.4'><joint name='jb' axis='1 0.2 0' pos='0 0.01 0'/><geom "
           "pos='0 0 0.2'/>" +
           surface +
           "<site name='in' pos='1.5 0.2 0.1'/><site name='up' pos='-0.3 -2 0.5'/>"
           "<site name='s2' pos='0.1 0.02 0.2'/><body name='c' pos='0 0 0.3'><joint name='jc' "
           "type='slide' axis='0 0.3 1' springref='0.05'/><geom pos='0 0.1 0'/><site name='s3' "
           "pos='0.05 0.1 0.02'/></body></body></body></worldbody><tendon>" +
           tendons + "</tendon></mujoco>";
}

std::vector<std::string> small_files()
{
    const std::string arm = ARM, ball = "<geom name='g' type='sphere' size='0.06'/>",
                      tube = "<geom name='g' type='cylinder' size='0.05 0.1' euler='0.3 1.2 0'/>";
    std::vector<std::string> all = {
        // angles, orders of Euler's, refs and several joints
        "<mujoco><compiler eulerseq='zYx'/>" + arm +
            "<joint name='j' axis='1 2 0' ref='20' pos='0.1 0 0' springref='-10' stiffness='3'/>"
            "<joint type='slide' axis='0 1 1' ref='0.1' stiffness='5' damping='0.2'/>"
            "<joint type='ball' pos='0 0.1 0' damping='0.3'/><geom type='box' size='.1 .2 .3' "
            "euler='10 20 30'/><body axisangle='1 1 0 40' pos='0 0 1'><joint armature='0.2'/>"
            "<geom type='capsule' fromto='0 0 0 .2 .3 .4' size='.05'/></body></body></worldbody>"
            "</mujoco>",
        "<mujoco><compiler angle='radian' eulerseq='XYZ'/>" + arm +
            "<freejoint/><inertial mass='2' pos='0.1 0 0' fullinertia='1 2 2.5 0.1 0.2 0.3'/><geom "
            "size='1'/><body xyaxes='1 0.2 0 0 1 1'><joint axis='0 0 1'/><inertial mass='1' pos='0 "
            "0 0' quat='1 1 0 0' diaginertia='1 1.5 2'/></body><body zaxis='1 1 2'>"
            "<joint type='ball'/><geom type='ellipsoid' size='.1 .2 .3' density='300'/></body>"
            "</body></worldbody></mujoco>",
        // classes within classes; type, axis and range of a class; childclass
        "<mujoco><compiler angle='radian'/><default><joint damping='0.1'/><default "
        "class='x'><joint "
        "axis='1 0 0' type='slide' stiffness='2'/><geom type='box' size='.1 .1 .2'/><default "
        "class='y'><joint axis='0 1 0' type='hinge' springref='0.2' ref='0.1'/><geom "
        "density='200'/>"
        "</default></default></default>" +
            arm +
            "<joint class='x'/><geom class='y'/><body childclass='y'><joint/><geom/><geom "
            "class='x' "
            "pos='0 0 1' type='cylinder' size='.1 .3'/><body pos='0 1 0'><joint class='main' "
            "axis='0 0 1'/><geom mass='0.3'/></body></body></body></worldbody></mujoco>",
        // inertia: settings of the compiler
        "<mujoco><compiler balanceinertia='true' boundmass='0.5' boundinertia='0.01' "
        "settotalmass='7'/>" +
            arm +
            "<joint/><inertial mass='1' pos='0 0 0.1' diaginertia='1 1 5'/><body pos='0 0 "
            "1'><joint "
            "axis='1 0 0'/><geom size='.01' mass='0.001'/></body></body></worldbody></mujoco>",
        "<mujoco><compiler inertiafromgeom='true' inertiagrouprange='1 2'/>" + arm +
            "<joint/><inertial mass='9' pos='0 0 0.1' diaginertia='1 1 1'/><geom group='0' "
            "size='.3'/><geom group='1' size='.2' pos='.1 0 0'/><geom group='2' type='box' "
            "size='.1 "
            ".1 .3'/></body></worldbody></mujoco>",
        "<mujoco><compiler fusestatic='true' settotalmass='3'/>" + arm +
            "<joint axis='0 1 0'/><geom size='.1'/><body name='s' pos='.2 0 0'><geom "
            "size='.1'/></body></body><body name='still' pos='1 0 0'><geom size='.2'/></body>"
            "</worldbody></mujoco>",
        // fixed tendons
        with_tendons("", "<fixed name='f' stiffness='5' damping='0.3' springlength='0.1'><joint "
                         "joint='ja' coef='1.5'/><joint joint='jc' coef='-2'/></fixed><fixed "
                         "stiffness='2'><joint joint='jb' coef='-1'/></fixed>"),
        // paths
        with_tendons("",
                     "<spatial stiffness='7' damping='0.4'><site site='w'/><site site='s1'/><site "
                     "site='s3'/></spatial><spatial stiffness='3' springlength='0.1'><site "
                     "site='s2'/><site site='s3'/></spatial>"),
    };
    // springdamper, also of a joint whose inertia a tendon changes, and with settotalmass
    for (const char *settings : {"", " settotalmass='5'"})
        all.push_back(std::string("<mujoco><compiler angle='radian'") + settings + "/>" + arm +
                      "<joint axis='0 1 0' armature='0.1' ref='0.2' springref='0.3' "
                      "springdamper='0.1 0.7'/><geom size='.1' pos='.3 0 0'/><body pos='0 .2 .4'>"
                      "<joint axis='1 0 0' stiffness='9' springdamper='0.3 1.2'/><joint "
                      "type='slide' springdamper='0.2 0.9'/><geom size='.2'/></body></body>"
                      "</worldbody></mujoco>");
    // meshes: hulls of points, faces, refs. MuJoCo 2.2.2 weighs them by the box of their inertia
    // where no mass is given.
    for (const char *mesh : {"vertex='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1'",
                             "vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 0 3 2 1 2 3' "
                             "scale='0.5 2 0.25'",
                             "vertex='0 0 0 2 0 0 2 1 0 0 1 0 0 0 .5 2 0 .5 2 1 .5 0 1 .5 1 .5 "
                             ".25' refpos='0.5 0.25 1' refquat='1 1 0 0' scale='1 0.5 2'",
                             "vertex='0 0 0 1 0 0 0 1 0 0 0 1 1 1 .5' scale='1 -0.5 2'"})
        all.push_back("<mujoco><asset><mesh name='m' " + std::string(mesh) + "/></asset>" + arm +
                      "<joint axis='0 1 0' pos='0 0 1'/><geom type='mesh' mesh='m' mass='2' "
                      "pos='.1 .2 0' quat='1 .2 .3 0'/></body></worldbody></mujoco>");
    for (const std::string &surface : {ball, tube})
        for (const char *side : {"", " sidesite='in'", " sidesite='up'"})
            for (const char *from : {"w", "s1", "t1"})
                all.push_back(
                    with_tendons(surface, "<spatial stiffness='9' damping='0.2'><site site='" +
                                              std::string(from) + "'/><geom geom='g'" + side +
                                              "/><site site='s2'/><site site='s3'/></spatial>"));
    return all;
}

// Below `size` it is rounding.
double apart(const std::vector<double> &a, const double *b, double size)
{
    double most = 0;
    for (size_t i = 0; i < a.size(); i++) {
        most = std::max(most, std::fabs(a[i] - b[i]));
        size = std::max(size, std::fabs(b[i]));
    }
    return most / size;
}

// Inverse dynamics without acceleration, with what tendons do.
void forces(const arne_robot *robot, arne_work *work, const std::vector<double> &q,
            const std::vector<double> &qd, std::vector<double> &tau)
{
    const size_t              n = static_cast<size_t>(arne_muscle_count(robot)), nv = qd.size();
    const std::vector<double> zero(nv + n);
    std::vector<double>       length(n + 1), speed(n + 1), pull(n + 1), arms(n * nv + 1);
    arne_inverse_dynamics(robot, work, q.data(), qd.data(), zero.data(), nullptr, tau.data());
    if (!n) return;
    (void)!arne_muscle_lengths(robot, work, q.data(), qd.data(), length.data(), speed.data());
    (void)!arne_muscle_moment_arms(robot, work, q.data(), arms.data());
    (void)!arne_muscle_forces(robot, 1, zero.data(), length.data(), speed.data(), nullptr,
                              pull.data(), nullptr);
    for (size_t i = 0; i < n * nv; i++)
        tau[i % nv] -= arms[i] * pull[i / nv];
}

// The largest difference of M, bias minus passive forces, and poses.
double compare(const arne_robot *robot, const mjModel *model, mjData *data)
{
    int nq = 0, nv = 0;
    arne_mujoco_counts(robot, &nq, &nv);
    if (nq != model->nq || nv != model->nv) return INFINITY;
    const auto          n = static_cast<size_t>(nv);
    std::vector<double> q(static_cast<size_t>(nq)), qd(n), tau(n), own(n), T(n * n), M(n * n),
        H(n * n), own_M(n * n), ours;
    arne_work *work = nullptr;
    uint64_t   seed = 3;
    double     worst = 0;
    if (arne_work_new(robot, &work) != ARNE_OK) return INFINITY;
    for (int k = 0; k < 20; k++) {
        arne_random_configuration(robot, &seed, q.data());
        for (size_t i = 0; i < n; i++)
            qd[i] = std::sin(1.0 + static_cast<double>(i) + k);
        arne_to_mujoco(robot, q.data(), qd.data(), nullptr, data->qpos, data->qvel, nullptr);
        mj_forward(model, data);
        mj_fullM(model, H.data(), data->qM);
        for (size_t c = 0; c < n; c++) { // qd = T qvel
            std::vector<double> unit(n), column(n), p(q);
            unit[c] = 1;
            arne_from_mujoco(robot, data->qpos, unit.data(), nullptr, p.data(), column.data(),
                             nullptr);
            for (size_t i = 0; i < n; i++)
                T[i * n + c] = column[i];
        }
        arne_mass_matrix(robot, work, q.data(), M.data());
        std::vector<double> qdd(n), zero(n);
        arne_from_mujoco(robot, data->qpos, data->qvel, zero.data(), q.data(), qd.data(),
                         qdd.data());
        forces(robot, work, q, qd, tau);
        for (size_t i = 0; i < n; i++) // qdd where qacc is 0
            for (size_t j = 0; j < n; j++)
                tau[i] += M[i * n + j] * qdd[j];
        std::fill(own.begin(), own.end(), 0);
        std::fill(own_M.begin(), own_M.end(), 0);
        for (size_t i = 0; i < n; i++)
            for (size_t a = 0; a < n; a++) {
                own[i] += T[a * n + i] * tau[a];
                for (size_t j = 0; j < n; j++)
                    for (size_t b = 0; b < n; b++)
                        own_M[i * n + j] += T[a * n + i] * M[a * n + b] * T[b * n + j];
            }
        std::vector<double> bias(n);
        for (size_t i = 0; i < n; i++)
            bias[i] = data->qfrc_bias[i] - data->qfrc_passive[i];
        const double largest = *std::max_element(H.begin(), H.end()); // velocities are about 1
        worst =
            std::max({worst, apart(own, bias.data(), largest), apart(own_M, H.data(), largest)});
        arne_kinematics(robot, work, q.data(), nullptr, nullptr);
        for (int b = 1; b < model->nbody; b++) {
            const char *name = mj_id2name(model, mjOBJ_BODY, b);
            const int   frame = name ? arne_find_frame(robot, name) : -1;
            if (frame < 0) continue;
            const arne_pose X = arne_frame_pose(robot, work, frame);
            const double   *p = data->xpos + 3 * static_cast<size_t>(b);
            worst = std::max(
                {worst, std::fabs(X.p.x - p[0]), std::fabs(X.p.y - p[1]), std::fabs(X.p.z - p[2])});
        }
    }
    arne_work_free(work);
    return worst;
}

} // namespace

int main()
{
    const char *file = "arne_small.xml";
    int         bad = 0, count = 0;
    for (const std::string &text : small_files()) {
        char        message[1000] = "";
        arne_error  error;
        arne_robot *robot = nullptr;
        std::ofstream(file) << text;
        mjModel  *model = mj_loadXML(file, nullptr, message, sizeof message);
        const int read = arne_robot_read(file, nullptr, &robot, &error);
        double    worst = INFINITY;
        if (model && robot) {
            mjData *data = mj_makeData(model);
            model->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_ACTUATION;
            worst = compare(robot, model, data);
            mj_deleteData(data);
        }
        // MuJoCo turns and moves meshes in single precision.
        const double most = text.find("<mesh") == std::string::npos ? 1e-10 : 1e-6;
        count++;
        bad += !(worst < most);
        if (!(worst < most))
            std::printf("file %d: %g apart %s %s\n%s\n", count, worst, message,
                        read ? error.text : "", text.c_str());
        if (model) mj_deleteModel(model);
        arne_robot_free(robot);
    }
    std::printf("%d small files compared, %d bad\n", count, bad);
    std::remove(file);
    return bad > 0;
}
