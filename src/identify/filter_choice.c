#include "identify/filter_choice.h"
#include "math/dense.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const double BAND_PART = 0.999, LEAST_BANDS = 2.5, MOST_BANDS = 15;
// Of a million bins of noise one exceeds the mean by this factor.
static const double STANDS_OUT = 14;
// Noise of accelerations below this part of their power (1 % in amplitude) does no harm.
static const double CLEAN_PART = 1e-4;
static const double LOWEST_CELL = 1e-6; // [Hz]

// ---- the spectrum

// Fast Fourier transform in place (Cooley and Tukey); count is a power of 2.
static void transform(int count, double *re, double *im)
{
    for (int i = 1, k = 0; i < count; i++) {
        int bit = count / 2;
        for (; k & bit; bit /= 2)
            k ^= bit;
        k ^= bit;
        if (i >= k) continue;
        const double a = re[i], b = im[i];
        re[i] = re[k], im[i] = im[k];
        re[k] = a, im[k] = b;
    }
    for (int half = 1; half < count; half *= 2)
        for (int k = 0; k < half; k++) {
            const double c = cos(PI * k / half), s = -sin(PI * k / half);
            for (int i = k; i < count; i += 2 * half) {
                const int    at = i + half;
                const double a = c * re[at] - s * im[at], b = c * im[at] + s * re[at];
                re[at] = re[i] - a, im[at] = im[i] - b;
                re[i] += a, im[i] += b;
            }
        }
}

typedef struct spectrum {
    int     room;      // of re and im: a power of 2, at least the number of samples
    double *re, *im;   // samples, then their transform
    double *power;     // bins: room / 2, of which bin 0 is left out
    double *sorted;    // scratch
    double  step, top; // between samples [s]; the highest frequency [Hz]
    double  noise;     // in the middle of the upper octave
    double  slope;     // it falls with the frequency to this power
} spectrum;

static double frequency(const spectrum *s, int bin) { return s->top * bin / (s->room / 2.0); }

// The median of bins from `first` to `last`, in terms of the mean of white noise, whose power has
// an exponential distribution.
static double find_median(const spectrum *s, int first, int last)
{
    const size_t count = (size_t)(last - first);
    memcpy(s->sorted, s->power + first, count * sizeof *s->sorted);
    qsort(s->sorted, count, sizeof *s->sorted, dense_rising);
    return s->sorted[count / 2] / log(2);
}

// The power of `count` samples in s->re, without the line from end to end, under a raised cosine;
// and its noise.
static void find_power(spectrum *s, int count)
{
    const int    bins = s->room / 2;
    const double a = s->re[0], b = s->re[count - 1];
    for (int i = 0; i < s->room; i++) {
        const double part = (double)i / (count - 1);
        s->re[i] = i < count ? (s->re[i] - a - (b - a) * part) * 0.5 * (1 - cos(2 * PI * part)) : 0;
        s->im[i] = 0;
    }
    transform(s->room, s->re, s->im);
    for (int i = 0; i < bins; i++)
        s->power[i] = s->re[i] * s->re[i] + s->im[i] * s->im[i];
    const double below = find_median(s, bins / 4, bins / 2);
    s->noise = find_median(s, bins / 2, bins);
    s->slope = s->noise > 0 ? fmin(fmax(log2(below / s->noise), 0), 2) : 0;
}

static double noise_at(const spectrum *s, int bin)
{
    return s->noise * pow(sqrt(0.5) * (s->room / 2) / bin, s->slope);
}

// The power of a bin, as far as it is no noise.
static double motion_at(const spectrum *s, int bin, double noise)
{
    return s->power[bin] > STANDS_OUT * noise ? s->power[bin] : 0;
}

// ---- one joint

// One column of rows at equal steps, into s->re. Returns their number.
static int find_samples(spectrum *s, int column, int size, const double *rows, int count)
{
    int made = 0;
    for (int i = 0; i + 1 < count; i++) {
        const double *a = rows + (ptrdiff_t)i * size, *b = a + size;
        for (; made < s->room; made++) {
            const double t = rows[0] + made * s->step;
            if (t > b[0]) break;
            s->re[made] = a[column] + (b[column] - a[column]) * (t - a[0]) / (b[0] - a[0]);
        }
    }
    return made;
}

// Where 99.9 % of the velocity's power lie below; part: 0 of positions, 1 of velocities, ...
static double find_band(const spectrum *s, int part)
{
    double all = 0, sum = 0;
    int    last = 1;
    for (int i = 1; i < s->room / 2; i++)
        all += motion_at(s, i, noise_at(s, i)) * pow(frequency(s, i), 2 - 2 * part);
    for (; last < s->room / 2 - 1 && sum < BAND_PART * all; last++)
        sum += motion_at(s, last, noise_at(s, last)) * pow(frequency(s, last), 2 - 2 * part);
    return all > 0 ? frequency(s, last) : INFINITY;
}

static void add_cells(filter_choice *f, const spectrum *s, int part, double every)
{
    double all = 0;
    for (int i = 1; i < s->room / 2; i++)
        all += motion_at(s, i, s->noise) * pow(frequency(s, i), 4 - 2 * part);
    for (int i = 1; all > 0 && i < s->room / 2; i++) {
        const double per = pow(frequency(s, i), 4 - 2 * part) / all;
        const int    cell = (int)(8 * log2(frequency(s, i) / LOWEST_CELL));
        if (cell < 0 || cell >= FILTER_CELLS) continue;
        f->signal[cell] += per * motion_at(s, i, s->noise);
        f->noise[cell] +=
            per * s->noise / every; // rows left out would thin it over more frequencies
    }
}

static void filter_choice_add_joint(filter_choice *f, spectrum *s, const log_entry *e, int n,
                                    int joint, const double *rows, int count, long every)
{
    const int source = e->has_qdd ? 2 : e->has_qd ? 1 : 0; // of accelerations
    double    band = INFINITY;
    for (int part = 0; part <= 2; part++) {
        if ((part == 1 && !e->has_qd) || (part == 2 && !e->has_qdd)) continue;
        const int made = find_samples(s, 1 + part * n + joint, 1 + 3 * n, rows, count);
        if (made < 64) return;
        find_power(s, made);
        // Noise makes a band wider, in each of them in another way.
        if (part < 2) band = fmin(band, find_band(s, part));
        if (part == source) add_cells(f, s, part, (double)every);
    }
    if (isfinite(band)) f->band = fmax(f->band, band);
}

int filter_choice_add(filter_choice *f, const log_entry *e, int n, const double *rows, int count,
                      long every)
{
    spectrum s = {.room = 64, .step = e->step * (double)every};
    if (count < 2) return 1;
    while (s.room < count)
        s.room *= 2;
    s.top = 0.5 / s.step;
    s.re = malloc(3 * (size_t)s.room * sizeof *s.re);
    if (!s.re) return 0;
    s.im = s.re + s.room;
    s.power = s.im + s.room;
    s.sorted = s.power + s.room / 2;
    for (int j = 0; j < n; j++)
        filter_choice_add_joint(f, &s, e, n, j, rows, count, every);
    free(s.re);
    return 1;
}

// ---- the choice

// What the filter leaves of the noise and what it takes from the motion, as parts of the motion.
typedef struct filter_error {
    double noise, motion;
} filter_error;

static filter_error error_at(const filter_choice *f, int order, double cutoff)
{
    filter_error e = {0, 0};
    double       all = 0;
    for (int i = 0; i < FILTER_CELLS; i++) {
        const double at = LOWEST_CELL * exp2((i + 0.5) / 8);
        const double H = 1 / (1 + pow(at / cutoff, 2 * order)); // both ways
        e.noise += H * H * f->noise[i];
        e.motion += (1 - H) * (1 - H) * f->signal[i];
        all += f->signal[i];
    }
    return (filter_error){e.noise / all, e.motion / all};
}

double filter_choice_cutoff(const filter_choice *f, int order)
{
    enum { STEPS = 40 };
    double best = 0, least = INFINITY;
    for (int i = 0; i <= STEPS && f->band > 0; i++) {
        const double cutoff =
            f->band * MOST_BANDS * pow(LEAST_BANDS / MOST_BANDS, (double)i / STEPS);
        const filter_error e = error_at(f, order, cutoff);
        if (e.noise < CLEAN_PART) return cutoff;
        if (!(e.noise + e.motion < least)) continue;
        least = e.noise + e.motion;
        best = cutoff;
    }
    return best;
}
