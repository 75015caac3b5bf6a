// What decimal numbers cost: a million rows of 18 numbers read by decimal_read and by strtod_l,
// written by decimal_write and by snprintf with 17 digits. One line for each, nanoseconds a number.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): strtod_l
#include "base/decimal.h"
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NUMBERS = 18 * 1000 * 1000, ROUNDS = 3 };

static double numbers_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

typedef struct number_texts {
    char  *text; // numbers of 17 digits, each with a zero at its end
    size_t size;
} number_texts;

static number_texts numbers_make(void)
{
    number_texts all = {malloc((size_t)NUMBERS * 26), 0};
    if (!all.text) exit(1);
    srand(1);
    for (int i = 0; i < NUMBERS; i++)
        all.size += (size_t)snprintf(all.text + all.size, 26, "%.17g", rand() / 1e9 + 1e-9) + 1;
    return all;
}

static double read_fast(const number_texts *all)
{
    double sum = 0;
    for (const char *p = all->text, *end = p + all->size; p < end; p++) {
        double x;
        int    done;
        p = decimal_read(p, end, &x, &done);
        sum += x;
    }
    return sum;
}

static double read_plain(const number_texts *all)
{
    const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double         sum = 0;
    for (char *p = all->text, *end = p + all->size; p < end; p++)
        sum += strtod_l(p, &p, c);
    freelocale(c);
    return sum;
}

static double write_fast(const number_texts *all)
{
    char   out[DECIMAL_ROOM];
    double size = 0;
    for (int i = 0; i < NUMBERS; i++)
        size += (double)decimal_write((i + 0.1) / 1e7, out);
    (void)all;
    return size;
}

static double write_plain(const number_texts *all)
{
    char   out[DECIMAL_ROOM];
    double size = 0;
    for (int i = 0; i < NUMBERS; i++)
        size += snprintf(out, sizeof out, "%.17g", (i + 0.1) / 1e7);
    (void)all;
    return size;
}

static void numbers_time(const char         *name, double (*run)(const number_texts *),
                         const number_texts *all)
{
    double best = INFINITY, sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const double from = numbers_now();
        sum = run(all);
        best = fmin(best, numbers_now() - from);
    }
    printf("%-28s %6.1f ns a number, %5.2f s for 1e6 rows of 18 (sum %.6g)\n", name, best / NUMBERS,
           best * 1e-9, sum);
}

int main(void)
{
    const number_texts all = numbers_make();
    numbers_time("read: decimal_read", read_fast, &all);
    numbers_time("read: strtod_l", read_plain, &all);
    numbers_time("write: decimal_write", write_fast, &all);
    numbers_time("write: snprintf %.17g", write_plain, &all);
    free(all.text);
    return 0;
}
