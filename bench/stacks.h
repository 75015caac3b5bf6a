// Platforms on each other: how time grows with their number.
#ifndef ARNE_BENCH_STACKS_H
#define ARNE_BENCH_STACKS_H

namespace peers
{

// ns of inverse and forward dynamics from 2 to 16 modules, by module and by the general form of
// loops. Returns how many results of the two are apart.
int print_stacks();

} // namespace peers

#endif
