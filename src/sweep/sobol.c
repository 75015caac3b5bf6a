// Sobol points: in every dimension a digital sequence in base 2 whose generating matrix comes of a
// primitive polynomial over the integers modulo 2 (Sobol 1967; Bratley and Fox 1988). The first 21
// dimensions start with the numbers of Joe and Kuo 2008, who chose them for good pairs of
// dimensions; further ones take the next primitive polynomials and odd numbers that come of a
// mixing function. Every dimension by itself is evenly spread: of 2^k points one lies in each part
// of 2^-k.
#include "base/random.h"
#include "sweep/sweep.h"
#include <stdint.h>

enum { BITS = SOBOL_BITS, KNOWN = 20, MOST_DEGREE = 18 };

typedef struct direction {
    unsigned degree, inner; // of the polynomial: its coefficients without the first and the last
    unsigned m[7];
} direction;

static const direction known[KNOWN] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

// x^power modulo a polynomial with its bits in `poly`.
static unsigned power_of_x(unsigned long power, unsigned poly, unsigned degree)
{
    unsigned result = 1, base = degree == 1 ? (2u ^ poly) & 1u : 2u;
    for (; power; power >>= 1) {
        unsigned product = 0, shifted = base, square = 0;
        for (unsigned k = 0; k < degree; k++) { // result * base and base * base
            if (result >> k & 1u) product ^= shifted;
            if (base >> k & 1u) square ^= shifted;
            shifted <<= 1;
            if (shifted >> degree & 1u) shifted ^= poly;
        }
        if (power & 1u) result = product;
        base = square;
    }
    return result;
}

// Whether x has the order 2^degree - 1 modulo the polynomial.
static int is_primitive(unsigned poly, unsigned degree)
{
    const unsigned long order = (1ul << degree) - 1;
    unsigned long       rest = order;
    if (power_of_x(order, poly, degree) != 1) return 0;
    for (unsigned long p = 2; p * p <= rest; p++) {
        if (rest % p) continue;
        if (power_of_x(order / p, poly, degree) == 1) return 0;
        while (rest % p == 0)
            rest /= p;
    }
    return !(rest > 1 && rest != order && power_of_x(order / rest, poly, degree) == 1);
}

// The polynomial of a dimension beyond those known: the next one in order of degree.
static unsigned find_polynomial(int number, unsigned *degree)
{
    int left = number;
    for (*degree = 7; *degree <= MOST_DEGREE; ++*degree)
        for (unsigned inner = *degree == 7 ? 5 : 0; inner < 1u << (*degree - 1); inner++) {
            const unsigned poly = 1u << *degree | inner << 1 | 1u;
            if (is_primitive(poly, *degree) && left-- == 0) return inner;
        }
    *degree = MOST_DEGREE;
    return 0;
}

void sobol_directions(int dimension, unsigned v[SOBOL_BITS])
{
    if (dimension == 0) {
        for (unsigned k = 0; k < BITS; k++)
            v[k] = 1u << (BITS - 1 - k);
        return;
    }
    unsigned degree, inner, m[BITS];
    uint64_t seed = (uint64_t)dimension;
    if (dimension <= KNOWN) {
        degree = known[dimension - 1].degree;
        inner = known[dimension - 1].inner;
        for (unsigned k = 0; k < degree; k++)
            m[k] = known[dimension - 1].m[k];
    } else {
        inner = find_polynomial(dimension - KNOWN - 1, &degree);
        for (unsigned k = 0; k < degree; k++)
            m[k] = ((unsigned)random_bits(&seed) & ((1u << (k + 1)) - 1)) | 1u;
    }
    for (unsigned k = degree; k < BITS; k++) {
        m[k] = m[k - degree] ^ (m[k - degree] << degree);
        for (unsigned i = 1; i < degree; i++)
            if (inner >> (degree - 1 - i) & 1u) m[k] ^= m[k - i] << i;
    }
    for (unsigned k = 0; k < BITS; k++)
        v[k] = m[k] << (BITS - 1 - k);
}

unsigned sobol_point(unsigned long index, const unsigned v[SOBOL_BITS])
{
    const uint64_t gray = index ^ index >> 1;
    unsigned       x = 0;
    for (unsigned k = 0; k < BITS; k++)
        if (gray >> k & 1u) x ^= v[k];
    return x;
}
