// Loaded before all others (LD_PRELOAD): makes one allocation fail, or ends the process between two
// steps of writing files, and counts them.
//
//     ARNE_FAULT=ours:N     the N-th malloc, calloc, realloc, aligned_alloc or posix_memalign that
//                           our own code calls
//     ARNE_FAULT=readers:N  the N-th that expat or libyaml calls
//     ARNE_FAULT=new:N      the N-th operator new: of Ipopt and what it is made of
//     ARNE_FAULT=step:N     none: the process ends, as one that is killed, before the N-th time
//                           that our own code makes, syncs, renames or removes something
//     ARNE_FAULT_COUNT=F    how many there were, written to the file F at the end
//
// N 0: none fails. Whose call it is says the file that holds the caller's code. For glibc.
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

extern "C" {
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
}

namespace
{

enum class whose { nobody, ours, readers, news, steps };

struct plan {
    whose kind = whose::nobody;
    long  number = 0;
    plan()
    {
        const char *text = std::getenv("ARNE_FAULT");
        if (!text) return;
        kind = !std::strncmp(text, "ours:", 5)      ? whose::ours
               : !std::strncmp(text, "readers:", 8) ? whose::readers
               : !std::strncmp(text, "new:", 4)     ? whose::news
               : !std::strncmp(text, "step:", 5)    ? whose::steps
                                                    : whose::nobody;
        number = std::atol(std::strchr(text, ':') + 1);
    }
};

std::atomic<long> count{0};

const plan &wanted()
{
    static const plan p;
    return p;
}

bool is_next_to_fail(whose kind)
{
    const plan &p = wanted();
    return p.kind == kind && ++count == p.number;
}

whose owner(void *caller)
{
    Dl_info info;
    if (!dladdr(caller, &info) || !info.dli_fname) return whose::nobody;
    const char *slash = std::strrchr(info.dli_fname, '/');
    const char *name = slash ? slash + 1 : info.dli_fname;
    if (std::strcmp(name, "arne") == 0 || std::strncmp(name, "libarne", 7) == 0) return whose::ours;
    if (!std::strncmp(name, "libyaml", 7) || !std::strncmp(name, "libexpat", 8))
        return whose::readers;
    return whose::nobody;
}

bool fails(void *caller)
{
    const whose kind = wanted().kind;
    if (kind != whose::ours && kind != whose::readers) return false;
    return owner(caller) == kind && is_next_to_fail(kind);
}

void step(void *caller)
{
    if (wanted().kind != whose::steps || owner(caller) != whose::ours) return;
    if (is_next_to_fail(whose::steps)) _exit(137);
}

// The C library's own.
template <class function> function *next(const char *name)
{
    return reinterpret_cast<function *>(dlsym(RTLD_NEXT, name));
}

struct report {
    ~report()
    {
        const char *path = std::getenv("ARNE_FAULT_COUNT");
        FILE       *file = path ? std::fopen(path, "w") : nullptr;
        if (!file) return;
        std::fprintf(file, "%ld\n", count.load());
        std::fclose(file);
    }
} at_the_end;

void *none()
{
    errno = ENOMEM;
    return nullptr;
}

} // namespace

#define CALLER __builtin_return_address(0)

extern "C" {
void *malloc(size_t size) { return fails(CALLER) ? none() : __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return fails(CALLER) ? none() : __libc_calloc(n, size); }
void *realloc(void *old, size_t size) { return fails(CALLER) ? none() : __libc_realloc(old, size); }
void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(CALLER) ? none() : __libc_memalign(alignment, size);
}
int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (fails(CALLER)) return ENOMEM;
    *out = __libc_memalign(alignment, size);
    return *out ? 0 : ENOMEM;
}
}

extern "C" {
int mkdir(const char *path, mode_t mode) noexcept
{
    step(CALLER);
    return next<int(const char *, mode_t)>("mkdir")(path, mode);
}
int mkstemp(char *path)
{
    step(CALLER);
    return next<int(char *)>("mkstemp")(path);
}
int fsync(int handle)
{
    step(CALLER);
    return next<int(int)>("fsync")(handle);
}
int rename(const char *from, const char *to) noexcept
{
    step(CALLER);
    return next<int(const char *, const char *)>("rename")(from, to);
}
int unlink(const char *path) noexcept
{
    step(CALLER);
    return next<int(const char *)>("unlink")(path);
}
int unlinkat(int parent, const char *path, int flags) noexcept
{
    step(CALLER);
    return next<int(int, const char *, int)>("unlinkat")(parent, path, flags);
}
int rmdir(const char *path) noexcept
{
    step(CALLER);
    return next<int(const char *)>("rmdir")(path);
}
}

static void *make(size_t size)
{
    void *memory = is_next_to_fail(whose::news) ? nullptr : __libc_malloc(size ? size : 1);
    if (!memory) throw std::bad_alloc();
    return memory;
}
void *operator new(size_t size) { return make(size); }
void *operator new[](size_t size) { return make(size); }
