// The triangle of a least squares problem with any number of rows: QR by blocks (TSQR: Demmel,
// Grigori, Hoemmen and Langou 2012). Rows come in blocks; a block is reduced together with the
// triangle of all rows before it, by Householder reflections, and forgotten. As accurate as one QR
// of all rows: nothing is squared.
#ifndef ARNE_IDENTIFY_BLOCK_QR_H
#define ARNE_IDENTIFY_BLOCK_QR_H

#include <arne/robot.h>
#include <stddef.h>

// A block of forty columns fits into the cache; columns are not a power of two apart.
enum { BLOCK_ROWS = 120 };

typedef struct block_qr {
    int     columns; // with the right-hand side, the last one
    int     filled;  // rows in the block, not yet reduced
    long    rows;    // all of them
    double *R;       // columns x columns, by columns
    double *block;   // BLOCK_ROWS x columns, by columns
} block_qr;

int  block_qr_new(block_qr *qr, int columns); // 0: no memory
void block_qr_free(block_qr *qr);
void block_qr_clear(block_qr *qr);
// A row times a weight.
void block_qr_add(const arne_robot *robot, block_qr *qr, const double *row, double weight);
// Reduces the last block; call it before R is read.
void block_qr_finish(const arne_robot *robot, block_qr *qr);

#endif
