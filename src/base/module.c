#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): dladdr, secure_getenv
#include "base/module.h"
#include "base/error.h"
#include <arne/version.h>
#include <stdio.h>
#include <string.h>

#ifdef ARNE_HAVE_DLOPEN
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif

enum { PATH_SIZE = MODULE_PATH };

// The folder of modules below that of the library, where packages of distributions put them.
#define MODULES "arne/"

typedef struct search {
    const module_need *need;
    char               file[64]; // libarne_NAME.so
    void              *module;
    char               why[256]; // what the loader said of a file that is there
} search;

// Tries one file. Returns whether the search is over: the file is there, whether it can be loaded
// or not.
static int try_file(search *s, const char *path)
{
    s->module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (s->module) return 1;
    const char *why = dlerror();
    snprintf(s->why, sizeof s->why, "%s", why ? why : "");
    return 0;
}

static int module_try_folder(search *s, const char *folder, size_t length, const char *below)
{
    char      path[PATH_SIZE];
    const int size = snprintf(path, sizeof path, "%.*s/%s%s", (int)length, folder, below, s->file);
    if (!length || length > PATH_SIZE || size >= (int)sizeof path || access(path, F_OK) != 0)
        return 0;
    (void)try_file(s, path);
    return 1;
}

static int try_listed(search *s, const char *folders)
{
    while (folders && *folders) {
        const size_t length = strcspn(folders, ":");
        if (module_try_folder(s, folders, length, "")) return 1;
        folders += length + (folders[length] == ':');
    }
    return 0;
}

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) : 0;
}

// Beside the object that holds this code. Of a program the loader knows no more than how it was
// called.
static int try_here(search *s)
{
    static const char here = 0; // an address in this very file
    char              program[PATH_SIZE] = "";
    Dl_info           info;
    const char       *path = program;
    const char       *known = dladdr(&here, &info) ? info.dli_fname : NULL;
    if (known && known[0] == '/')
        path = known;
    else if (known && strchr(known, '/') && realpath(known, program)) // an object loaded from here
        path = program;
    else if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
        return 0;
    const size_t length = folder_length(path);
    return module_try_folder(s, path, length, "") || module_try_folder(s, path, length, MODULES) ||
           module_try_folder(s, path, length, ARNE_BIN_TO_LIB "/") ||
           module_try_folder(s, path, length, ARNE_BIN_TO_LIB "/" MODULES);
}

// A program without a loader of its own would load a second C library with the module.
static int can_load(void)
{
#if defined __linux__ && defined __GLIBC__
    return getauxval(AT_BASE) != 0;
#else
    return 1;
#endif
}

static arne_status module_not_found(const search *s, arne_error *error)
{
    const module_need *n = s->need;
    return arne_fail(
        error, ARNE_UNSUPPORTED, NULL, 0,
        "%s needs %s: there is no %s; build Arne where %s is installed (Debian: %s), or "
        "set ARNE_MODULES to the folder of the module",
        n->what, n->solver, s->file, n->solver, n->package);
}

static arne_status module_take(const search *s, const module_head **table, arne_error *error)
{
    const module_need *n = s->need;
    char               symbol[64];
    snprintf(symbol, sizeof symbol, "arne_%s_module", n->name);
    if (!s->module)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "%s needs %s, which cannot be loaded (Debian: apt-get install %s): %s",
                         n->what, n->solver, n->package, s->why);
    const module_head *head = dlsym(s->module, symbol);
    if (!head || strcmp(head->release, ARNE_VERSION_STRING) != 0 || head->layout != n->layout)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "%s: the module %s is of another version of Arne", n->what, s->file);
    *table = head;
    return ARNE_OK;
}

arne_status module_open(const module_need *need, const module_head **table, arne_error *error)
{
    search s = {.need = need};
    *table = NULL;
    snprintf(s.file, sizeof s.file, "libarne_%s.so", need->name);
    if (!can_load())
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "%s needs %s, which a program without shared libraries cannot load: link "
                         "it without -static",
                         need->what, need->solver);
    if (try_listed(&s, secure_getenv("ARNE_MODULES")) || try_here(&s) ||
        module_try_folder(&s, ARNE_LIBDIR, strlen(ARNE_LIBDIR), "") ||
        module_try_folder(&s, ARNE_LIBDIR, strlen(ARNE_LIBDIR), MODULES) || try_file(&s, s.file))
        return module_take(&s, table, error);
    // The loader speaks of another file where it has found ours.
    return strstr(s.why, s.file) == s.why ? module_not_found(&s, error)
                                          : module_take(&s, table, error);
}

arne_status module_find(const module_need *need, char path[MODULE_PATH], arne_error *error)
{
    const module_head *head;
    Dl_info            info;
    const arne_status  status = module_open(need, &head, error);
    if (status) return status;
    if (!dladdr(head, &info) || !info.dli_fname || strlen(info.dli_fname) >= MODULE_PATH)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "%s: its module cannot be found",
                         need->what);
    memcpy(path, info.dli_fname, strlen(info.dli_fname) + 1);
    return ARNE_OK;
}

#else

arne_status module_find(const module_need *need, char path[MODULE_PATH], arne_error *error)
{
    const module_head *head;
    path[0] = 0;
    return module_open(need, &head, error);
}

arne_status module_open(const module_need *need, const module_head **table, arne_error *error)
{
    *table = NULL;
    return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                     "%s needs %s, and this system cannot load modules", need->what, need->solver);
}

#endif
