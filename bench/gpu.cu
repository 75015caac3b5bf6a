// How many states a second the GPU evaluates, by kernels from generated code and by the general ones of the library; every
// kernel is compared with the functions for one state on the way. Prints a table in markdown; exit 1 where one is wrong.
//
//     arne_gpu_bench [--most N] [--bandwidth TB/s]
#include "gpu_check.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace
{

constexpr size_t HOST_MOST =
    4600000000; // bytes of pinned memory: larger runs are not measured with transfers
constexpr double LONG_ENOUGH = 0.02; // seconds of one measurement

const char *const function_names[] = {
    "inverse dynamics", "forward dynamics", "mass matrix", "inverse dynamics derivatives", "pose",
    "rollout, 10 steps"};

void check(cudaError_t code, const char *what)
{
    if (code == cudaSuccess) return;
    std::fprintf(stderr, "arne_gpu_bench: %s: %s\n", what, cudaGetErrorString(code));
    std::exit(2);
}

// ---- what is measured ----

struct variant {
    const char      *name;
    bool             is_float;
    generated_launch launch; // NULL: the library's general kernels
};
const variant variants[] = {{"generated, float", true, launch_float},
                            {"generated, float, fast math", true, launch_float_fast},
                            {"generated, double", false, launch_double},
                            {"general, float", true, nullptr},
                            {"general, double", false, nullptr}};

struct problem {
    const variant *v;
    bench_function f;
    size_t         count, entry;
    arne_gpu      *gpu;
    void          *in[3], *out[3];           // on the device
    void          *host_in[3], *host_out[3]; // pinned; NULL where they would be too large

    size_t in_bytes() const { return JOINTS * count * entry; }
    size_t out_bytes() const { return (size_t)output_rows(f) * count * entry; }
};

void run_general(const problem &p, void *const *in, void *const *out, int on_device)
{
    static const arne_algorithm algorithms[] = {ARNE_ALGORITHM_INVERSE_DYNAMICS,
                                                ARNE_ALGORITHM_FORWARD_DYNAMICS,
                                                ARNE_ALGORITHM_MASS_MATRIX,
                                                ARNE_ALGORITHM_INVERSE_DYNAMICS_DERIVATIVES,
                                                ARNE_ALGORITHM_POSE,
                                                ARNE_ALGORITHM_ROLLOUT};
    const arne_algorithm_info  *info = arne_catalogue_algorithm(algorithms[p.f]);
    arne_gpu_inputs             inputs = {};
    arne_gpu_outputs            outputs = {};
    arne_error                  error;
    inputs.q = in[0];
    inputs.qd = in[1];
    inputs.qdd = inputs.tau = in[2];
    inputs.on_device = on_device;
    inputs.frame = bench_frame();
    inputs.steps = STEPS;
    inputs.dt = DT;
    for (int i = 0, k = 0; i < info->output_count; i++)
        if (!info->outputs[i].on_request)
            arne_gpu_set_output(&outputs, info->outputs[i].array, out[k++]);
    if (arne_gpu_run(p.gpu, algorithms[p.f], &inputs, &outputs, p.count, nullptr, &error)) {
        std::fprintf(stderr, "arne_gpu_bench: %s\n", error.text);
        std::exit(2);
    }
}

void run_resident(const problem &p)
{
    if (p.v->launch)
        p.v->launch(p.f, p.in, p.out, p.count, nullptr);
    else
        run_general(p, p.in, p.out, 1);
}

void run_with_transfers(const problem &p)
{
    if (!p.v->launch) {
        run_general(p, p.host_in, p.host_out, 0);
        return;
    }
    for (int i = 0; i < 3 && p.in[i]; i++)
        check(cudaMemcpyAsync(p.in[i], p.host_in[i], p.in_bytes(), cudaMemcpyHostToDevice), "copy");
    run_resident(p);
    for (int i = 0; i < output_count(p.f); i++)
        check(cudaMemcpyAsync(p.host_out[i], p.out[i], p.out_bytes(), cudaMemcpyDeviceToHost),
              "copy");
    check(cudaDeviceSynchronize(), "run");
}

// Seconds of one run, the best of three measurements of several runs each.
template <class Run> double seconds(const problem &p, Run run)
{
    using clock = std::chrono::steady_clock;
    double best = INFINITY;
    int    repeat = 1;
    for (int good = 0; good < 3;) {
        const auto start = clock::now();
        for (int i = 0; i < repeat; i++)
            run(p);
        check(cudaDeviceSynchronize(), "run");
        const double t = std::chrono::duration<double>(clock::now() - start).count();
        if (t < LONG_ENOUGH && repeat < 1 << 16) {
            repeat *= 2; // the first, cold runs are spent here
            continue;
        }
        best = std::min(best, t / repeat);
        good++;
    }
    return best;
}

// ---- memory ----

template <class T> __global__ void repeat_tile(const double *tile, T *to, size_t count)
{
    for (size_t s = (size_t)blockIdx.x * blockDim.x + threadIdx.x; s < count;
         s += (size_t)gridDim.x * blockDim.x)
        for (int k = 0; k < JOINTS; k++)
            to[k * count + s] = (T)tile[k * TILE + s % TILE];
}

struct memory {
    char   *device = nullptr, *host = nullptr;
    double *tile = nullptr;
    size_t  device_size = 0;

    explicit memory(size_t most)
    {
        device_size = (3 * JOINTS + 3 * JOINTS * JOINTS) * sizeof(double) * most + 8 * 256;
        check(cudaMalloc(&device, device_size), "memory on the device");
        check(cudaMalloc(&tile, JOINTS * TILE * sizeof(double)), "memory on the device");
        check(cudaMallocHost(&host, std::min(device_size, HOST_MOST)), "pinned memory");
    }
    ~memory()
    {
        cudaFree(device);
        cudaFree(tile);
        cudaFreeHost(host);
    }
    memory(const memory &) = delete;
    memory &operator=(const memory &) = delete;

    // Places the arrays of a problem, and fills its inputs on both sides.
    void place(const truth &t, problem &p) const
    {
        size_t     at = 0;
        const auto take = [&](size_t bytes, void **there, void **here) {
            *there = device + at;
            *here = host + at;
            at += (bytes + 255) / 256 * 256;
        };
        for (int i = 0; i < 3; i++)
            if (t.input(p.f, i)) take(p.in_bytes(), &p.in[i], &p.host_in[i]);
        for (int i = 0; i < output_count(p.f); i++)
            take(p.out_bytes(), &p.out[i], &p.host_out[i]);
        check(cudaMemset(device, 0xff, at), "memory"); // not a number, until a kernel writes
        const bool fits = at <= HOST_MOST;
        for (int i = 0; i < 3 && t.input(p.f, i); i++) {
            check(cudaMemcpy(tile, t.input(p.f, i), JOINTS * TILE * sizeof(double),
                             cudaMemcpyHostToDevice),
                  "copy");
            if (p.v->is_float)
                repeat_tile<<<1024, 128>>>(tile, (float *)p.in[i], p.count);
            else
                repeat_tile<<<1024, 128>>>(tile, (double *)p.in[i], p.count);
            check(cudaDeviceSynchronize(), "filling");
            if (fits)
                check(cudaMemcpy(p.host_in[i], p.in[i], p.in_bytes(), cudaMemcpyDeviceToHost),
                      "copy");
        }
        if (!fits) p.host_in[0] = nullptr;
    }
};

// ---- comparison ----

// Outputs of some states as doubles, from the device or from the machine.
std::vector<double> fetch(const problem &p, void *const *out, size_t first, size_t states)
{
    const size_t        rows = (size_t)output_rows(p.f), size = rows * states;
    std::vector<double> x((size_t)output_count(p.f) * size);
    std::vector<char>   raw(size * p.entry);
    for (int o = 0; o < output_count(p.f); o++) {
        const char *from = (const char *)out[o] + first * p.entry;
        check(cudaMemcpy2D(raw.data(), states * p.entry, from, p.count * p.entry, states * p.entry,
                           rows, cudaMemcpyDefault),
              "copy");
        for (size_t i = 0; i < size; i++)
            x[(size_t)o * size + i] = p.v->is_float ? (double)((const float *)(void *)raw.data())[i]
                                                    : ((const double *)(void *)raw.data())[i];
    }
    return x;
}

// The first states and the last.
double error_of(const truth &t, const problem &p, void *const *out)
{
    const size_t head = std::min(p.count, TILE), tail = std::min(p.count, (size_t)512);
    const double a = t.error(p.f, fetch(p, out, 0, head).data(), head, 0);
    const double b = t.error(p.f, fetch(p, out, p.count - tail, tail).data(), tail, p.count - tail);
    return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
}

double tolerance(const problem &p)
{
    if (!p.v->is_float) return 1e-9;
    return p.f == FORWARD || p.f == ROLLOUT ? 1e-3 : 1e-4;
}

// ---- the table ----

struct machine {
    double peak[2]; // operations per second in double, in float
    double bandwidth;
};

machine look_at_machine(double bandwidth)
{
    int            device = 0, processors = 0, clock = 0;
    cudaDeviceProp facts;
    check(cudaGetDevice(&device), "device");
    check(cudaGetDeviceProperties(&facts, device), "device");
    check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "device");
    check(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device), "device");
    // Of compute capability 9.0: 128 lanes of float and 64 of double, two operations each.
    const double  each = 2e3 * clock * processors;
    const machine m = {{64 * each, 128 * each}, bandwidth * 1e12};
    std::printf(
        "%s, %d multiprocessors, %.2f GHz. Peak: %.0f and %.0f Tflop/s in float and double; "
        "memory %.1f TB/s.\n\n",
        facts.name, processors, clock * 1e-6, m.peak[1] * 1e-12, m.peak[0] * 1e-12, bandwidth);
    return m;
}

// Whether it is right.
bool measure(const machine &m, const truth &t, const memory &mem, problem p)
{
    mem.place(t, p);
    const double rate = (double)p.count / seconds(p, run_resident);
    double       error = error_of(t, p, p.out), with = 0;
    if (p.host_in[0]) {
        for (int i = 0; i < output_count(p.f); i++)
            std::memset(p.host_out[i], 0xff, p.out_bytes());
        with = (double)p.count / seconds(p, run_with_transfers);
        const double again = error_of(t, p, p.host_out);
        if (!(again <= error)) error = again;
    }
    int rows = output_count(p.f) * output_rows(p.f);
    for (int i = 0; i < 3 && p.in[i]; i++)
        rows += JOINTS;
    const bool right = error <= tolerance(p);
    std::printf("| %s | %s | %.0e | %.3g | ", function_names[p.f], p.v->name, (double)p.count,
                rate);
    std::printf(p.host_in[0] ? "%.3g | " : "- | ", with);
    std::printf("%.0f %% | ", 100 * rate * rows * (double)p.entry / m.bandwidth);
    if (p.v->launch)
        std::printf("%.0f %% | ", 100 * rate * operations(p.f) / m.peak[p.v->is_float]);
    else
        std::printf("- | ");
    std::printf("%.0e%s |\n", error, right ? "" : " WRONG");
    std::fflush(stdout);
    return right;
}

bool measure_variant(const machine &m, const truth &t, const memory &mem, const variant &v,
                     size_t most)
{
    bool             right = true;
    arne_gpu        *gpu = nullptr;
    arne_error       error;
    arne_gpu_options options = {};
    options.precision = v.is_float ? ARNE_PRECISION_FLOAT : ARNE_PRECISION_DOUBLE;
    options.general = 1;
    if (!v.launch && arne_gpu_new(bench_robot(), &options, &gpu, &error)) {
        std::fprintf(stderr, "arne_gpu_bench: %s\n", error.text);
        std::exit(2);
    }
    for (int f = 0; f < (v.launch ? (int)POSE : (int)FUNCTION_COUNT); f++)
        for (size_t count = 1000; count <= most; count *= 10) {
            problem p = {};
            p.v = &v;
            p.f = (bench_function)f;
            p.count = count;
            p.entry = v.is_float ? sizeof(float) : sizeof(double);
            p.gpu = gpu;
            right &= measure(m, t, mem, p);
        }
    arne_gpu_free(gpu);
    return right;
}

} // namespace

int main(int argc, char **argv)
{
    double     most = 1e7, bandwidth = 4.3;
    arne_error error;
    for (int i = 1; i < argc; i += 2) {
        double *to = !std::strcmp(argv[i], "--most")        ? &most
                     : !std::strcmp(argv[i], "--bandwidth") ? &bandwidth
                                                            : nullptr;
        if (to && i + 1 < argc) *to = std::atof(argv[i + 1]);
        if (!to || i + 1 >= argc || !(*to > 0)) {
            std::fprintf(stderr, "usage: arne_gpu_bench [--most N] [--bandwidth TB/s]\n");
            return 2;
        }
    }
    if (arne_gpu_available(&error)) {
        std::fprintf(stderr, "arne_gpu_bench: %s\n", error.text);
        return 2;
    }
    const truth   t;
    const machine m = look_at_machine(bandwidth);
    const memory  mem((size_t)std::max(most, 1000.0));
    bool          right = true;
    std::printf("Robot %s. Rates in evaluations per second.\n\n", arne_robot_name(bench_robot()));
    std::printf(
        "| algorithm | kernel | N | on the device | with transfers | of bandwidth | of peak "
        "| error |\n|---|---|---:|---:|---:|---:|---:|---:|\n");
    for (const variant &v : variants)
        right &= measure_variant(m, t, mem, v, (size_t)most);
    return right ? 0 : 1;
}
