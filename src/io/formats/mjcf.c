// MJCF: the way through a file.
#include "io/formats/mjcf.h"
#include "base/error.h"
#include "io/poses.h"
#include "robot/builder.h"
#include <stdlib.h>
#include <string.h>

format_match mjcf_recognise(const format_sample *s)
{
    if (s->is_xml && (strcmp(s->root, "mujoco") == 0 || strcmp(s->root, "mujocoinclude") == 0))
        return FORMAT_SURE;
    return FORMAT_NO;
}

// Of <option>: gravity, and the step of simulations. What acts in a fluid is not part of a robot.
static arne_status read_option(mjcf *m, const xml_node *root)
{
    arne_status status = ARNE_OK;
    double      g[3] = {0, 0, -9.81}, fluid[2] = {0}, step = 0;
    for (const xml_node *k = root->first; k && status_goes_on(status); k = k->next) {
        if (strcmp(k->tag, "option") != 0) continue;
        status = status_both(status, mjcf_numbers(m, k, NULL, "gravity", 3, 3, g, NULL));
        status = status_both(status, mjcf_number(m, k, NULL, "timestep", &step));
        status = status_both(status, mjcf_number(m, k, NULL, "density", &fluid[0]));
        status = status_both(status, mjcf_number(m, k, NULL, "viscosity", &fluid[1]));
        const xml_node *flag = xml_node_child(k, "flag");
        if (flag && mjcf_is(xml_node_get(flag, "gravity"), "disable")) g[0] = g[1] = g[2] = 0;
        if (!status && (fluid[0] != 0 || fluid[1] != 0))
            status =
                xml_node_warn(m->r, "mjcf", k,
                              "the drag of the fluid (density, viscosity, wind) is not part of "
                              "the robot: see type fluid of `surroundings` in scenario files");
    }
    const arne_vec3 gravity = {g[0], g[1], g[2]};
    if (m->r->poses && step > 0) m->r->poses->step = step;
    return status ? status : arne_builder_set_gravity(m->r->builder, gravity);
}

// ---- keyframes

static arne_status mjcf_read_key(mjcf *m, const mjcf_place *at, const xml_node *node)
{
    (void)at;
    const char *name = xml_node_get(node, "name"), *text = xml_node_get(node, "qpos");
    int         room = 1, count = 0;
    for (const char *p = text; p && *p; p++) // more than there are numbers
        room += strchr(" \t\r\n", *p) != NULL;
    if (!name || !text || !m->r->poses) return ARNE_OK;
    double *qpos = robot_poses_add(m->r->poses, name, room);
    if (!qpos) return arne_fail_memory(m->r->error);
    const arne_status status = xml_node_numbers(m->r, node, "qpos", text, 0, room, qpos, &count);
    m->r->poses->item[m->r->poses->count - 1].count = count;
    return status;
}

// settotalmass. What does not move is part of the world with fusestatic, and has no mass then.
static void scale_masses(mjcf *m)
{
    const double  wanted = m->models->compiler.total_mass;
    arne_builder *b = m->r->builder;
    double        sum = 0;
    for (int i = 0; i < b->body_count; i++)
        sum += b->bodies[i].mass;
    for (int i = 0; i < m->body_count && m->models->compiler.fuse; i++)
        if (!m->bodies[i].moves) sum -= b->bodies[m->bodies[i].link].mass;
    for (int i = 0; i < b->body_count && wanted > 0 && sum > 0; i++) {
        b->bodies[i].mass *= wanted / sum;
        for (int k = 0; k < 6; k++)
            b->bodies[i].inertia[k] *= wanted / sum;
    }
}

// Everything that refers to bodies by name, of the file and of what is attached to it.
static arne_status read_references(mjcf *m, const xml_node *root, int equalities)
{
    const mjcf_place main = {.model = m->models, .prefix = "", .suffix = "", .body = -1};
    arne_status      status = ARNE_OK;
    for (int i = -1; i < m->attached_count && status_goes_on(status); i++) {
        mjcf_place      at = i < 0 ? main : m->attached[i];
        const xml_node *from = i < 0 ? root : at.model->tree.root;
        at.suffix = "";
        if (equalities) {
            status = status_both(status, mjcf_equalities(m, &at, from));
            continue;
        }
        status = status_both(status, mjcf_excludes(m, &at, from));
        status = status_both(status, mjcf_actuators(m, &at, from));
        status = status_both(status, mjcf_tendons(m, &at, from));
    }
    return status;
}

// Actuators first: what is driven does not follow. Equalities last: MuJoCo's inertias are without.
static arne_status read_ties(mjcf *m, const xml_node *root)
{
    arne_status status = read_references(m, root, 0);
    if (!status) scale_masses(m);
    if (!status) status = mjcf_free_armatures(m);
    if (!status) status = mjcf_tune_springs(m);
    if (status_goes_on(status) && !m->r->open)
        status = status_both(status, read_references(m, root, 1));
    if (!status) status = mjcf_compensate(m);
    return status ? status : mjcf_finish_actuators(m);
}

// What was counted is told once.
static arne_status tell_counts(mjcf *m)
{
    arne_status status = ARNE_OK;
    if (m->no_mass)
        status =
            xml_node_warn(m->r, "mesh", m->first_no_mass,
                          "%d bod%s (this is the first) ha%s the mass of meshes that are not "
                          "found or read (STL and OBJ are): add <inertial>",
                          m->no_mass, m->no_mass > 1 ? "ies" : "y", m->no_mass > 1 ? "ve" : "s");
    if (m->renamed && !status)
        status = xml_node_warn(m->r, "name", m->first_renamed,
                               "%d name%s taken already; the first is now '%s'", m->renamed,
                               m->renamed > 1 ? "s are" : " is", m->first_name);
    if (m->meshes && !status)
        status =
            xml_node_warn(m->r, "contact", m->first_mesh,
                          "%d geom%s (this is the first) cannot touch: the mesh is not found, or "
                          "it is an ellipsoid",
                          m->meshes, m->meshes > 1 ? "s" : "");
    if (m->paths && !status)
        status = xml_node_warn(m->r, "mjcf", m->first_path,
                               "%d spatial tendon%s (this is the first) pull%s in simulations, as "
                               "`muscles` of law tendon, not in inverse or forward dynamics",
                               m->paths, m->paths > 1 ? "s" : "", m->paths > 1 ? "" : "s");
    if (m->pairs && !status)
        status = xml_node_warn(m->r, "contact", m->first_pair,
                               "%d <pair>%s (this is the first) of two links %s not used: links "
                               "touch what is around them, not each other",
                               m->pairs, m->pairs > 1 ? "s" : "", m->pairs > 1 ? "are" : "is");
    if (m->pulls && !status)
        status = xml_node_warn(m->r, "mjcf", m->first_pull,
                               "%d actuator%s (this is the first) of spatial tendons %s not used",
                               m->pulls, m->pulls > 1 ? "s" : "", m->pulls > 1 ? "are" : "is");
    if (m->left && !status)
        status =
            xml_node_warn(m->r, "mjcf", m->first_left,
                          "what %d tendon%s (this is the first: %s) do%s to joints is not used",
                          m->left, m->left > 1 ? "s" : "", m->why_left, m->left > 1 ? "" : "es");
    return status;
}

static arne_status read_model(mjcf *m)
{
    const xml_node *root = m->models->tree.root;
    arne_status     status = ARNE_OK;
    if (strcmp(root->tag, "mujoco") != 0)
        return xml_node_fail(m->r, ARNE_UNSUPPORTED, root,
                             "this is a part of an MJCF file, which others include");
    if (!xml_node_child(root, "worldbody"))
        return xml_node_fail(m->r, ARNE_VALUE, root, "<mujoco> has no <worldbody>");
    if (m->models->name && *m->models->name)
        status = arne_reader_check(m->r, arne_builder_set_name(m->r->builder, m->models->name),
                                   root->line);
    if (status_goes_on(status)) status = status_both(status, read_option(m, root));
    if (status_goes_on(status)) status = status_both(status, mjcf_world(m, root));
    if (!status) status = read_ties(m, root);
    if (status_goes_on(status))
        status = status_both(status, mjcf_each(m, NULL, root, "keyframe", "key", mjcf_read_key));
    if (status_goes_on(status)) status = status_both(status, tell_counts(m));
    return status_goes_on(status) ? status_both(status, mjcf_check(m, root)) : status;
}

arne_status mjcf_read(reader *r, const char *text, size_t size)
{
    mjcf        m = {.r = r};
    mjcf_model *model = NULL;
    arne_status status = mjcf_load(&m, text, size, r->file, &model);
    if (model && model->tree.root && model->classes && status_goes_on(status))
        status = status_both(status, read_model(&m));
    if (status) r->builder->incomplete = 1;
    name_index_free(&m.frames);
    name_index_free(&m.body_names);
    name_index_free(&m.joint_names);
    name_index_free(&m.site_names);
    name_index_free(&m.geom_names);
    name_index_free(&m.path_names);
    free(m.geoms);
    free(m.bodies);
    free(m.joints);
    free(m.sites);
    free(m.attached);
    mjcf_models_free(&m);
    return status;
}
