// The text of the small sine and cosine, see math/sincos.h: x = k pi/2 + r with |r| <= pi/4.
// Quadrants are told apart by comparing numbers, so that compilers turn the loop into vector code.
#include "codegen/emit.h"

static const char wide[] =
    "        const double k = (x[i] * 0.63661977236758134308 + 6755399441055744.0) - "
    "6755399441055744.0;\n"
    "        const double m = k - 4.0 * ((k * 0.25 + 6755399441055744.0) - 6755399441055744.0);\n"
    "        const double r = ((x[i] - k * 1.57079632673412561417e+00) - k * "
    "6.07710050630396597660e-11) -\n"
    "                         k * 2.02226624879595063154e-21;\n"
    "        const double z = r * r;\n"
    "        const double a = r + r * z * (-1.66666666666666324348e-01 + z * "
    "(8.33333333332248946124e-03 +\n"
    "            z * (-1.98412698298579493134e-04 + z * (2.75573137070700676789e-06 +\n"
    "            z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));\n"
    "        const double b = 1.0 - 0.5 * z + z * z * (4.16666666666666019037e-02 +\n"
    "            z * (-1.38888888888741095749e-03 + z * (2.48015872894767294178e-05 +\n"
    "            z * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 +\n"
    "            z * -1.13596475577881948265e-11)))));\n"
    "        const double u = m == 1.0 || m == -1.0 ? b : a, v = m == 1.0 || m == -1.0 ? a : b;\n"
    "        s[i] = m == 0.0 || m == 1.0 ? u : -u;\n"
    "        c[i] = m == 0.0 || m == -1.0 ? v : -v;\n";

static const char narrow[] =
    "        const float k = (x[i] * 0.636619772f + 12582912.0f) - 12582912.0f;\n"
    "        const float m = k - 4.0f * ((k * 0.25f + 12582912.0f) - 12582912.0f);\n"
    "        const float r = ((x[i] - k * 1.5703125f) - k * 4.837512969970703125e-4f) - k * "
    "7.54979013e-8f;\n"
    "        const float z = r * r;\n"
    "        const float a = r + r * z * (-1.66666667e-1f + z * (8.33333333e-3f + z * "
    "(-1.98412698e-4f +\n"
    "            z * 2.75573192e-6f)));\n"
    "        const float b = 1.0f - 0.5f * z + z * z * (4.16666667e-2f + z * (-1.38888889e-3f +\n"
    "            z * (2.48015873e-5f + z * -2.75573192e-7f)));\n"
    "        const float u = m == 1.0f || m == -1.0f ? b : a, v = m == 1.0f || m == -1.0f ? a : "
    "b;\n"
    "        s[i] = m == 0.0f || m == 1.0f ? u : -u;\n"
    "        c[i] = m == 0.0f || m == -1.0f ? v : -v;\n";

static void put_each(buffer *b, const char *prefix, const char *function, const char *suffix,
                     int lanes)
{
    put(b, "static inline %s_real %s_%s(%s_real x)\n{\n", prefix, prefix, function, prefix);
    put(b, "    for (int i = 0; i < %d; i++) x[i] = %s%s(x[i]);\n    return x;\n}\n", lanes,
        function, suffix);
}

void emit_lanes(buffer *b, const char *prefix, int is_float, int lanes, int roots, int signs,
                int angles)
{
    const char *type = is_float ? "float" : "double", *suffix = is_float ? "f" : "";
    const int   size = lanes * (is_float ? 4 : 8);
    put(b, "#ifndef __GNUC__\n#error \"vector extensions, as gcc and clang have them, are "
           "needed\"\n#endif\n");
    put(b, "typedef %s %s_real __attribute__((vector_size(%d), may_alias)); // %d states\n", type,
        prefix, size, lanes);
    put(b, "typedef %s %s_loose __attribute__((vector_size(%d), aligned(%d), may_alias));\n", type,
        prefix, size, is_float ? 4 : 8);
    if (roots) put_each(b, prefix, "sqrt", suffix, lanes);
    if (angles) {
        put_each(b, prefix, "sin", suffix, lanes);
        put_each(b, prefix, "cos", suffix, lanes);
    }
    if (signs) {
        put(b, "static inline %s_real %s_sign(%s_real x)\n{\n", prefix, prefix, prefix);
        put(b,
            "    for (int i = 0; i < %d; i++) x[i] = (%s)((x[i] > 0) - (x[i] < 0));\n    return "
            "x;\n}\n",
            lanes, type);
    }
    put(b, "\n");
}

void emit_sincos(buffer *b, const char *prefix, int is_float)
{
    const char *type = is_float ? "float" : "double";
    put(b,
        "// Sine and cosine for |x| <= %s rad, to about 2 units in the last place; larger angles "
        "lose digits. Needs\n"
        "// arithmetic as IEEE 754 has it: compilers that reorder it make the rounding to "
        "quadrants "
        "vanish.\n"
        "#if defined __FAST_MATH__ || defined __ASSOCIATIVE_MATH__\n"
        "#error \"not with -ffast-math: generate with the sine and cosine of libm, or compile "
        "without\"\n"
        "#endif\n",
        is_float ? "1e3" : "1e6");
    put(b,
        "#ifdef __AVX__ // whole registers\n"
        "#define %s_ANGLES(n) (((n) + 3) / 4 * 4)\n#else\n#define %s_ANGLES(n) (n)\n#endif\n",
        prefix, prefix);
    put(b, "static void %s_sincos(int count, const %s *x, %s *s, %s *c)\n{\n", prefix, type, type,
        type);
    put(b, "    for (int i = 0; i < count; i++) {\n%s    }\n}\n\n", is_float ? narrow : wide);
}
