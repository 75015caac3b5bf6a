// Calls generated functions through every entry point that CasADi uses, in its order:
//
//     casadi_caller CASADI.so COMPLEX.so PLAIN.so PREFIX DERIVATIVES FUNCTION...
//
// COMPLEX.so is the same source over complex numbers: Jacobians are compared with its complex step.
// PLAIN.so has the functions of `arne generate` without --for: values are equal to the last bit.
#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long long int casadi_int;
enum { MOST = 64, STATES = 5, GUARD = 8 };

typedef struct entry {
    const char       *name;
    casadi_int        n_in, n_out, sz_arg, sz_res, sz_iw, sz_w;
    const casadi_int *in[MOST], *out[4 * MOST];
    int (*call)(const double **, double **, casadi_int *, double *, int);
    int (*complex_call)(const double complex **, double complex **, casadi_int *, double complex *,
                        int);
} entry;

static int failures;
#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            failures++;                                                                            \
            printf(__VA_ARGS__);                                                                   \
            printf("\n");                                                                          \
        }                                                                                          \
    } while (0)

static void *symbol(void *library, const char *name, const char *rest)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", name, rest);
    void *found = dlsym(library, full);
    if (!found) {
        printf("%s is missing\n", full);
        exit(1);
    }
    return found;
}

static casadi_int entries_of(const casadi_int *s) { return s[2 + s[1]]; }
static casadi_int size_of(const casadi_int *s) { return s[0] * s[1]; }

static void check_sparsity(const entry *e, const casadi_int *s, const char *what)
{
    const casadi_int *column = s + 2, *row = s + 3 + s[1];
    CHECK(s[0] >= 0 && s[1] >= 0 && column[0] == 0, "%s, %s: shape", e->name, what);
    for (casadi_int c = 0; c < s[1]; c++) {
        CHECK(column[c] <= column[c + 1], "%s, %s: columns", e->name, what);
        for (casadi_int k = column[c]; k < column[c + 1]; k++)
            CHECK(row[k] >= 0 && row[k] < s[0] && (k == column[c] || row[k] > row[k - 1]),
                  "%s, %s: rows", e->name, what);
    }
}

static entry open_entry(void *library, void *complex_library, const char *name)
{
    entry e = {.name = name};
    ((void (*)(void))symbol(library, name, "_incref"))();
    e.n_in = ((casadi_int(*)(void))symbol(library, name, "_n_in"))();
    e.n_out = ((casadi_int(*)(void))symbol(library, name, "_n_out"))();
    const casadi_int *(*in)(casadi_int) = symbol(library, name, "_sparsity_in");
    const casadi_int *(*out)(casadi_int) = symbol(library, name, "_sparsity_out");
    const char *(*name_in)(casadi_int) = symbol(library, name, "_name_in");
    const char *(*name_out)(casadi_int) = symbol(library, name, "_name_out");
    CHECK(e.n_in > 0 && e.n_in <= MOST && e.n_out > 0 && e.n_out <= 4 * MOST, "%s: counts", name);
    for (casadi_int i = 0; i < e.n_in; i++) {
        e.in[i] = in(i);
        CHECK(name_in(i)[0], "%s: name of input %lld", name, i);
        check_sparsity(&e, e.in[i], name_in(i));
    }
    for (casadi_int i = 0; i < e.n_out; i++) {
        e.out[i] = out(i);
        check_sparsity(&e, e.out[i], name_out(i));
        for (casadi_int k = 0; k < i; k++)
            CHECK(strcmp(name_out(i), name_out(k)) != 0, "%s: two outputs %s", name, name_out(i));
    }
    CHECK(!in(e.n_in) && !out(e.n_out) && !name_in(-1) && !name_out(e.n_out), "%s: ends", name);
    int (*work)(casadi_int *, casadi_int *, casadi_int *, casadi_int *) =
        symbol(library, name, "_work");
    CHECK(work(&e.sz_arg, &e.sz_res, &e.sz_iw, &e.sz_w) == 0, "%s: work", name);
    CHECK(e.sz_arg >= e.n_in && e.sz_res >= e.n_out, "%s: room", name);
    e.call = symbol(library, name, "");
    e.complex_call = symbol(complex_library, name, "");
    const int memory = ((int (*)(void))symbol(library, name, "_checkout"))();
    CHECK(memory >= 0, "%s: checkout", name);
    ((void (*)(int))symbol(library, name, "_release"))(memory);
    ((void (*)(void))symbol(library, name, "_decref"))();
    return e;
}

static double drawn(void) { return rand() / (double)RAND_MAX * 1.6 - 0.8; }

// All inputs in one array, all outputs in another; work vectors with guards behind them.
static void evaluate(const entry *e, const double *x, double *y)
{
    const double *arg[MOST];
    double       *res[4 * MOST], *w = malloc(((size_t)e->sz_w + GUARD) * sizeof *w);
    for (int i = 0; i < e->n_in; x += entries_of(e->in[i++]))
        arg[i] = x;
    for (int i = 0; i < e->n_out; y += entries_of(e->out[i++]))
        res[i] = y;
    for (int i = 0; i < GUARD; i++)
        w[e->sz_w + i] = 1234.5;
    CHECK(e->call(arg, res, NULL, w, 0) == 0, "%s: call", e->name);
    for (int i = 0; i < GUARD; i++)
        CHECK(w[e->sz_w + i] == 1234.5, "%s: writes behind w", e->name);
    free(w);
}

static void evaluate_complex(const entry *e, const double complex *x, double complex *y)
{
    const double complex *arg[MOST];
    double complex       *res[4 * MOST], *w = malloc(((size_t)e->sz_w + 1) * sizeof *w);
    for (int i = 0; i < e->n_in; x += entries_of(e->in[i++]))
        arg[i] = x;
    for (int i = 0; i < e->n_out; y += entries_of(e->out[i++]))
        res[i] = y;
    e->complex_call(arg, res, NULL, w, 0);
    free(w);
}

static size_t total(const casadi_int *const *s, casadi_int count)
{
    size_t sum = 0;
    for (casadi_int i = 0; i < count; i++)
        sum += (size_t)entries_of(s[i]);
    return sum;
}

// The entry (row, column) of a stored matrix; 0 where it is a structural zero.
static double element(const casadi_int *s, const double *values, casadi_int row, casadi_int column)
{
    for (casadi_int k = s[2 + column]; k < s[3 + column]; k++)
        if (s[3 + s[1] + k] == row) return values[k];
    return 0;
}

// Entry k of a stored matrix, by its place in the dense one, by columns.
static casadi_int place(const casadi_int *s, casadi_int k)
{
    casadi_int column = 0;
    while (s[3 + column] <= k)
        column++;
    return s[3 + s[1] + k] + s[0] * column;
}

static double compare_jacobian(const entry *f, const entry *jac, const double *x)
{
    const size_t n = total(f->in, f->n_in), m = total(f->out, f->n_out);
    double      *J = malloc((total(jac->out, jac->n_out) + 1) * sizeof *J), worst = 0, largest = 1;
    double complex *z = malloc((n + 1) * sizeof *z), *y = malloc((m + 1) * sizeof *y);
    evaluate(jac, x, J);
    for (size_t k = 0; k < total(jac->out, jac->n_out); k++)
        largest = fmax(largest, fabs(J[k]));
    for (size_t k = 0; k < n; k++)
        z[k] = x[k];
    size_t variable = 0;
    for (int i = 0; i < f->n_in; i++)
        for (casadi_int c = 0; c < entries_of(f->in[i]); c++, variable++) {
            z[variable] = x[variable] + 1e-30 * I;
            evaluate_complex(f, z, y);
            z[variable] = x[variable];
            const double complex *from = y;
            for (int o = 0; o < f->n_out; from += entries_of(f->out[o++])) {
                const casadi_int *s = jac->out[o * f->n_in + i];
                const double     *block = J;
                for (int b = 0; b < o * f->n_in + i; b++)
                    block += entries_of(jac->out[b]);
                CHECK(s[0] == size_of(f->out[o]) && s[1] == size_of(f->in[i]),
                      "%s: shape of a block", jac->name);
                for (casadi_int k = 0; k < entries_of(f->out[o]); k++)
                    worst = fmax(worst, fabs(cimag(from[k]) / 1e-30 -
                                             element(s, block, place(f->out[o], k), c)));
            }
        }
    free(J);
    free(z);
    free(y);
    return worst / largest;
}

static void call_plain(void *function, const entry *e, const double *x, double *y)
{
    typedef const double *in;
    void                 *p[8] = {0};
    int                   count = 0;
    double               *from = (double *)(size_t)x;
    for (int i = 0; i < e->n_in; from += entries_of(e->in[i++]))
        p[count++] = from;
    for (int i = 0; i < e->n_out; y += size_of(e->out[i++]))
        p[count++] = y;
    switch (count) {
    case 2:
        ((void (*)(in, double *))function)(p[0], p[1]);
        break;
    case 3:
        ((void (*)(in, in, double *))function)(p[0], p[1], p[2]);
        break;
    case 4:
        ((void (*)(in, in, in, double *))function)(p[0], p[1], p[2], p[3]);
        break;
    case 5:
        ((void (*)(in, in, in, in, double *))function)(p[0], p[1], p[2], p[3], p[4]);
        break;
    default:
        printf("%d arrays\n", count);
        exit(1);
    }
}

// Values by rows, without structural zeros left out, as the plain functions have them.
static void compare_values(const entry *e, void *plain, const double *x)
{
    size_t dense = 0;
    for (int o = 0; o < e->n_out; o++)
        dense += (size_t)size_of(e->out[o]);
    double *y = malloc((total(e->out, e->n_out) + 1) * sizeof *y),
           *wanted = calloc(dense + 1, sizeof *wanted);
    evaluate(e, x, y);
    call_plain(plain, e, x, wanted);
    const double *from = y, *to = wanted;
    for (int o = 0; o < e->n_out; from += entries_of(e->out[o]), to += size_of(e->out[o]), o++)
        for (casadi_int r = 0; r < e->out[o][0]; r++)
            for (casadi_int c = 0; c < e->out[o][1]; c++) {
                const double a = element(e->out[o], from, r, c), b = to[r * e->out[o][1] + c];
                CHECK(a == b, "%s: %.17g is not %.17g", e->name, a, b);
            }
    free(y);
    free(wanted);
}

// NULL for every argument is zeros; NULL for every result computes nothing that is kept.
static void check_null(const entry *e)
{
    const double *arg[MOST] = {0};
    double       *res[4 * MOST] = {0}, *w = malloc(((size_t)e->sz_w + 1) * sizeof *w);
    CHECK(e->call(arg, res, NULL, w, 0) == 0, "%s: NULL arguments", e->name);
    free(w);
}

static void *open_library(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
    printf("%s\n", dlerror());
    exit(1);
}

int main(int argc, char **argv)
{
    if (argc < 7) return 2;
    void *const casadi = open_library(argv[1]), *const over_complex = open_library(argv[2]),
                *const plain = open_library(argv[3]);
    for (int k = 6; k < argc; k++) {
        char  names[3][256], own[512];
        entry order[3];
        snprintf(names[0], 256, "%s", argv[k]);
        snprintf(names[1], 256, "jac_%s", argv[k]);
        snprintf(names[2], 256, "jac_jac_%.200s", argv[k]);
        snprintf(own, sizeof own, "%s_", argv[4]);
        const int derivatives = atoi(argv[5]);
        for (int d = 0; d <= derivatives; d++)
            order[d] = open_entry(casadi, over_complex, names[d]);
        void        *function = symbol(plain, own, argv[k]);
        const size_t n = total(order[0].in, order[0].n_in);
        double      *x = malloc((n + 1) * sizeof *x), worst = 0;
        for (int s = 0; s < STATES; s++) {
            for (size_t i = 0; i < n; i++)
                x[i] = drawn();
            compare_values(&order[0], function, x);
            for (int d = 1; d <= derivatives; d++)
                worst = fmax(worst, compare_jacobian(&order[d - 1], &order[d], x));
        }
        for (int d = 0; d <= derivatives; d++)
            check_null(&order[d]);
        CHECK(worst < 1e-11, "%s: its Jacobian is off by %.1e", argv[k], worst);
        printf("%-24s values equal, Jacobian off by %.1e\n", argv[k], worst);
        free(x);
    }
    return failures ? 1 : 0;
}
