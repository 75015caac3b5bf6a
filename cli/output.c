// All results are written to a stream whose bytes end in a buffer of ours. open_memstream would do
// the same, but where memory runs out it loses bytes and says nothing.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): fopencookie, realpath, mkstemp
#include "output.h"

#include "message.h"
#include "signals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ssize_t collect(void *cookie, const char *bytes, size_t size)
{
    output *out = cookie;
    if (size > out->room - out->size && !out->failed) {
        const size_t room = 2 * (out->size + size) + 4096;
        char        *text = realloc(out->text, room);
        out->failed = !text;
        if (text) {
            out->text = text;
            out->room = room;
        }
    }
    if (out->failed) return 0;
    memcpy(out->text + out->size, bytes, size);
    out->size += size;
    return (ssize_t)size;
}

int output_open(output *out, const char *path)
{
    const cookie_io_functions_t functions = {.write = collect};
    *out = (output){.path = path};
    out->stream = fopencookie(out, "w", functions);
    return out->stream ? EXIT_FINE : fail_data("out of memory");
}

void output_drop(output *out)
{
    if (out->stream) fclose(out->stream);
    free(out->text);
    *out = (output){0};
}

const char *output_text(output *out)
{
    if (fputc(0, out->stream) == EOF || fflush(out->stream) != 0 || out->failed) return NULL;
    return out->text;
}

static int write_stream(FILE *file, const output *out)
{
    return (!out->size || fwrite(out->text, 1, out->size, file) == out->size) && fflush(file) == 0;
}

// A device or pipe is written where it is; it cannot be replaced by another file.
static int write_in_place(const output *out)
{
    FILE *file = fopen(out->path, "wb");
    if (!file) return 0;
    const int fine = write_stream(file, out);
    return fclose(file) == 0 && fine;
}

static mode_t usual_mode(void)
{
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

// target is the file itself, links followed.
static int write_beside(const output *out, const char *target, mode_t mode)
{
    const size_t length = strlen(target);
    char        *beside = need(length + 8, 1);
    memcpy(beside, target, length);
    memcpy(beside + length, ".XXXXXX", 8);

    signals_hold(1);
    const int handle = mkstemp(beside);
    if (handle >= 0) signals_remove(beside);
    signals_hold(0);
    FILE *file = handle < 0 ? NULL : fdopen(handle, "wb");
    int   fine = file && write_stream(file, out) && fchmod(handle, mode) == 0;
    // On disk before it takes the place of another, where there is a disk.
    if (fine) fine = fsync(handle) == 0 || errno == EINVAL;
    if (file)
        fine = fclose(file) == 0 && fine;
    else if (handle >= 0)
        close(handle);
    fine = fine && rename(beside, target) == 0;

    const int why = errno;
    signals_remove(NULL);
    if (!fine && handle >= 0) unlink(beside);
    free(beside);
    errno = why;
    return fine;
}

static int write_file(const output *out)
{
    struct stat info;
    const int   exists = stat(out->path, &info) == 0;
    if (exists && !S_ISREG(info.st_mode)) return write_in_place(out);
    if (!exists && lstat(out->path, &info) == 0) { // a link that leads nowhere stays a link
        errno = ENOENT;
        return 0;
    }

    char     *target = exists ? realpath(out->path, NULL) : NULL;
    const int fine = write_beside(out, target ? target : out->path,
                                  exists ? info.st_mode & 07777 : usual_mode());
    free(target);
    return fine;
}

int output_deliver(output *out)
{
    const int broken = ferror(out->stream), closed = fclose(out->stream) == 0;
    int       code = EXIT_FINE;
    out->stream = NULL;
    if (broken || !closed || out->failed)
        code = fail_data("out of memory");
    else if (out->path && !write_file(out))
        code = fail_data("%s: cannot be written: %s", out->path, strerror(errno));
    else if (!out->path && !write_stream(stdout, out))
        code = fail_data("stdout cannot be written: %s", strerror(errno));
    output_drop(out);
    return code;
}
