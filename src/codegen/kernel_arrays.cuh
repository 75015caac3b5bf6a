// The beginning of every kernel, behind `typedef ... real;` and its functions: arrays as a thread
// sees them. Inputs overlap no output, so they may be read by the way for constants. An output that
// nobody wants swallows what it gets, and with it the work.

struct array {
    real     *at;
    long long state;
    int       entry;
};

struct rows_in {
    const real *at;
    int         entry;
    __device__ __forceinline__ rows_in(const array &a, long long s)
        : at(a.at + s * a.state), entry(a.entry)
    {
    }
    __device__ __forceinline__ real operator[](int i) const
    {
        return __ldg(at + (long long)i * entry);
    }
};

struct rows_out {
    real *at;
    int   entry;
    __device__ __forceinline__ rows_out(const array &a, long long s)
        : at(a.at + s * a.state), entry(a.entry)
    {
    }
    __device__ __forceinline__ real &operator[](int i) const { return at[(long long)i * entry]; }
};

struct nowhere {
    struct sink {
        __device__ __forceinline__ void operator=(real) const {}
    };
    __device__ __forceinline__ sink operator[](int) const { return sink(); }
};

#define generated_ANGLES(n) (n)
static __device__ __forceinline__ void generated_sincos(int count, const real *x, real *s, real *c)
{
    for (int i = 0; i < count; i++)
        real_sincos(x[i], s + i, c + i);
}
