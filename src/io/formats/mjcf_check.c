// Elements and attributes of a file that the reader does not use, each named once, and those that
// MJCF does not have.
#include "base/error.h"
#include "io/formats/mjcf.h"
#include <arne/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Where an element may stand: inside of these tags. What is read and what is not, of its
// attributes; used NULL: the whole element is not used.
typedef struct check_row {
    const char *inside, *tag, *used, *unused;
} check_row;

#define TURN " pos quat axisangle xyaxes zaxis euler "
#define BODY " worldbody body frame replicate "
#define TENDON " springlength stiffness damping armature frictionloss "
#define TENDON_UNUSED                                                                              \
    " group limited actuatorfrclimited range actuatorfrcrange solreflimit solimplimit "            \
    "solreffriction solimpfriction margin user "
#define ACTUATOR_USED                                                                              \
    " name class joint jointinparent tendon gear ctrlrange forcerange ctrllimited forcelimited "   \
    "armature damping kp kv dampratio gainprm biastype biasprm "
#define ACTUATOR_UNUSED                                                                            \
    " group lengthrange actlimited actrange actdim actearly user site refsite cranksite "          \
    "slidersite body nsample interp delay cranklength inheritrange timeconst "                     \
    "dyntype dynprm gaintype area diameter bias range force scale lmin lmax vmax fpmax "           \
    "fvmax gain plugin instance "

static const check_row rows[] = {
    {"", "mujoco", " model ", ""},
    {"", "mujocoinclude", " model ", ""},
    {" mujoco ", "compiler",
     " angle eulerseq autolimits meshdir assetdir inertiafromgeom inertiagrouprange "
     "balanceinertia boundmass boundinertia settotalmass coordinate fusestatic "
     "alignfree ",
     " discardvisual texturedir strippath convexhull usethread exactmeshinertia saveinertial "
     "fitaabb "
     "conflict "},
    {" compiler ", "lengthrange", NULL, NULL},
    {" mujoco ", "option", " gravity timestep density viscosity wind ",
     " impratio magnetic o_margin o_solref o_solimp o_friction integrator cone jacobian "
     "solver iterations tolerance ls_iterations ls_tolerance noslip_iterations noslip_tolerance "
     "ccd_iterations ccd_tolerance sdf_iterations sdf_initpoints actuatorgroupdisable apirate "
     "collision mpr_iterations mpr_tolerance sleep_tolerance "},
    {" option ", "flag", " gravity ",
     " constraint equality frictionloss limit contact passive clampctrl warmstart filterparent "
     "actuation refsafe sensor midphase eulerdamp override energy fwdinv invdiscrete multiccd "
     "island nativeccd autoreset sensornoise spring damper sleep "},
    {" mujoco ", "size", NULL, NULL},
    {" mujoco ", "visual", NULL, NULL},
    {" mujoco ", "statistic", NULL, NULL},
    {" mujoco ", "custom", NULL, NULL},
    {" mujoco ", "sensor", NULL, NULL},
    {" mujoco ", "extension", NULL, NULL},
    {" mujoco ", "deformable", NULL, NULL},
    {" mujoco ", "keyframe", " ", ""},
    {" keyframe ", "key", " name qpos ", " time qvel act ctrl mpos mquat "},
    {" mujoco default ", "default", " class ", ""},
    {" default ", "tendon", TENDON, TENDON_UNUSED " width material rgba "},
    {" default ", "equality", " active ", " solref solimp "},
    {" mujoco ", "asset", " ", ""},
    {" asset ", "mesh", " name class file scale vertex face inertia refpos refquat ",
     " content_type smoothnormal maxhullvert normal texcoord builtin "
     "params material "},
    {" asset ", "material", " name class rgba ",
     " texture texrepeat texuniform emission specular shininess reflectance metallic roughness "},
    {" asset ", "model", " name file ", " content_type "},
    {" asset ", "texture", NULL, NULL},
    {" asset ", "hfield", NULL, NULL},
    {" asset ", "skin", NULL, NULL},
    {" mujoco ", "worldbody", " ", ""},
    {BODY, "body", " name childclass gravcomp" TURN, " mocap user sleep "},
    {BODY, "frame", " name childclass" TURN, ""},
    {BODY, "replicate", " count sep offset quat axisangle xyaxes zaxis euler ", ""},
    {BODY, "attach", " model body prefix ", ""},
    {BODY, "inertial", " mass diaginertia fullinertia" TURN, ""},
    {BODY, "joint",
     " name class type pos axis ref springref stiffness damping armature frictionloss range "
     "limited actuatorfrcrange actuatorfrclimited actuatorgravcomp springdamper ",
     " group solreflimit solimplimit solreffriction solimpfriction margin user "},
    {BODY, "freejoint", " name align ", " group "},
    {BODY, "geom",
     " name class type size fromto mass density group contype conaffinity shellinertia mesh rgba "
     "material friction" TURN,
     " condim priority solmix solref solimp margin gap hfield fitscale fluidshape fluidcoef user "},
    {BODY, "site", " name class fromto" TURN, " type size group material rgba user "},
    {BODY, "camera", " name class" TURN,
     " mode target orthographic fovy resolution focal focalpixel principal principalpixel "
     "sensorsize ipd user projection output "},
    {BODY, "light", NULL, NULL},
    {BODY, "composite", NULL, NULL},
    {BODY, "flexcomp", NULL, NULL},
    {BODY, "plugin", NULL, NULL},
    {" mujoco ", "contact", " ", ""},
    {" contact ", "pair", " name class geom1 geom2 friction ",
     " condim solref solreffriction solimp gap margin "},
    {" contact ", "exclude", " name body1 body2 ", ""},
    {" mujoco ", "equality", " ", ""},
    {" equality ", "connect", " name class active body1 body2 anchor site1 site2 ",
     " solref solimp "},
    {" equality ", "weld", " name class active body1 body2 relpose anchor site1 site2 ",
     " solref solimp torquescale "},
    {" equality ", "joint", " name class active joint1 joint2 polycoef ", " solref solimp "},
    {" equality ", "tendon", " name class active tendon1 tendon2 polycoef ", " solref solimp "},
    {" equality ", "flex", NULL, NULL},
    {" mujoco ", "tendon", " ", ""},
    {" tendon ", "fixed", " name class" TENDON, TENDON_UNUSED},
    {" fixed ", "joint", " joint coef ", ""},
    {" tendon ", "spatial", " name class" TENDON, TENDON_UNUSED " width material rgba "},
    {" spatial ", "site", " site ", ""},
    {" spatial ", "geom", " geom sidesite ", ""},
    {" spatial ", "pulley", " divisor ", ""},
    {" mujoco ", "actuator", " ", ""},
    {" actuator ", "general", ACTUATOR_USED, ACTUATOR_UNUSED},
    {" actuator ", "motor", ACTUATOR_USED, ACTUATOR_UNUSED},
    {" actuator ", "position", ACTUATOR_USED, ACTUATOR_UNUSED},
    {" actuator ", "velocity", ACTUATOR_USED, ACTUATOR_UNUSED},
    {" actuator ", "intvelocity", ACTUATOR_USED, ACTUATOR_UNUSED},
    {" actuator ", "damper", ACTUATOR_USED, ACTUATOR_UNUSED},
    {" actuator ", "cylinder", ACTUATOR_USED, ACTUATOR_UNUSED},
    {" actuator ", "muscle", ACTUATOR_USED, ACTUATOR_UNUSED},
    {" actuator ", "adhesion", NULL, NULL},
    {" actuator ", "plugin", NULL, NULL},
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

// What is not used, with how often it occurs.
typedef struct check_item {
    const char     *tag, *attribute; // attribute NULL: the element
    const xml_node *first;
    int             count;
} check_item;

typedef struct check_list {
    mjcf       *m;
    check_item *items;
    int         count, room;
} check_list;

static int has_word(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (const char *p = strstr(list, word); p && n; p = strstr(p + 1, word))
        if (p > list && p[-1] == ' ' && p[n] == ' ') return 1;
    return 0;
}

static arne_status mjcf_check_note(check_list *l, const xml_node *at, const char *attribute)
{
    for (int i = 0; i < l->count; i++) {
        check_item *k = &l->items[i];
        if (strcmp(k->tag, at->tag) != 0 || !k->attribute != !attribute) continue;
        if (attribute && strcmp(k->attribute, attribute) != 0) continue;
        k->count++;
        return ARNE_OK;
    }
    if (!mjcf_grow((void **)&l->items, l->count, &l->room, sizeof *l->items))
        return arne_fail_memory(l->m->r->error);
    l->items[l->count++] = (check_item){at->tag, attribute, at, 1};
    return ARNE_OK;
}

// Defaults have the tags of all sections.
static const check_row *find_row(const char *inside, const char *tag)
{
    const int   in_default = strcmp(inside, "default") == 0;
    const char *outer = strcmp(inside, "mujocoinclude") == 0 ? "mujoco" : inside;
    for (int i = 0; i < ROW_COUNT; i++) {
        if (strcmp(rows[i].tag, tag) != 0) continue;
        if (*outer ? has_word(rows[i].inside, outer) : !*rows[i].inside) return &rows[i];
        if (in_default && *rows[i].inside && !has_word(rows[i].inside, "mujoco")) return &rows[i];
    }
    return NULL;
}

static const char *attribute_at(const void *words, int index)
{
    return ((const char(*)[32])words)[index];
}

static int split_words(const char *list, char out[][32], int room)
{
    int count = 0;
    for (const char *p = list; count < room && *(p += strspn(p, " ")); p += strcspn(p, " "))
        snprintf(out[count++], 32, "%.*s", (int)strcspn(p, " "), p);
    return count;
}

static arne_status unknown_attribute(check_list *l, const xml_node *at, const check_row *row,
                                     const char *name)
{
    char words[100][32], near[200];
    int  count = split_words(row->used, words, 100);
    count += split_words(row->unused, words + count, 100 - count);
    arne_near_matches(name, attribute_at, words, count, near, sizeof near);
    reader own = *l->m->r;
    own.file = at->file;
    const arne_status status =
        arne_reader_unknown(&own, at->line, at->column,
                            "unknown attribute '%s' of <%s> is ignored%s", name, at->tag, near);
    l->m->r->unknown_count = own.unknown_count;
    return status;
}

static const char *tag_at(const void *unused, int index)
{
    (void)unused;
    return rows[index].tag;
}

static arne_status unknown_tag(check_list *l, const xml_node *at)
{
    char   near[200];
    reader own = *l->m->r;
    own.file = at->file;
    arne_near_matches(at->tag, tag_at, NULL, ROW_COUNT, near, sizeof near);
    const arne_status status = arne_reader_unknown(&own, at->line, at->column,
                                                   "unknown tag <%s> is ignored%s", at->tag, near);
    l->m->r->unknown_count = own.unknown_count;
    return status;
}

static arne_status mjcf_check_check_attributes(check_list *l, const xml_node *node,
                                               const check_row *row)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < node->attribute_count && !status; i++) {
        const char *name = node->attributes[i].name;
        if (has_word(row->used, name) || strncmp(name, "xmlns", 5) == 0 || strchr(name, ':'))
            continue;
        status = has_word(row->unused, name) ? mjcf_check_note(l, node, name)
                                             : unknown_attribute(l, node, row, name);
    }
    return status;
}

static arne_status check_node(check_list *l, const xml_node *node, const char *inside)
{
    const check_row *row = find_row(inside, node->tag);
    if (!row) return unknown_tag(l, node);
    if (!row->used)
        return strcmp(inside, "default") == 0 ? ARNE_OK : mjcf_check_note(l, node, NULL);
    arne_status status = mjcf_check_check_attributes(l, node, row);
    for (const xml_node *c = node->first; c && !status; c = c->next)
        status = check_node(l, c, node->tag);
    return status;
}

static arne_status mjcf_check_tell(check_list *l)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < l->count && !status; i++) {
        const check_item *k = &l->items[i];
        char              times[40] = "";
        if (k->count > 1) snprintf(times, sizeof times, " (%d times)", k->count);
        status =
            k->attribute
                ? xml_node_warn(l->m->r, "unused", k->first, "attribute '%s' of <%s> is not used%s",
                                k->attribute, k->tag, times)
                : xml_node_warn(l->m->r, "unused", k->first, "<%s> is not used%s", k->tag, times);
    }
    return status;
}

arne_status mjcf_check(mjcf *m, const xml_node *root)
{
    check_list  l = {.m = m};
    arne_status status = check_node(&l, root, "");
    for (const mjcf_model *k = m->models->next; k && !status; k = k->next)
        if (k->tree.root) status = check_node(&l, k->tree.root, "");
    if (!status) status = mjcf_check_tell(&l);
    free(l.items);
    return status;
}
