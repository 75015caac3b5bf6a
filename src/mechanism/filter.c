// Filters of second order, exact from step to step.
#include <arne/motor.h>
#include <math.h>

double arne_filter_rate(const arne_filter *f, double u)
{
    return f->natural * (f->natural * (u - f->x) - 2 * f->damping * f->xd);
}

// y = x - u obeys y" + 2 zeta w y' + w^2 y = 0.
void arne_filter_step(arne_filter *f, double u, double dt)
{
    const double w = f->natural, decay = f->damping * w,
                 square = (1 - f->damping * f->damping) * w * w;
    const double turn = sqrt(fabs(square)), angle = turn * dt, y = f->x - u, yd = f->xd;
    const double c = square > 0 ? cos(angle) : cosh(angle);
    const double s = angle < 1e-8 ? dt : (square > 0 ? sin(angle) : sinh(angle)) / turn;
    const double fade = exp(-decay * dt);
    f->x = u + fade * ((c + decay * s) * y + s * yd);
    f->xd = fade * ((c - decay * s) * yd - w * w * s * y);
}
