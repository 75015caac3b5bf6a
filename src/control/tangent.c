// Right Jacobians of the exponential map of poses; Barfoot, State Estimation for Robotics, 7.1.5,
// whose left Jacobian is the right one at -w, with the linear part first as there.
//
//     Jr(w) = phi(-ad w), phi(x) = (exp(x) - 1) / x = 1 + c1 x + c2 x^2 + c3 x^3 + c4 x^4
//
// by the minimal polynomial of ad w: x^5 = -2 t^2 x^3 - t^4 x with the angle t.
#include "control/tangent.h"
#include "math/lower.h"
#include "math/rotation.h"
#include <string.h>

enum { SERIES_TERMS = 22 };           // 1 / 23! is below the rounding of a double
static const double SERIES_ANGLE = 1; // closed forms cancel below

static void jacobian_coefficients(double t, double c[4])
{
    if (t > SERIES_ANGLE) {
        const double s = sin(t), k = cos(t), t2 = t * t;
        c[0] = (4 - t * s - 4 * k) / (2 * t2);
        c[1] = (4 * t - 5 * s + t * k) / (2 * t2 * t);
        c[2] = (2 - t * s - 2 * k) / (2 * t2 * t2);
        c[3] = (2 * t - 3 * s + t * k) / (2 * t2 * t2 * t);
        return;
    }
    double power[4] = {1, 0, 0, 0}, factor = 0.5; // x^1, and 1 / 2!
    memset(c, 0, 4 * sizeof *c);
    for (int i = 1; i <= SERIES_TERMS; i++) {
        for (int j = 0; j < 4; j++)
            c[j] += factor * power[j];
        factor /= i + 2;
        const double last = power[3];
        power[3] = power[2];
        power[2] = power[1] - 2 * t * t * last;
        power[1] = power[0];
        power[0] = -t * t * t * t * last;
    }
}

static void square_product(int n, const double *A, const double *B, double *C)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += A[i * n + k] * B[k * n + j];
            C[i * n + j] = sum;
        }
}

static void cross_matrix(const double *w, double *out, int stride)
{
    out[1] = -w[2];
    out[2] = w[1];
    out[stride] = w[2];
    out[stride + 2] = -w[0];
    out[2 * stride] = -w[1];
    out[2 * stride + 1] = w[0];
}

// -ad w
static void minus_ad(const double w[6], double *x)
{
    const double lin[3] = {-w[0], -w[1], -w[2]}, ang[3] = {-w[3], -w[4], -w[5]};
    memset(x, 0, 36 * sizeof *x);
    cross_matrix(ang, x, 6);
    cross_matrix(ang, x + 21, 6);
    cross_matrix(lin, x + 3, 6);
}

void twist_right(const double w[6], double Jr[36], double *back)
{
    double x[36], x2[36], c[4];
    minus_ad(w, x);
    square_product(6, x, x, x2);
    jacobian_coefficients(sqrt(w[3] * w[3] + w[4] * w[4] + w[5] * w[5]), c);
    double inner[36], high[36]; // c1 x + x2 (c2 + c3 x + c4 x2)
    for (int i = 0; i < 36; i++)
        inner[i] = c[2] * x[i] + c[3] * x2[i];
    for (int i = 0; i < 6; i++)
        inner[7 * i] += c[1];
    square_product(6, x2, inner, high);
    for (int i = 0; i < 36; i++)
        Jr[i] = c[0] * x[i] + high[i] + (i % 7 == 0);
    if (!back) return;
    square_product(6, x, Jr, back); // exp(x) = 1 + x phi(x)
    for (int i = 0; i < 6; i++)
        back[7 * i] += 1;
}

// Jr = [[A, C], [0, A]], so the inverse is [[A^-1, -A^-1 C A^-1], [0, A^-1]], with A^-1 = 1 + [w]/2
// + c [w]^2.
void twist_right_inverse(const double w[6], double out[36])
{
    double       Jr[36], W[9] = {0}, W2[9], inverse[9], C[9], left[9], corner[9];
    const double t2 = w[3] * w[3] + w[4] * w[4] + w[5] * w[5], t = sqrt(t2);
    const double c =
        t > 1e-2 ? (1 - 0.5 * t / tan(0.5 * t)) / t2 : 1.0 / 12 + t2 / 720 + t2 * t2 / 30240;
    twist_right(w, Jr, NULL);
    cross_matrix(w + 3, W, 3);
    square_product(3, W, W, W2);
    for (int i = 0; i < 9; i++) {
        inverse[i] = (i % 4 == 0) + 0.5 * W[i] + c * W2[i];
        C[i] = Jr[i / 3 * 6 + 3 + i % 3];
    }
    square_product(3, inverse, C, left);
    square_product(3, left, inverse, corner);
    memset(out, 0, 36 * sizeof *out);
    for (int i = 0; i < 9; i++) {
        const int at = i / 3 * 6 + i % 3;
        out[at] = out[at + 21] = inverse[i];
        out[at + 3] = -corner[i];
    }
}

// ---- joints ----

int tangent_find(const arne_robot *robot, curved *out)
{
    const int joints = arne_robot_sizes(robot).joint_count;
    int       count = 0;
    for (int i = 0; i < joints; i++) {
        const arne_joint_info       j = arne_robot_joint(robot, i);
        const arne_joint_kind_info *kind = arne_joint_kind_facts(j.kind);
        if (!kind->has_body_axes || j.v_count == 0) continue;
        if (out) {
            curved *c = &out[count];
            *c = (curved){.q = j.q_start, .v = j.v_start, .count = j.v_count};
            for (int k = 0, of[2] = {0, 3}; k < j.v_count; k++) {
                // planar: x, y and the angle about z; ball: all three angles
                const int angle = kind->v[k] == ARNE_COORDINATE_ANGLE;
                c->part[k] = angle && j.v_count == 3 && k == 2 ? 5 : of[angle]++;
            }
        }
        count++;
    }
    return count;
}

static void part_expand(const curved *c, const double *w, double full[6])
{
    memset(full, 0, 6 * sizeof *full);
    for (int k = 0; k < c->count; k++)
        full[c->part[k]] = w[c->v + k];
}

static void part_take(const curved *c, const double *full, double *out)
{
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k < c->count; k++)
            out[i * c->count + k] = full[c->part[i] * 6 + c->part[k]];
}

void tangent_at(curved *all, int count, const double *w)
{
    for (curved *c = all; c < all + count; c++) {
        double full[6], right[36], back[36];
        part_expand(c, w, full);
        twist_right(full, right, back);
        part_take(c, right, c->right);
        part_take(c, back, c->back);
    }
}

void tangent_inverse(const curved *c, const double *w, double *out)
{
    double full[6], inverse[36];
    part_expand(c, w, full);
    twist_right_inverse(full, inverse);
    part_take(c, inverse, out);
}

void twist_log(const arne_pose *X, double w[6])
{
    const mat3   R = {v3(X->R.x.x, X->R.x.y, X->R.x.z), v3(X->R.y.x, X->R.y.y, X->R.y.z),
                      v3(X->R.z.x, X->R.z.y, X->R.z.z)};
    const vec3   p = v3(X->p.x, X->p.y, X->p.z), a = rotation_log(R);
    const double t2 = dot(a, a), t = sqrt(t2);
    const double c =
        t > 1e-2 ? (1 - 0.5 * t / tan(0.5 * t)) / t2 : 1.0 / 12 + t2 / 720 + t2 * t2 / 30240;
    const vec3   ap = cross(a, p);
    const vec3   lin = add_scaled(add_scaled(p, ap, -0.5), cross(a, ap), c);
    const double out[6] = {vx(lin), vy(lin), vz(lin), vx(a), vy(a), vz(a)};
    memcpy(w, out, sizeof out);
}
