// Why not the C library: `make bench` (bench/numbers.c) shows 44 ns a number read and 36 written,
// where strtod_l takes 110 and a printing of 17 digits 196. For a million rows of 18 numbers that
// is 1.2 s and 2.9 s less; all of `arne compute` takes 1.1 s for such a file. The shortest digits
// that read back exactly have no function in the C library.
//
// Reading: w 10^e with w below 2^64 is rounded from the upper 128 bits of w g, where g is 10^e to
// 128 bits. The bits that are missing can change the rounding only right below a tie, which the
// caller is told (D. Lemire, Number parsing at a gigabyte per second, Software: Practice and
// Experience 51, 2021).
//
// Writing: of all decimal numbers that round to a double take the shortest, and of these the
// closest (R. Giulietti, The Schubfach way to render doubles, 2020). v = c 2^q; its neighbours are
// half a step away on both sides. k is so that 10^k is not more than the width of that interval;
// then one of four candidates, multiples of 10^k and of 10^(k+1) next to v, is the answer. All is
// scaled by 10^-k 4 and rounded to odd, which keeps every comparison right.
#include "base/decimal.h"

#include "base/powers_of_ten.h"
#include <float.h>
#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum { BIAS = 1075, DIGITS_MOST = 19, FIXED_LEAST = -4, FIXED_END = 17 };

static const uint64_t hidden_bit = (uint64_t)1 << 52;

// floor(log2 10^k)
static int log2_of_power(int k) { return k * 1741647 >> 19; }

// --- reading -----------------------------------------------------------------------------------

// Eight digits at once: pairs, then fours, then all of them.
static int eight_digits(const char *text, uint64_t *w)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t x;
    memcpy(&x, text, sizeof x);
    if (((x & 0xf0f0f0f0f0f0f0f0) | ((x + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) >> 4) !=
        0x3333333333333333)
        return 0;
    x = (x & 0x0f0f0f0f0f0f0f0f) * 2561 >> 8;
    x = (x & 0x00ff00ff00ff00ff) * 6553601 >> 16;
    x = (x & 0x0000ffff0000ffff) * 42949672960001 >> 32;
    *w = *w * 100000000 + x;
    return 1;
#else
    (void)text;
    (void)w;
    return 0;
#endif
}

static const char *digits(const char *p, const char *limit, uint64_t *w)
{
    while (limit - p >= 8 && eight_digits(p, w))
        p += 8;
    for (; *p >= '0' && *p <= '9'; p++)
        *w = *w * 10 + (uint64_t)(*p - '0');
    return p;
}

// Returns p where no exponent follows.
static const char *exponent(const char *p, int *e)
{
    const char *at = p + 1 + (p[1] == '+' || p[1] == '-'), *first = at;
    int         value = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        if (value < 10000) value = 10 * value + (*at - '0');
    if (at == first) return p;
    *e += p[1] == '-' ? -value : value;
    return at;
}

// Zeros before the first digit that counts.
static int leading_zeros(const char *p)
{
    int count = 0;
    for (; *p == '0' || *p == '.'; p++)
        count += *p == '0';
    return count;
}

// Rounds the product of w, whose first bit is set, and g; `exact` says whether g is. 0: too close
// to a tie.
static int round_product(uint64_t w, power_of_ten g, int exact, uint64_t *mantissa, int *shifted)
{
    const wide     lower = (wide)w * g.lower, upper = (wide)w * g.upper + (uint64_t)(lower >> 64);
    const int      shift = !(upper >> 127);
    const wide     high = shift ? upper << 1 | (uint64_t)lower >> 63 : upper;
    const uint64_t beyond = shift ? (uint64_t)lower << 1 : (uint64_t)lower;
    const wide     half = (wide)1 << 74, rest = high & (2 * half - 1);
    const uint64_t m = (uint64_t)(high >> 75);
    *shifted = shift;
    if (!exact && rest < half && rest + 4 >= half) return 0;
    const int tie = exact && rest == half && beyond == 0;
    *mantissa = m + (tie ? m & 1 : rest >= half);
    return 1;
}

// w 10^e
static int scale(uint64_t w, int e, double *value)
{
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (w == 0 || (FLT_EVAL_METHOD == 0 && w <= 2 * hidden_bit && e >= -22 && e <= 22)) {
        *value = w == 0 ? 0 : e < 0 ? (double)w / tens[-e] : (double)w * tens[e];
        return 1;
    }
    if (e < POWER_LEAST || e > POWER_MOST) return 0;
    power_of_ten g = powers_of_ten[e - POWER_LEAST];
    const int    exact = e >= 0 && e <= 55, zeros = __builtin_clzll(w);
    if (!exact && g.lower-- == 0) g.upper--; // the one below 10^e
    uint64_t m;
    int      shifted;
    if (!round_product(w << zeros, g, exact, &m, &shifted)) return 0;
    int power = log2_of_power(e) + 12 - zeros - shifted; // m 2^power
    if (m == 2 * hidden_bit) {
        m = hidden_bit;
        power++;
    }
    if (power < 2 - BIAS || power > 971) return 0;
    const uint64_t bits = (uint64_t)(power + BIAS) << 52 | (m & (hidden_bit - 1));
    memcpy(value, &bits, sizeof bits);
    return 1;
}

const char *decimal_read(const char *text, const char *limit, double *value, int *done)
{
    uint64_t    w = 0;
    const char *end = digits(text, limit, &w);
    int         count = (int)(end - text), e = 0;
    if (*end == '.') {
        const char *point = end;
        end = digits(point + 1, limit, &w);
        e = (int)(point + 1 - end);
        count -= e;
    }
    if (count == 0) return text;
    if (*end == 'e' || *end == 'E') end = exponent(end, &e);
    if (count > DIGITS_MOST) count -= leading_zeros(text);
    *done = count <= DIGITS_MOST && scale(w, e, value);
    return end;
}

// --- writing -----------------------------------------------------------------------------------

typedef struct decimal {
    uint64_t digits;
    int      exponent; // digits 10^exponent
} decimal;

// The upper 64 of the 192 bits of g x; the last bit is set if the others are not all zero.
static uint64_t product_to_odd(power_of_ten g, uint64_t x)
{
    const wide y = (wide)g.upper * x + (uint64_t)((wide)g.lower * x >> 64);
    return (uint64_t)(y >> 64) | ((uint64_t)y > 1);
}

// c 2^q; `narrow` says that the neighbour below is twice as near, as it is where c is a power of
// two.
static decimal decimal_shortest(uint64_t c, int q, int narrow)
{
    const int          k = (q * 1262611 - (narrow ? 524031 : 0)) >> 22; // floor(log10 of the width)
    const int          h = q + log2_of_power(-k) + 1;
    const power_of_ten g = powers_of_ten[-k - POWER_LEAST];
    const uint64_t     odd = c & 1; // the ends of the interval round to even: not to v, then
    const uint64_t     lower = product_to_odd(g, (4 * c - 2 + (uint64_t)narrow) << h) + odd;
    const uint64_t     v = product_to_odd(g, 4 * c << h);
    const uint64_t     upper = product_to_odd(g, (4 * c + 2) << h) - odd;
    const uint64_t     s = v / 4, tens = s / 10;
    if (s >= 10) {
        const int below = lower <= 40 * tens, above = 40 * tens + 40 <= upper;
        if (below != above) return (decimal){tens + (uint64_t)above, k + 1};
    }
    const int below = lower <= 4 * s, above = 4 * s + 4 <= upper;
    if (below != above) return (decimal){s + (uint64_t)above, k};
    const uint64_t middle = 4 * s + 2;
    return (decimal){s + (v > middle || (v == middle && s & 1)), k};
}

static decimal decimal_of(uint64_t bits)
{
    const uint64_t fraction = bits & (hidden_bit - 1);
    const int      e = (int)(bits >> 52 & 0x7ff);
    const uint64_t c = e ? fraction | hidden_bit : fraction;
    const int      q = (e ? e : 1) - BIAS;
    decimal        d = {c, 0};
    if (q > 0 || q < -52 || c & (((uint64_t)1 << -q) - 1))
        d = decimal_shortest(c, q, fraction == 0 && e > 1);
    else
        d.digits = c >> -q; // a whole number
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    return d;
}

// The digits end before `end`; returns where they begin.
static char *digits_before(char *end, uint64_t w)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    for (; w >= 100; w /= 100)
        memcpy(end -= 2, pairs + 2 * (w % 100), 2);
    if (w >= 10)
        memcpy(end -= 2, pairs + 2 * w, 2);
    else
        *--end = (char)('0' + w);
    return end;
}

static char *zeros(char *out, int count)
{
    memset(out, '0', (size_t)count);
    return out + count;
}

static char *decimal_copy(char *out, const char *from, int count)
{
    memcpy(out, from, (size_t)count);
    return out + count;
}

static char *set_out_fixed(char *out, const char *first, int count, int exponent)
{
    if (exponent < 0) { // 0.00123
        out = decimal_copy(out, "0.", 2);
        return decimal_copy(zeros(out, -1 - exponent), first, count);
    }
    if (count <= exponent + 1) return zeros(decimal_copy(out, first, count), exponent + 1 - count);
    out = decimal_copy(out, first, exponent + 1);
    *out++ = '.';
    return decimal_copy(out, first + exponent + 1, count - exponent - 1);
}

static char *set_out_scientific(char *out, const char *first, int count, int exponent)
{
    char      end[4];
    const int size = exponent < 0 ? -exponent : exponent;
    *out++ = *first;
    if (count > 1) *out++ = '.';
    out = decimal_copy(out, first + 1, count - 1);
    *out++ = 'e';
    *out++ = exponent < 0 ? '-' : '+';
    if (size < 10) *out++ = '0';
    const char *begin = digits_before(end + 4, (uint64_t)size);
    return decimal_copy(out, begin, (int)(end + 4 - begin));
}

size_t decimal_write(double value, char out[DECIMAL_ROOM])
{
    char     text[24], *at = out;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (isnan(value)) return (size_t)(decimal_copy(out, "nan", 4) - 1 - out);
    if (bits >> 63) *at++ = '-';
    if (isinf(value)) return (size_t)(decimal_copy(at, "inf", 4) - 1 - out);
    if (value == 0) return (size_t)(decimal_copy(at, "0", 2) - 1 - out);
    const decimal d = decimal_of(bits);
    const char   *first = digits_before(text + sizeof text, d.digits);
    const int     count = (int)(text + sizeof text - first);
    const int     e = d.exponent + count - 1; // of the first digit
    at = e >= FIXED_LEAST && e < FIXED_END ? set_out_fixed(at, first, count, e)
                                           : set_out_scientific(at, first, count, e);
    *at = 0;
    return (size_t)(at - out);
}
