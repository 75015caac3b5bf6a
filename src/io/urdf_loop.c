// Loops and couplings of URDF+ (Chignoli et al., arXiv:2411.19753).
#include "base/error.h"
#include "io/urdf.h"
#include <string.h>

static arne_status read_loop_type(xml *x, arne_loop_kind *kind)
{
    static const struct {
        const char    *type;
        arne_loop_kind kind;
    } others[] = {{"continuous", ARNE_LOOP_REVOLUTE}, {"spherical", ARNE_LOOP_BALL}};
    const char       *type = NULL;
    const arne_status status = arne_xml_text(x, "type", &type);
    if (status) return status;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i].type, type) == 0) {
            *kind = others[i].kind;
            return ARNE_OK;
        }
    for (int i = 0; i < ARNE_LOOP_KIND_COUNT; i++)
        if (strcmp(arne_loop_kind_name((arne_loop_kind)i), type) == 0) {
            *kind = (arne_loop_kind)i;
            return ARNE_OK;
        }
    return arne_xml_fail(x, ARNE_VALUE,
                         "unknown loop type '%s' (there are revolute, prismatic, universal, ball, "
                         "fixed, planar_point, rod)",
                         type);
}

arne_status urdf_open_loop(xml *x)
{
    urdf *u = x->context;
    u->loop = arne_loop_spec_default();
    u->loop.axis = (arne_vec3){1, 0, 0};
    u->loop.place = urdf_place_of(x);
    arne_status status = urdf_open_owner(x);
    if (!status) status = arne_xml_numbers(x, "length", 1, &u->loop.length);
    return status ? status : read_loop_type(x, &u->loop.kind);
}

arne_status urdf_open_predecessor_origin(xml *x)
{
    arne_pose *X = &((urdf *)x->context)->loop.predecessor_origin;
    return urdf_read_pose(x, &X->p, &X->R);
}

arne_status urdf_open_successor_origin(xml *x)
{
    arne_pose *X = &((urdf *)x->context)->loop.successor_origin;
    return urdf_read_pose(x, &X->p, &X->R);
}

arne_status urdf_open_loop_axis(xml *x)
{
    urdf             *u = x->context;
    double            xyz[3] = {0};
    const arne_status status = arne_xml_required_numbers(x, "xyz", 3, xyz);
    if (!status) u->loop.axis = (arne_vec3){xyz[0], xyz[1], xyz[2]};
    return status;
}

arne_status urdf_close_loop(xml *x)
{
    urdf             *u = x->context;
    const arne_status ends = urdf_check_ends(x, "predecessor", "successor");
    if (!urdf_has_ends(u)) {
        urdf_close_owner(x);
        return ends;
    }
    u->loop.name = u->name;
    u->loop.predecessor = u->parent;
    u->loop.successor = u->child;
    const arne_status status =
        arne_builder_add_loop(x->reader->builder, &u->loop, x->reader->error);
    urdf_close_owner(x);
    return arne_reader_check(x->reader, status, x->line);
}

arne_status urdf_open_coupling(xml *x)
{
    urdf *u = x->context;
    u->ratio = 1;
    return urdf_open_owner(x);
}

arne_status urdf_open_ratio(xml *x)
{
    urdf *u = x->context;
    return arne_xml_required_numbers(x, "value", 1, &u->ratio);
}

// It is tied when all joints are known.
arne_status urdf_close_coupling(xml *x)
{
    urdf       *u = x->context;
    arne_status status = urdf_check_ends(x, "predecessor", "successor");
    if (!status && u->ratio == 0) status = arne_xml_fail(x, ARNE_VALUE, "its ratio is 0");
    if (!status && u->name &&
        !urdf_coupling_add(&u->couplings, u->name, u->parent, u->child, u->ratio, x->line))
        status = arne_fail_memory(x->reader->error);
    urdf_close_owner(x);
    return status;
}
