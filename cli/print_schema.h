// Schemas of the files that Arne reads, for `--schema`.
#ifndef CLI_SCHEMA_H
#define CLI_SCHEMA_H

#include <arne/document.h>
#include <stdio.h>

void write_schema(arne_document kind, FILE *out);
// Whether `arne VERB --schema` was asked for; then it is printed.
int wants_schema(int argc, char **argv, arne_document kind);

#endif
