#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): sigaction, _exit
#include "signals.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

// Signals have no other way to tell.
static volatile sig_atomic_t notes, noted;
static const char *volatile beside;
static volatile long first; // when the first one came, s

static long signals_seconds(void)
{
    struct timespec t = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long)t.tv_sec;
}

// The first one asks for an end in good order, one that comes a while later for an end at once. A
// terminal or a supervisor may send the same one to a process and to its group: two in one moment
// are one.
static void on_signal(int number)
{
    if (notes && !noted) {
        noted = number;
        first = signals_seconds();
        return;
    }
    if (noted && signals_seconds() - first < 2) return;
    if (beside) unlink(beside);
    _exit(128 + number);
}

void signals_begin(void)
{
    static const int numbers[] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; i++) {
        struct sigaction how = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
        sigemptyset(&how.sa_mask);
        sigaction(numbers[i], &how, NULL);
    }
    signal(SIGXFSZ, SIG_IGN); // a limit on sizes of files is a failure to write, as a full disk is
}

void signals_note(void) { notes = 1; }

int signals_stop(void *unused)
{
    (void)unused;
    return noted != 0;
}

int signals_code(int code) { return noted ? 128 + (int)noted : code; }

void signals_remove(const char *path) { beside = path; }

void signals_hold(int holds)
{
    sigset_t both;
    sigemptyset(&both);
    sigaddset(&both, SIGINT);
    sigaddset(&both, SIGTERM);
    sigprocmask(holds ? SIG_BLOCK : SIG_UNBLOCK, &both, NULL);
}
