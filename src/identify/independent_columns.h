// Which columns of a matrix are independent, and how the others depend on them.
#ifndef ARNE_IDENTIFY_INDEPENDENT_COLUMNS_H
#define ARNE_IDENTIFY_INDEPENDENT_COLUMNS_H

// For regressors: what is left of a dependent column is rounding, 1e-13, or the digits of an angle
// in a file, 1e-11. Of an independent one it has not been seen below 5e-5.
#define DEPENDENT_PART 1e-8

typedef struct column_set {
    int     rank;
    int    *kept;     // the independent columns, rising; room for all
    double *relation; // rank x columns, row-major: column c is the sum of relation[i][c] times
                      // column kept[i]
} column_set;

// A is column-major, rows x columns, and is overwritten. `order` lists `count` of the columns: a
// column is kept unless those kept before it make it up to within `part` of its length. Columns
// that are not listed, and those that are zero, have no relation. Returns 0 where there is no
// memory.
int  column_set_make(int rows, int columns, double *A, const int *order, int count, double part,
                     column_set *out);
void column_set_free(column_set *set);

#endif
