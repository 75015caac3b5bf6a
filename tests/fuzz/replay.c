// Runs a fuzz target over files: those given, and those in the folders given, and below them. With
// --mutate COUNT first, over so many of their descendants too, the same ones every time: what a
// plain build can do without a fuzzer that learns.
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BYTES = 16384 };

typedef struct input {
    uint8_t *data;
    size_t   size;
} input;

static input *inputs; // nftw gives its callback no context
static int    count;

static int replay(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)walk;
    if (type == FTW_NS || type == FTW_DNR) {
        fprintf(stderr, "%s: cannot be read\n", path);
        return 1;
    }
    if (type != FTW_F) return 0;

    const size_t size = (size_t)info->st_size;
    uint8_t     *data = malloc(size + 1); // an empty file is an input too
    input       *more = realloc(inputs, ((size_t)count + 1) * sizeof *more);
    FILE        *file = fopen(path, "rb");
    const int    read = data && more && file && fread(data, 1, size, file) == size;
    if (more) inputs = more;
    if (file) fclose(file);
    if (!read) {
        fprintf(stderr, "%s: cannot be read\n", path);
        free(data);
        return 1;
    }
    LLVMFuzzerTestOneInput(data, size);
    inputs[count++] = (input){data, size};
    return 0;
}

static uint32_t draw(uint64_t *seed, size_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return below ? (uint32_t)((*seed >> 33) % below) : 0;
}

// A piece of one text in the place of a piece of another; of length zero on either side, too.
static size_t splice(uint64_t *seed, uint8_t *into, size_t size, const input *from)
{
    const size_t at = draw(seed, size + 1),
                 gone = draw(seed, (size - at < 40 ? size - at : 40) + 1);
    const size_t start = draw(seed, from->size + 1);
    const size_t left = from->size - start, wanted = draw(seed, (left < 40 ? left : 40) + 1);
    const size_t room = MOST_BYTES - (size - gone), taken = wanted < room ? wanted : room;
    memmove(into + at + taken, into + at + gone, size - at - gone);
    memcpy(into + at, from->data + start, taken);
    return size - gone + taken;
}

static void mutate(uint64_t *seed, uint8_t *work)
{
    static const char odd[] = "0123456789-.e+[]{}:, \n\"'#&*<>/\\";
    const input      *from = &inputs[draw(seed, (size_t)count)];
    size_t            size = from->size < MOST_BYTES ? from->size : MOST_BYTES;
    memcpy(work, from->data, size);
    for (int left = 1 + (int)draw(seed, 6); left > 0; left--) {
        const uint32_t way = draw(seed, 4), at = draw(seed, size);
        if (way == 0)
            size = splice(seed, work, size, &inputs[draw(seed, (size_t)count)]);
        else if (size && way == 1)
            work[at] = (uint8_t)odd[draw(seed, sizeof odd - 1)];
        else if (size && way == 2)
            work[at] ^= (uint8_t)(1u << draw(seed, 8));
        else if (size)
            work[at] = (uint8_t)draw(seed, 256);
    }
    uint8_t *exact = malloc(size + 1); // so that a byte too far is seen
    if (!exact) return;
    memcpy(exact, work, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

int main(int argc, char **argv)
{
    static uint8_t work[2 * MOST_BYTES];
    const int      mutates = argc > 2 && strcmp(argv[1], "--mutate") == 0;
    const long     descendants = mutates ? strtol(argv[2], NULL, 10) : 0;
    uint64_t       seed = 1;
    for (int i = mutates ? 3 : 1; i < argc; i++)
        if (nftw(argv[i], replay, 16, FTW_PHYS) != 0) return EXIT_FAILURE;
    for (long i = 0; i < descendants && count; i++)
        mutate(&seed, work);
    printf("%d inputs, %ld descendants\n", count, descendants);
    for (int i = 0; i < count; i++)
        free(inputs[i].data);
    free(inputs);
    return count ? EXIT_SUCCESS : EXIT_FAILURE;
}
