// The MJCF that Arne writes, as MuJoCo reads it: equal mass matrix and bias, to 1e-12, for every
// robot of robots/ whose file loses nothing that counts there, and for the models of MuJoCo's
// Menagerie where the reference data are (ARNE_REFERENCE).
#include <arne/arne.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mujoco/mujoco.h>
#include <string>
#include <vector>

namespace
{

struct losses {
    int         count = 0;
    std::string first;
};

void on_lost(void *context, const arne_warning *warning)
{
    auto             *l = static_cast<losses *>(context);
    const std::string text = warning->text;
    // Frames, limits of velocities and differences of friction are not in M and bias.
    for (const char *word : {"velocity limit", "friction", "frame"})
        if (text.find(word) != std::string::npos) return;
    if (l->count++ == 0) l->first = text;
}

// Below `size` it is rounding.
double apart(const std::vector<double> &a, const std::vector<double> &b, double size)
{
    double most = 0;
    for (size_t i = 0; i < a.size(); i++) {
        most = std::max(most, std::fabs(a[i] - b[i]));
        size = std::max(size, std::fabs(b[i]));
    }
    return most / size;
}

// The robot as it was written, read back: its joints are in the order of MuJoCo's.
double compare(const arne_robot *robot, const mjModel *model, mjData *data)
{
    int nq = 0, nv = 0;
    arne_mujoco_counts(robot, &nq, &nv);
    if (nq != model->nq || nv != model->nv) return INFINITY;
    const auto          n = static_cast<size_t>(nv);
    std::vector<double> q(static_cast<size_t>(nq) + 1), qd(n), qdd(n), T(n * n), M(n * n), H(n * n),
        tau(n), bias(n), own(n * n), zero(n);
    uint64_t   seed = 5;
    arne_work *work = nullptr;
    if (arne_work_new(robot, &work) != ARNE_OK) return INFINITY;
    arne_random_configuration(robot, &seed, q.data());
    for (size_t i = 0; i < n; i++)
        qd[i] = std::sin(1.0 + static_cast<double>(i));
    arne_to_mujoco(robot, q.data(), qd.data(), nullptr, data->qpos, data->qvel, nullptr);
    mj_forward(model, data);
    mj_fullM(model, H.data(), data->qM);
    arne_from_mujoco(robot, data->qpos, data->qvel, zero.data(), q.data(), qd.data(), qdd.data());
    for (size_t k = 0; k < n; k++) { // qd = T qvel
        std::vector<double> unit(n), column(n), p(q);
        unit[k] = 1;
        arne_from_mujoco(robot, data->qpos, unit.data(), nullptr, p.data(), column.data(), nullptr);
        for (size_t i = 0; i < n; i++)
            T[i * n + k] = column[i];
    }
    arne_mass_matrix(robot, work, q.data(), M.data());
    arne_inverse_dynamics(robot, work, q.data(), qd.data(), qdd.data(), nullptr, tau.data());
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            for (size_t a = 0; a < n; a++)
                for (size_t b = 0; b < n; b++)
                    if (T[a * n + i] != 0 && T[b * n + k] != 0)
                        own[i * n + k] += T[a * n + i] * M[a * n + b] * T[b * n + k];
            if (k == 0)
                for (size_t a = 0; a < n; a++)
                    bias[i] += T[a * n + i] * tau[a];
        }
    for (size_t i = 0; i < n; i++)
        tau[i] = data->qfrc_bias[i] - data->qfrc_passive[i];
    arne_work_free(work);
    double largest = 0; // velocities are about 1
    for (const double x : H)
        largest = std::max(largest, std::fabs(x));
    return std::max(apart(own, H, 0), apart(bias, tau, largest));
}

// NULL where something is lost, or MuJoCo cannot read it.
mjModel *through_mujoco(const arne_robot *robot, const std::string &path, losses &lost,
                        bool &refused)
{
    char        message[1000] = "";
    const char *file = "arne_written.xml";
    arne_error  error;
    refused = false;
    if (arne_robot_write(robot, file, on_lost, &lost, &error) != ARNE_OK) {
        std::printf("%s: %s\n", path.c_str(), error.text);
        refused = true;
        return nullptr;
    }
    mjModel *model = mj_loadXML(file, nullptr, message, sizeof message);
    if (!model && !lost.count) {
        std::printf("%s: MuJoCo: %s\n", path.c_str(), message);
        refused = true;
    }
    return model;
}

arne_robot *read_open(const char *file)
{
    arne_build_options options = {};
    arne_builder      *builder = nullptr;
    arne_robot        *robot = nullptr;
    arne_error         error;
    options.no_friction = 1;
    options.no_rotor = 0;
    if (arne_builder_new(&builder) != ARNE_OK) return nullptr;
    if (arne_read_open(builder, file, &error) == ARNE_OK)
        (void)!arne_builder_finish(builder, &options, &robot, &error);
    arne_builder_free(builder);
    return robot;
}

// The files of the reference models, unpacked below a folder.
std::vector<std::string> menagerie(const std::string &references, const std::string &folder)
{
    const std::string        unpack = "tar xJf '" + references + "/mjcf/xml.tar.xz' -C " + folder;
    std::vector<std::string> all;
    if (std::system(unpack.c_str()) != 0) return all;
    for (const auto &entry : std::filesystem::directory_iterator(references + "/mjcf/refs")) {
        std::ifstream     in(entry.path());
        const std::string text((std::istreambuf_iterator<char>(in)), {}), key = "\"file\":";
        const size_t      at = text.find(key);
        if (at == std::string::npos) continue;
        const size_t from = text.find('"', at + key.size()) + 1;
        all.push_back(folder + "/mujoco_menagerie/" +
                      text.substr(from, text.find('"', from) - from));
    }
    std::sort(all.begin(), all.end());
    return all;
}

struct tally {
    int compared = 0, bad = 0, lost = 0;
};

void through(const std::string &path, tally &sum)
{
    arne_robot *robot = nullptr;
    arne_error  error;
    losses      lost;
    bool        refused = false;
    if (arne_robot_read(path.c_str(), nullptr, &robot, &error) != ARNE_OK) return;
    mjModel *model = through_mujoco(robot, path, lost, refused);
    sum.bad += refused;
    sum.lost += lost.count > 0;
    arne_robot *back = model ? read_open("arne_written.xml") : nullptr;
    if (model && back) {
        for (int i = 0; i < model->nv; i++)
            model->dof_damping[i] = 0;
        for (int i = 0; i < model->ntendon; i++)
            model->tendon_damping[i] = 0;
        model->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_ACTUATION;
        mjData      *data = mj_makeData(model);
        const double worst = compare(back, model, data);
        if (worst > 1e-12) std::printf("%s: %g apart\n", path.c_str(), worst);
        sum.bad += worst > 1e-12;
        sum.compared++;
        mj_deleteData(data);
    }
    if (model) mj_deleteModel(model);
    arne_robot_free(back);
    arne_robot_free(robot);
}

} // namespace

int main()
{
    tally       ours, theirs;
    char        folder[] = "/tmp/arne_mjcf_XXXXXX";
    const char *references = std::getenv("ARNE_REFERENCE");
    for (const auto &entry : std::filesystem::directory_iterator(ARNE_ROBOTS_DIR))
        through(entry.path().string(), ours);
    std::printf("%d robots compared, %d bad\n", ours.compared, ours.bad);
    if (references && mkdtemp(folder)) {
        for (const std::string &path : menagerie(references, folder))
            through(path, theirs);
        std::filesystem::remove_all(folder);
        std::printf("%d models of the Menagerie compared, %d bad, %d lose something\n",
                    theirs.compared, theirs.bad, theirs.lost);
    }
    std::remove("arne_written.xml");
    return ours.bad + theirs.bad > 0 || ours.compared < 5 || (references && theirs.compared < 50);
}
