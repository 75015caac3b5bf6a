// Memory of a blocked QR: made, freed, emptied.
#include "identify/block_qr.h"
#include <stdlib.h>
#include <string.h>

int block_qr_new(block_qr *qr, int columns)
{
    *qr = (block_qr){.columns = columns};
    qr->R = calloc((size_t)columns * (size_t)columns + 1, sizeof *qr->R);
    qr->block = calloc((size_t)columns * BLOCK_ROWS + 1, sizeof *qr->block);
    if (qr->R && qr->block) return 1;
    block_qr_free(qr);
    return 0;
}

void block_qr_free(block_qr *qr)
{
    free(qr->R);
    free(qr->block);
    qr->R = qr->block = NULL;
}

void block_qr_clear(block_qr *qr)
{
    memset(qr->R, 0, (size_t)qr->columns * (size_t)qr->columns * sizeof *qr->R);
    qr->filled = 0;
    qr->rows = 0;
}
