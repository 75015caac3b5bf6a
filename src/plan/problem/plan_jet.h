// Numbers that carry their first and second derivatives by six variables: for short formulas whose
// derivatives by hand would be long.
#ifndef ARNE_PLAN_PROBLEM_PLAN_JET_H
#define ARNE_PLAN_PROBLEM_PLAN_JET_H

enum { JET_SIZE = 6 };

typedef struct jet {
    double v, g[JET_SIZE], h[JET_SIZE][JET_SIZE];
} jet;

static inline jet jet_constant(double v) { return (jet){.v = v}; }

static inline jet jet_variable(double v, int index)
{
    jet out = {.v = v};
    out.g[index] = 1;
    return out;
}

// c a + d b
static inline jet jet_sum(double c, const jet *a, double d, const jet *b)
{
    jet out = {.v = c * a->v + d * b->v};
    for (int i = 0; i < JET_SIZE; i++) {
        out.g[i] = c * a->g[i] + d * b->g[i];
        for (int k = 0; k < JET_SIZE; k++)
            out.h[i][k] = c * a->h[i][k] + d * b->h[i][k];
    }
    return out;
}

static inline jet jet_product(const jet *a, const jet *b)
{
    jet out = {.v = a->v * b->v};
    for (int i = 0; i < JET_SIZE; i++) {
        out.g[i] = a->v * b->g[i] + b->v * a->g[i];
        for (int k = 0; k < JET_SIZE; k++)
            out.h[i][k] =
                a->v * b->h[i][k] + b->v * a->h[i][k] + a->g[i] * b->g[k] + b->g[i] * a->g[k];
    }
    return out;
}

// a / b, from a = out b
static inline jet jet_quotient(const jet *a, const jet *b)
{
    jet out = {.v = a->v / b->v};
    for (int i = 0; i < JET_SIZE; i++)
        out.g[i] = (a->g[i] - out.v * b->g[i]) / b->v;
    for (int i = 0; i < JET_SIZE; i++)
        for (int k = 0; k < JET_SIZE; k++)
            out.h[i][k] =
                (a->h[i][k] - out.v * b->h[i][k] - out.g[i] * b->g[k] - b->g[i] * out.g[k]) / b->v;
    return out;
}

// f(a), of which value and two derivatives are given.
static inline jet jet_function(const jet *a, double value, double slope, double bend)
{
    jet out = {.v = value};
    for (int i = 0; i < JET_SIZE; i++)
        out.g[i] = slope * a->g[i];
    for (int i = 0; i < JET_SIZE; i++)
        for (int k = 0; k < JET_SIZE; k++)
            out.h[i][k] = slope * a->h[i][k] + bend * a->g[i] * a->g[k];
    return out;
}

#endif
