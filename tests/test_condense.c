// Linear systems of the planner's search: slacks and inequalities are taken out before LAPACK
// factors the rest.
#include "plan/solve/condense.h"
#include "robot/isa.h"
#include "testing.h"

#include <stdlib.h>

static double *numbers(size_t count)
{
    double *out = calloc(count + 1, sizeof *out);
    assert_non_null(out);
    return out;
}

static int *whole(size_t count)
{
    int *out = calloc(count + 1, sizeof *out);
    assert_non_null(out);
    return out;
}

static double largest_of(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

// ---- systems of an interior point method

enum { MOST = 20000 };

typedef struct kkt {
    int    n, count;
    int    row[MOST], column[MOST]; // from 1 on
    double value[MOST];
} kkt;

static void put(kkt *k, int row, int column, double value)
{
    assert_true(k->count < MOST);
    k->row[k->count] = row + 1;
    k->column[k->count] = column + 1;
    k->value[k->count++] = value;
}

typedef struct shape {
    int    variables, equalities, inequalities;
    int    sorts;    // of inequalities, by their columns
    double curved;   // what is added to the diagonal of the Hessian
    double slack[2]; // the range of the diagonal of slacks, as powers of ten
    int    doubled;  // every entry is there twice, with half of its value
} shape;

// In the order of Ipopt: variables, slacks, equalities, inequalities.
static kkt *new_kkt(const shape *s, uint64_t seed)
{
    kkt      *k = calloc(1, sizeof *k);
    rng       r = rng_seed(seed);
    const int n = s->variables, C = n + s->inequalities, J = C + s->equalities;
    assert_non_null(k);
    k->n = J + s->inequalities;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            if (i == j || rng_chance(&r, 0.6))
                put(k, i, j, rng_uniform(&r, -1, 1) + (i == j ? s->curved : 0));
    for (int i = 0; i < s->equalities; i++) {
        put(k, C + i, i, 2);
        put(k, C + i, (i + 5) % n, rng_uniform(&r, -1, 1));
        put(k, C + i, C + i, 0);
    }
    for (int i = 0; i < s->inequalities; i++) {
        const int sort = rng_below(&r, s->sorts);
        for (int j = n - 1; j >= 0; j--) // from the last to the first
            if ((j + sort) % (sort + 1) == 0) put(k, J + i, j, rng_uniform(&r, -1, 1));
        put(k, n + i, n + i, pow(10, rng_uniform(&r, s->slack[0], s->slack[1])));
        put(k, J + i, n + i, -1);
        put(k, J + i, J + i, rng_chance(&r, 0.5) ? -1e-3 : 0);
    }
    for (int i = 0, count = k->count; s->doubled && i < count; i++) {
        k->value[i] /= 2;
        put(k, k->column[i] - 1, k->row[i] - 1, k->value[i]);
    }
    return k;
}

// left = b - A x
static void sparse_residual(const kkt *k, const double *x, const double *b, double *left)
{
    memcpy(left, b, (size_t)k->n * sizeof *left);
    for (int i = 0; i < k->count; i++) {
        const int row = k->row[i] - 1, column = k->column[i] - 1;
        left[row] -= k->value[i] * x[column];
        if (row != column) left[column] -= k->value[i] * x[row];
    }
}

typedef struct solver {
    condensed c;
    int      *keep, *whole;
    double   *numbers;
} solver;

static solver new_solver(const kkt *k)
{
    solver s = {.keep = whole((size_t)condense_keep(k->n, k->count))};
    int   *room = whole((size_t)condense_room(k->n));
    condense_pattern(k->n, k->count, k->row, k->column, s.keep, room);
    free(room);
    s.c = condense_open(s.keep);
    s.numbers = numbers((size_t)condense_numbers(&s.c));
    s.whole = whole((size_t)condense_whole(&s.c));
    return s;
}

static void free_solver(solver *s) { free(s->keep), free(s->whole), free(s->numbers); }

// With one step of refinement, as Ipopt does it.
static void check_solution(const kkt *k, solver *s, double tolerance)
{
    double *b = numbers((size_t)k->n), *x = numbers((size_t)k->n), *left = numbers((size_t)k->n);
    rng     r = rng_seed(9);
    rng_fill(&r, b, k->n, 1);
    for (int step = 0; step < 2; step++) {
        sparse_residual(k, x, b, left);
        condense_solve(&s->c, s->numbers, s->whole, left);
        for (int i = 0; i < k->n; i++)
            x[i] += left[i];
    }
    sparse_residual(k, x, b, left);
    assert_true(largest_of(left, k->n) < tolerance * (1 + largest_of(x, k->n)));
    free(b), free(x), free(left);
}

static void check_kkt(const shape *s, uint64_t seed)
{
    kkt   *k = new_kkt(s, seed);
    solver v = new_solver(k);
    assert_int_equal(v.c.pairs, s->doubled ? 0 : s->inequalities);
    assert_int_equal(v.c.rest, k->n - 2 * v.c.pairs);
    if (!s->doubled) assert_true(v.c.groups <= s->sorts);
    for (v.c.isa = 0; v.c.isa <= isa_index(ARNE_ISA_BEST); v.c.isa++) {
        const int negative = condense_factor(&v.c, k->value, v.numbers, v.whole);
        // A Hessian that is definite: as many as there are rows, whatever the slacks.
        if (s->curved > 0) assert_int_equal(negative, s->equalities + s->inequalities);
        assert_true(negative >= s->equalities + s->inequalities);
        check_solution(k, &v, 1e-10);
    }
    free_solver(&v);
    free(k);
}

static void slacks_are_taken_out(void **unused)
{
    static const shape shapes[] = {
        {12, 0, 0, 1, 9, {0, 0}, 0},   {1, 0, 3, 1, 9, {-3, 3}, 0},
        {10, 4, 0, 1, 9, {0, 0}, 0},   {10, 4, 30, 1, 9, {-8, 8}, 0},
        {17, 3, 60, 5, 9, {-8, 8}, 0}, {40, 9, 90, 9, 30, {-6, 9}, 0},
        {17, 3, 60, 5, 0, {-3, 3}, 0}, {40, 0, 90, 9, -5, {-6, 3}, 0},
        {17, 3, 20, 3, 9, {-3, 3}, 1},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (uint64_t seed = 0; seed < 4; seed++)
            check_kkt(&shapes[i], seed);
}

// Rows of two slacks that meet, two slacks of one row, a variable that one row alone knows: what
// cannot be taken out, or can by chance, changes nothing.
static void odd_patterns(void **unused)
{
    const shape s = {8, 2, 6, 2, 9, {-2, 2}, 0};
    kkt        *k = new_kkt(&s, 1);
    const int   J = 8 + 6 + 2;
    (void)unused;
    put(k, J + 1, J, 0.25);        // rows that meet
    put(k, J + 3, 8 + 2, 0.5);     // a slack of two rows
    put(k, k->n, k->n, 2);         // a variable
    put(k, J + 5, k->n, 0.75);     // of a row that has a slack
    put(k, k->n + 1, k->n + 1, 3); // and one that meets nothing
    k->n += 2;
    solver v = new_solver(k);
    assert_true(v.c.pairs < 6);
    assert_int_equal(condense_factor(&v.c, k->value, v.numbers, v.whole), 8);
    check_solution(k, &v, 1e-11);
    free_solver(&v);
    free(k);
}

// Pivots that are no pivots.
static void singular_systems_are_found(void **unused)
{
    const shape s = {8, 2, 6, 2, 9, {-2, 2}, 0};
    kkt        *k = new_kkt(&s, 1);
    solver      v = new_solver(k);
    (void)unused;
    for (int i = 0; i < k->count; i++)
        if (k->row[i] == 8 + 6 + 1) k->value[i] = 0; // an equality of nothing
    assert_int_equal(condense_factor(&v.c, k->value, v.numbers, v.whole), -1);
    for (int i = 0; i < k->count; i++)
        if (k->row[i] == 8 + 6 + 2 + 1 && k->column[i] == 8 + 1) k->value[i] = NAN;
    assert_int_equal(condense_factor(&v.c, k->value, v.numbers, v.whole), -1);
    free_solver(&v);
    free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slacks_are_taken_out),
        cmocka_unit_test(odd_patterns),
        cmocka_unit_test(singular_systems_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
