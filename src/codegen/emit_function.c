// A function of generated C or CUDA: what both writers do around its signature.
#include "codegen/emit.h"
#include <stdlib.h>

arne_status emit_recorded(const request *ask, arne_algorithm function, const emission *how,
                          buffer *before, buffer *body, arne_operation_counts *counts)
{
    tape       *t = NULL;
    tape_ref   *results = NULL;
    arne_status status = record_function(ask, function, &t, &results);
    if (!status) status = emit_body(body, before, how, t, results, counts);
    free(results);
    tape_free(t);
    return status;
}

void emit_braces(buffer *b, buffer *body)
{
    put(b, "\n{\n");
    if (body->text) put_bytes(b, body->text, body->size);
    put(b, "}\n\n");
    b->not_finite |= body->not_finite;
    b->failed |= body->failed;
    buffer_free(body);
}
