// Folders as a run needs them: walked without following links, locked, put on disk, exchanged.
#ifndef ARNE_IO_FOLDER_H
#define ARNE_IO_FOLDER_H

#include <stddef.h>

// a, b and c, one behind the other; to be freed, NULL where there is no memory.
char *arne_join(const char *a, const char *b, const char *c);

typedef enum folder_kind {
    FOLDER_FILE,   // a plain file
    FOLDER_FOLDER, // visited after what is in it
    FOLDER_OTHER   // a link, a pipe, a device; or a folder that lies too deep
} folder_kind;

typedef struct folder_item {
    folder_kind kind;
    const char *name;   // relative to the folder that is walked
    const char *base;   // its last part
    int         parent; // the handle of the folder it lies in
} folder_item;

// Nonzero ends the walk. An item may be removed while it is visited.
typedef int (*folder_visit)(void *context, const folder_item *item);

// 0, what the visit that ended it returned, or -1 with errno where a folder cannot be read.
int arne_folder_walk(const char *dir, folder_visit visit, void *context);

// Everything in the folder, and the folder, is on disk afterwards; of sync_names only which names
// are in it. 0, or -1 with errno.
int arne_folder_sync(const char *dir);
int arne_folder_sync_names(const char *dir);

// What holds a folder. It ends with the process, however that ends.
typedef struct folder_lock {
    int handle; // negative: none
    int real;   // 0: the file system has no locks, so other users are unknown
} folder_lock;

enum { FOLDER_WAIT = 1, FOLDER_FOLLOW = 2 }; // for the one who has the lock, a while; links
enum { FOLDER_WAIT_SECONDS = 10 };

// 0, or -1 with errno: EWOULDBLOCK where another one has the lock.
int arne_folder_lock(const char *dir, unsigned how, folder_lock *out);
// The text of that errno, and of others.
void arne_folder_reason(int number, char *text, size_t size);
void arne_folder_unlock(folder_lock *lock);

// Two folders change places in one step. 0, or -1 with errno: ENOSYS where there is no such step.
int arne_folder_exchange(const char *a, const char *b);

#endif
