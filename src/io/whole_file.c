#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): realpath, O_TMPFILE
#include "io/whole_file.h"

#include "base/error.h"
#include "base/plain.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static arne_status fail_write(const whole_file *file, int number, arne_error *error)
{
    if (number == ENOMEM) return arne_fail_memory(error);
    return arne_fail(error, ARNE_FILE, file->path, 0, "cannot be written: %s",
                     plain_reason(number));
}

// Names beside a file: with a point and six letters behind its own. The process's mask applies, as
// to any file that it makes.
static int whole_file_open_named(whole_file *file)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const size_t      length = strlen(file->target);
    struct timespec   now;
    clock_gettime(CLOCK_REALTIME, &now);
    unsigned long long seed = (unsigned long long)now.tv_nsec * 2654435761u +
                              (unsigned long long)now.tv_sec +
                              (unsigned long long)getpid() * 40503u;
    for (int attempt = 0; attempt < 1000; attempt++) {
        file->beside[length] = '.';
        for (int i = 0; i < 6; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            file->beside[length + 1 + (size_t)i] = letters[(seed >> 33) % (sizeof letters - 1)];
        }
        const int handle = open(file->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (handle >= 0 || errno != EEXIST) return handle;
    }
    return -1;
}

// A file that has no name until it is whole, so that a killed process leaves nothing: where the
// system has such files.
static int open_nameless(whole_file *file)
{
#ifdef O_TMPFILE
    char link[64], *slash = strrchr(file->beside, '/');
    char kept = 0;
    if (slash) kept = slash[1], slash[1] = 0;
    const int handle = open(slash ? file->beside : ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    if (slash) slash[1] = kept;
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    file->nameless = handle >= 0 && access(link, F_OK) == 0;
    if (file->nameless || handle < 0) return handle;
    close(handle);
#endif
    (void)file;
    return -1;
}

static int open_beside(whole_file *file, const struct stat *old)
{
    const size_t length = strlen(file->target);
    file->beside = malloc(length + 8);
    if (!file->beside) return 0;
    memcpy(file->beside, file->target, length);
    memset(file->beside + length, 0, 8);
    int handle = open_nameless(file);
    if (handle < 0) handle = whole_file_open_named(file);
    if (handle < 0) {
        free(file->beside);
        file->beside = NULL;
        return 0;
    }
    if (old && fchmod(handle, old->st_mode & 07777) != 0) errno = 0; // no modes here
    file->stream = fdopen(handle, "wb");
    if (!file->stream) close(handle);
    return file->stream != NULL;
}

// Gives a file without a name one beside its place.
static int name_it(whole_file *file)
{
    char      link[64];
    const int named = whole_file_open_named(file); // a name that nobody has
    if (named < 0) return 0;
    close(named);
    snprintf(link, sizeof link, "/proc/self/fd/%d", fileno(file->stream));
    if (unlink(file->beside) != 0) return 0;
    const int fine = linkat(AT_FDCWD, link, AT_FDCWD, file->beside, AT_SYMLINK_FOLLOW) == 0;
    file->nameless = !fine;
    return fine;
}

// Where the file itself is, behind links. A copy of our own: memory that the C library takes by
// itself cannot be accounted for.
static char *target_of(const char *path, int exists)
{
    char         place[PATH_MAX];
    const char  *found = exists ? realpath(path, place) : path;
    const size_t size = found ? strlen(found) + 1 : 0;
    char        *copy = found ? malloc(size) : NULL;
    return copy ? memcpy(copy, found, size) : NULL;
}

arne_status arne_whole_file_open(whole_file *file, const char *path, arne_error *error)
{
    struct stat info;
    const int   exists = stat(path, &info) == 0;
    *file = (whole_file){.path = path};
    errno = 0;
    if (exists && !S_ISREG(info.st_mode)) {
        file->stream = fopen(path, "wb");
    } else if (!exists && lstat(path, &info) == 0) {
        errno = ENOENT; // a link that leads nowhere stays a link
    } else {
        file->target = target_of(path, exists);
        if (file->target) open_beside(file, exists ? &info : NULL);
    }
    if (file->stream) return ARNE_OK;
    const arne_status status = fail_write(file, errno, error);
    arne_whole_file_drop(file);
    return status;
}

// Why writing failed a while ago, if nothing has come between.
static int earlier_reason(void)
{
    const int reasons[] = {ENOSPC, EDQUOT, EFBIG};
    for (int i = 0; i < 3; i++)
        if (errno == reasons[i]) return errno;
    return EIO;
}

arne_status arne_whole_file_close(whole_file *file, arne_error *error)
{
    const int reason = earlier_reason();
    errno = 0;
    int fine = !ferror(file->stream) && fflush(file->stream) == 0;
    // On disk before it takes the place of another; what cannot be synchronised is a file system
    // without a disk.
    if (fine && file->beside) fine = fsync(fileno(file->stream)) == 0 || errno == EINVAL;
    if (fine && file->nameless) fine = name_it(file);
    fine = fclose(file->stream) == 0 && fine;
    file->stream = NULL;
    if (fine && file->beside) fine = rename(file->beside, file->target) == 0;
    if (!fine) {
        const arne_status status = fail_write(file, errno ? errno : reason, error);
        arne_whole_file_drop(file);
        return status;
    }
    free(file->beside);
    file->beside = NULL; // it is in its place
    arne_whole_file_drop(file);
    return ARNE_OK;
}

void arne_whole_file_drop(whole_file *file)
{
    if (file->stream) fclose(file->stream);
    if (file->beside && !file->nameless) unlink(file->beside);
    free(file->beside);
    free(file->target);
    *file = (whole_file){0};
}
