// Runs a fuzz target over files: those given, and those in the folders given, and below them.
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int count; // nftw gives its callback no context

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
    FILE        *file = fopen(path, "rb");
    const int    read = data && file && fread(data, 1, size, file) == size;
    if (read) {
        LLVMFuzzerTestOneInput(data, size);
        count++;
    } else {
        fprintf(stderr, "%s: cannot be read\n", path);
    }
    if (file) fclose(file);
    free(data);
    return !read;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (nftw(argv[i], replay, 16, FTW_PHYS) != 0) return EXIT_FAILURE;
    }
    printf("%d inputs\n", count);
    return count ? EXIT_SUCCESS : EXIT_FAILURE;
}
