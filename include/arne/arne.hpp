// Arne for C++17: the C library with owners, views and exceptions; header-only.
//
//     arne::Robot robot("arm.urdf");
//     auto tau = robot.inverse_dynamics(q, qd, qdd);      // q, qd, qdd: anything with data() and size()
//     auto qdd = robot.forward_dynamics(q, qd, tau);
//
// Arguments are not copied: std::vector, std::array, std::span and Eigen's vectors are taken as
// they lie in memory. Results are Eigen's types where <Eigen/Core> is found (matrices are
// row-major, as in C), else arne::Vector and arne::Matrix below. Every function has a second form
// that writes into the caller's memory, allocates nothing and is fit for a control loop.
//
// A Robot has a workspace: use one object per thread. Copies share the robot itself. What is not
// here is a call of the C library with robot.get() and robot.work().
#ifndef ARNE_HPP
#define ARNE_HPP

#include <arne/arne.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#if defined __has_include && !defined ARNE_WITHOUT_EIGEN
#if __has_include(<Eigen/Core>)
#define ARNE_HAS_EIGEN 1
#include <Eigen/Core>
#endif
#endif

namespace arne
{

// What arne_error says: what() is "file:line: text".
class Error : public std::runtime_error
{
  public:
    Error(arne_status status, const arne_error &error)
        : std::runtime_error(describe(status, error)), status_(status), line_(error.line),
          file_(error.file)
    {
    }
    Error(arne_status status, const std::string &text) : std::runtime_error(text), status_(status)
    {
    }

    arne_status        status() const { return status_; }
    int                line() const { return line_; }
    const std::string &file() const { return file_; }

  private:
    static std::string describe(arne_status status, const arne_error &error)
    {
        const std::string text = error.text[0] ? error.text : arne_status_text(status);
        if (!error.file[0]) return text;
        return std::string(error.file) + (error.line ? ":" + std::to_string(error.line) : "") +
               ": " + text;
    }
    arne_status status_;
    int         line_ = 0;
    std::string file_;
};

// Numbers in a row, somewhere else.
template <typename Number> class View
{
  public:
    View(Number *data, std::size_t size) : data_(data), size_(size) {}
    template <typename Container,
              typename = decltype(static_cast<Number *>(std::declval<Container &>().data()))>
    View(Container &&c) : data_(c.data()), size_(static_cast<std::size_t>(c.size())) // NOLINT
    {
    }
    Number     *data() const { return data_; }
    std::size_t size() const { return size_; }

  private:
    Number     *data_;
    std::size_t size_;
};
using Input = View<const double>;
using Output = View<double>;

#ifdef ARNE_HAS_EIGEN
using Vector = Eigen::VectorXd;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
#else
using Vector = std::vector<double>;
class Matrix
{
  public:
    Matrix(int rows, int cols)
        : rows_(rows), cols_(cols), data_(std::size_t(rows) * std::size_t(cols))
    {
    }
    double       &operator()(int r, int c) { return data_[std::size_t(r * cols_ + c)]; }
    double        operator()(int r, int c) const { return data_[std::size_t(r * cols_ + c)]; }
    int           rows() const { return rows_; }
    int           cols() const { return cols_; }
    double       *data() { return data_.data(); }
    const double *data() const { return data_.data(); }
    std::size_t   size() const { return data_.size(); }

  private:
    int                 rows_, cols_;
    std::vector<double> data_;
};
#endif

class Robot
{
  public:
    // Any file that `arne check` accepts.
    explicit Robot(const std::string &path, const arne_build_options *options = nullptr)
    {
        arne_robot *made = nullptr;
        arne_error  error = {};
        const auto  status = arne_robot_read(path.c_str(), options, &made, &error);
        if (status) throw Error(status, error);
        take(made);
    }
    // Takes over a robot of the C library.
    explicit Robot(arne_robot *robot) { take(robot); }
    Robot(const Robot &other) : robot_(other.robot_) { make_work(); }
    Robot(Robot &&) noexcept = default;
    Robot &operator=(Robot other) noexcept
    {
        robot_.swap(other.robot_);
        work_.swap(other.work_);
        return *this;
    }

    const arne_robot *get() const { return robot_.get(); }
    arne_work        *work() const { return work_.get(); }
    std::string       name() const { return arne_robot_name(get()); }
    int               q_count() const { return arne_robot_sizes(get()).q_count; }
    int               v_count() const { return arne_robot_sizes(get()).v_count; }

    int frame(const std::string &name) const
    {
        const int found = arne_find_frame(get(), name.c_str());
        if (found < 0) throw Error(ARNE_NOT_FOUND, "there is no link or frame '" + name + "'");
        return found;
    }

    Vector neutral() const
    {
        Vector q = vector(q_count());
        arne_neutral(get(), q.data());
        return q;
    }
    Vector integrate(Input q, Input v) const
    {
        need(q, q_count(), "q");
        need(v, v_count(), "v");
        Vector out = vector(q_count());
        arne_integrate(get(), q.data(), v.data(), out.data());
        return out;
    }

    // tau = M(q) qdd + c(q, qd) + g(q)
    void inverse_dynamics(Input q, Input qd, Input qdd, Output tau)
    {
        need_state(q, qd);
        need(qdd, v_count(), "qdd");
        need(tau, v_count(), "tau");
        arne_inverse_dynamics(get(), work(), q.data(), qd.data(), qdd.data(), nullptr, tau.data());
    }
    Vector inverse_dynamics(Input q, Input qd, Input qdd)
    {
        Vector tau = vector(v_count());
        inverse_dynamics(q, qd, qdd, tau);
        return tau;
    }

    // Throws Error with ARNE_SINGULAR if the mass matrix has no inverse.
    void forward_dynamics(Input q, Input qd, Input tau, Output qdd)
    {
        need_state(q, qd);
        need(tau, v_count(), "tau");
        need(qdd, v_count(), "qdd");
        arne_error error = {};
        const auto status = arne_forward_dynamics(get(), work(), q.data(), qd.data(), tau.data(),
                                                  nullptr, qdd.data(), &error);
        if (status) throw Error(status, error);
    }
    Vector forward_dynamics(Input q, Input qd, Input tau)
    {
        Vector qdd = vector(v_count());
        forward_dynamics(q, qd, tau, qdd);
        return qdd;
    }

    void gravity(Input q, Output tau)
    {
        need_q(q);
        need(tau, v_count(), "tau");
        arne_gravity(get(), work(), q.data(), tau.data());
    }
    Vector gravity(Input q)
    {
        Vector tau = vector(v_count());
        gravity(q, tau);
        return tau;
    }

    void mass_matrix(Input q, Output M)
    {
        need_q(q);
        need(M, v_count() * v_count(), "M");
        arne_mass_matrix(get(), work(), q.data(), M.data());
    }
    Matrix mass_matrix(Input q)
    {
        Matrix M(v_count(), v_count());
        mass_matrix(q, M);
        return M;
    }

    // Of a frame, in the world.
    arne_pose pose(Input q, int frame)
    {
        need(q, q_count(), "q");
        arne_kinematics(get(), work(), q.data(), nullptr, nullptr);
        return arne_frame_pose(get(), work(), frame);
    }
    arne_pose pose(Input q, const std::string &name) { return pose(q, frame(name)); }

    // 6 x v_count: three linear rows, then three angular ones.
    void jacobian(Input q, int frame, arne_axes axes, Output J)
    {
        need(q, q_count(), "q");
        need(J, 6 * v_count(), "J");
        arne_jacobian(get(), work(), q.data(), frame, axes, J.data());
    }
    Matrix jacobian(Input q, const std::string &name, arne_axes axes = ARNE_AXES_ALIGNED)
    {
        Matrix J(6, v_count());
        jacobian(q, frame(name), axes, J);
        return J;
    }

    struct TorqueDerivatives {
        Matrix dq, dqd, dqdd; // dqdd is the mass matrix
    };
    TorqueDerivatives inverse_dynamics_derivatives(Input q, Input qd, Input qdd)
    {
        need_state(q, qd);
        need(qdd, v_count(), "qdd");
        const int         n = v_count();
        TorqueDerivatives d{Matrix(n, n), Matrix(n, n), Matrix(n, n)};
        arne_inverse_dynamics_derivatives(get(), work(), q.data(), qd.data(), qdd.data(), nullptr,
                                          0, d.dq.data(), d.dqd.data(), d.dqdd.data());
        return d;
    }

  private:
    struct FreeRobot {
        void operator()(const arne_robot *r) const { arne_robot_free(const_cast<arne_robot *>(r)); }
    };
    struct FreeWork {
        void operator()(arne_work *w) const { arne_work_free(w); }
    };

    void take(arne_robot *robot)
    {
        robot_ = std::shared_ptr<const arne_robot>(robot, FreeRobot());
        make_work();
    }
    void make_work()
    {
        arne_work *made = nullptr;
        const auto status = arne_work_new(get(), &made);
        if (status) throw Error(status, arne_status_text(status));
        work_.reset(made);
    }
    static Vector vector(int size) { return Vector(static_cast<typename std::size_t>(size)); }

    template <typename Number> static void need(View<Number> x, int size, const char *name)
    {
        if (x.size() != static_cast<std::size_t>(size))
            throw Error(ARNE_VALUE, std::string(name) + " has " + std::to_string(x.size()) +
                                        " entries; the robot needs " + std::to_string(size));
    }
    // Dynamics here are those of trees; closed mechanisms have functions of their own.
    void need_q(Input q) const
    {
        if (arne_robot_sizes(get()).loop_count)
            throw Error(ARNE_UNSUPPORTED, "'" + name() + "' has loops: call arne/loop.h");
        need(q, q_count(), "q");
    }
    void need_state(Input q, Input qd) const
    {
        need_q(q);
        need(qd, v_count(), "qd");
    }

    std::shared_ptr<const arne_robot>    robot_;
    std::unique_ptr<arne_work, FreeWork> work_;
};

} // namespace arne

#endif
