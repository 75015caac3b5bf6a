// flock, renameat2 and openat with O_NOFOLLOW: none of them is C, and two are not POSIX.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier)

#include "io/folder.h"
#include "base/plain.h"

#include "base/buffer.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

char *arne_join(const char *a, const char *b, const char *c)
{
    const size_t sizes[3] = {strlen(a), strlen(b), strlen(c)};
    char        *out = malloc(sizes[0] + sizes[1] + sizes[2] + 1);
    if (!out) return NULL;
    memcpy(out, a, sizes[0]);
    memcpy(out + sizes[0], b, sizes[1]);
    memcpy(out + sizes[0] + sizes[1], c, sizes[2] + 1);
    return out;
}

// ---- walking ----

enum { MOST_DEEP = 16 };

typedef struct walk {
    folder_visit visit;
    void        *context;
    buffer       name;
    int          depth;
} walk;

static int walk_in(walk *w, int handle);

static folder_kind folder_kind_of(const walk *w, int handle, const char *base)
{
    struct stat info;
    if (fstatat(handle, base, &info, AT_SYMLINK_NOFOLLOW) != 0) return FOLDER_OTHER;
    if (S_ISREG(info.st_mode)) return FOLDER_FILE;
    return S_ISDIR(info.st_mode) && w->depth < MOST_DEEP ? FOLDER_FOLDER : FOLDER_OTHER;
}

static int walk_item(walk *w, int handle, const char *base)
{
    const size_t      before = w->name.size;
    const folder_kind kind = folder_kind_of(w, handle, base);
    int               result = 0;
    put(&w->name, "%s%s", before ? "/" : "", base);
    if (w->name.failed) {
        errno = ENOMEM;
        return -1;
    }
    if (kind == FOLDER_FOLDER) {
        const int inner = openat(handle, base, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        w->depth++;
        result = inner < 0 ? -1 : walk_in(w, inner);
        w->depth--;
    }
    if (!result) {
        const folder_item item = {kind, w->name.text, base, handle};
        result = w->visit(w->context, &item);
    }
    w->name.size = before;
    w->name.text[before] = 0;
    return result;
}

// Takes the handle.
static int walk_in(walk *w, int handle)
{
    DIR *stream = fdopendir(handle);
    int  result = 0;
    if (!stream) {
        close(handle);
        return -1;
    }
    for (struct dirent *e = readdir(stream); e && !result; e = readdir(stream))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            result = walk_item(w, dirfd(stream), e->d_name);
    const int why = errno;
    closedir(stream);
    errno = why;
    return result;
}

int arne_folder_walk(const char *dir, folder_visit visit, void *context)
{
    walk      w = {.visit = visit, .context = context};
    const int handle = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const int result = handle < 0 ? -1 : walk_in(&w, handle);
    buffer_free(&w.name);
    return result;
}

// ---- on disk ----

static int sync_handle(int handle)
{
    // A file system that cannot is none to wait for.
    const int failed = handle < 0 || (fsync(handle) != 0 && errno != EINVAL && errno != EROFS);
    const int why = errno;
    if (handle >= 0) close(handle);
    errno = why;
    return failed ? -1 : 0;
}

static int sync_item(void *context, const folder_item *item)
{
    (void)context;
    if (item->kind == FOLDER_OTHER) return 0;
    return sync_handle(openat(item->parent, item->base, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
}

int arne_folder_sync(const char *dir)
{
    if (arne_folder_walk(dir, sync_item, NULL) != 0) return -1;
    return arne_folder_sync_names(dir);
}

int arne_folder_sync_names(const char *dir)
{
    return sync_handle(open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

// ---- locks ----

int arne_folder_lock(const char *dir, unsigned how, folder_lock *out)
{
    const int links = how & FOLDER_FOLLOW ? 0 : O_NOFOLLOW;
    *out = (folder_lock){.handle = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | links)};
    if (out->handle < 0) return -1;
    // Whoever may read a folder can lock it, for as long as he likes: the wait has an end. Workers
    // of a process that was just killed share its lock until they have ended too: half a second.
    const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
    const int             most = how & FOLDER_WAIT ? FOLDER_WAIT_SECONDS * 50 : 25;
    int                   held = flock(out->handle, LOCK_EX | LOCK_NB);
    for (int i = 0; i < most && held != 0 && (errno == EWOULDBLOCK || errno == EINTR); i++) {
        nanosleep(&pause, NULL);
        held = flock(out->handle, LOCK_EX | LOCK_NB);
    }
    out->real = held == 0;
    if (held == 0 || errno != EWOULDBLOCK) return 0;
    arne_folder_unlock(out);
    errno = EWOULDBLOCK;
    return -1;
}

void arne_folder_reason(int number, char *text, size_t size)
{
    if (number == EWOULDBLOCK)
        snprintf(text, size, "another process holds a lock on the folder, or on the one around it");
    else
        snprintf(text, size, "%s", plain_reason(number));
}

void arne_folder_unlock(folder_lock *lock)
{
    if (lock->handle >= 0) close(lock->handle);
    *lock = (folder_lock){.handle = -1};
}

// ---- exchange ----

int arne_folder_exchange(const char *a, const char *b)
{
#if defined __linux__ && defined SYS_renameat2
    enum { EXCHANGE = 2 }; // RENAME_EXCHANGE, which not every C library names
    if (syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, EXCHANGE) == 0) return 0;
    if (errno == EINVAL) errno = ENOSYS; // what file systems say that cannot
    return -1;
#elif defined __APPLE__
    if (renamex_np(a, b, RENAME_SWAP) == 0) return 0;
    if (errno == ENOTSUP) errno = ENOSYS;
    return -1;
#else
    (void)a, (void)b;
    errno = ENOSYS;
    return -1;
#endif
}
