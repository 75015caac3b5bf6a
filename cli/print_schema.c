#include "print_schema.h"

#include "message.h"

#include <stdlib.h>
#include <string.h>

void write_schema(arne_document kind, FILE *out)
{
    const size_t size = arne_document_schema(kind, NULL, 0) + 1;
    char        *text = need(size, 1);
    arne_document_schema(kind, text, size);
    fputs(text, out);
    free(text);
}

int wants_schema(int argc, char **argv, arne_document kind)
{
    if (argc != 2 || strcmp(argv[1], "--schema") != 0) return 0;
    write_schema(kind, stdout);
    return 1;
}
