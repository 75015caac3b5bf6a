// SplitMix64 (Steele, Lea and Flood 2014): small, and the same on every machine.
#ifndef ARNE_BASE_RANDOM_H
#define ARNE_BASE_RANDOM_H

#include <stdint.h>

static inline uint64_t random_bits(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// Uniform in [low, high).
static inline double random_between(uint64_t *seed, double low, double high)
{
    return low + (high - low) * ((double)(random_bits(seed) >> 11) * 0x1p-53);
}

#endif
