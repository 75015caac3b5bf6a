// A program as a user writes it, against an installed Arne: a pendulum held out level. It is C and
// C++.
#include <arne/arne.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static arne_status build(arne_builder *builder, arne_robot **robot, arne_error *error)
{
    arne_body_spec base = arne_body_spec_default(), rod = arne_body_spec_default();
    base.name = "base";
    rod.name = "rod";
    rod.mass = 2;
    rod.com.x = 0.5;
    rod.inertia[0] = rod.inertia[1] = rod.inertia[2] = 0.1;

    arne_joint_spec hinge = arne_joint_spec_default();
    hinge.name = "hinge";
    hinge.parent = "base";
    hinge.child = "rod";
    hinge.axis.x = hinge.axis.z = 0;
    hinge.axis.y = 1;

    arne_status status = arne_builder_add_body(builder, &base, error);
    if (status == ARNE_OK) status = arne_builder_add_body(builder, &rod, error);
    if (status == ARNE_OK) status = arne_builder_add_joint(builder, &hinge, error);
    if (status == ARNE_OK) status = arne_builder_finish(builder, NULL, robot, error);
    return status;
}

// With an argument, whether there is a solver is also asked, and must be what the argument says.
int main(int argc, char **argv)
{
    arne_error    error;
    arne_builder *builder = NULL;
    arne_robot   *robot = NULL;
    arne_work    *work = NULL;
    double        q = 0, tau = 0;

    arne_status status = arne_builder_new(&builder);
    if (status == ARNE_OK) status = build(builder, &robot, &error);
    if (status == ARNE_OK) status = arne_work_new(robot, &work);
    if (status == ARNE_OK) arne_gravity(robot, work, &q, &tau);
    arne_work_free(work);
    arne_robot_free(robot);
    arne_builder_free(builder);

    // The weight pulls towards +y; holding it takes m g c the other way.
    const int right = status == ARNE_OK && fabs(tau + 2 * 9.81 * 0.5) < 1e-12;
    const int same_version = strcmp(arne_version(), ARNE_VERSION_STRING) == 0;
    printf("arne %s: %s, tau = %.17g\n", arne_version(), arne_status_text(status), tau);
    int as_asked = 1;
    if (argc > 1) {
        const arne_status found = arne_plan_available(&error);
        printf("%s\n", found == ARNE_OK ? "there is a solver" : error.text);
        as_asked = (found == ARNE_OK) == (strcmp(argv[1], "solver") == 0);
    }
    return right && same_version && as_asked ? 0 : 1;
}
