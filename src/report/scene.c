#include "report/scene.h"
#include "robot/joint.h"

#include "math/lower.h"
#include "report/data_block.h"
#include "robot/functions.k.h"
#include "robot/robot.h"
#include <arne/loop.h>
#include <math.h>
#include <stdlib.h>

static void next(buffer *b, int index) { put(b, "%s", index ? "," : ""); }

static void put_key_text(buffer *b, const char *key, const char *text)
{
    put(b, "\"%s\":", key);
    block_text(b, text);
}

static void put_key_number(buffer *b, const char *key, double value)
{
    put(b, ",\"%s\":", key);
    block_number(b, value, 9);
}

// --- what moves

static void put_bodies(buffer *b, const arne_robot *r, int count)
{
    put(b, "\"bodies\":[");
    for (int i = 0; i < count; i++) {
        const body      *x = &robot_bodies(r)[i];
        const arne_pose  at = {{lower(lift4(&x->placement.x)), lower(lift4(&x->placement.y)),
                                lower(lift4(&x->placement.z))},
                               lower(lift4(&x->placement.p))};
        const mass_cloud m = body_cloud(r, i);
        next(b, i);
        put(b, "{\"parent\":%d,\"kind\":\"%s\",\"q\":%d", i ? x->parent : -1,
            i ? arne_joint_kind_name((arne_joint_kind)x->kind) : "base", i ? x->q_start : 0);
        if (i && x->pitch != 0) put_key_number(b, "pitch", x->pitch);
        if (i) {
            put(b, ",\"at\":");
            block_pose(b, &at);
        }
        if (m.mass > 0) {
            put_key_number(b, "mass", m.mass);
            put(b, ",\"spread\":");
            block_vector(b, (arne_vec3){m.spread[0], m.spread[1], m.spread[2]});
            put(b, ",\"cloud\":");
            block_pose(b, &m.at);
        }
        put(b, "}");
    }
    put(b, "],\n");
}

// Coordinates of the tree that are not the user's own: [offset, from, ratio, from, ratio, ...].
static void put_sources(buffer *b, const arne_robot *r)
{
    put(b, "\"tree\":[");
    for (int k = 0; r->shares_coordinates && k < r->tree_q_count; k++) {
        const source *s = &robot_q_sources(r)[k];
        next(b, k);
        put(b, "[");
        block_number(b, s->offset, 12);
        put(b, ",%d,", s->from);
        block_number(b, s->ratio, 12);
        for (int i = 0; i < r->term_count; i++) {
            const term *t = &robot_terms(r)[i];
            if (t->q != k) continue;
            put(b, ",%d,", t->from_q);
            block_number(b, t->ratio, 12);
        }
        put(b, "]");
    }
    put(b, "],\n");
}

static void put_numbers(buffer *b, const double *numbers, int count)
{
    put(b, "[");
    for (int i = 0; i < count; i++) {
        next(b, i);
        block_number(b, numbers[i], 12);
    }
    put(b, "]");
}

// What these take up by functions, or as products: [coordinate, from, times or -1, factor, stages].
static void put_bends(buffer *b, const arne_robot *r)
{
    static const char *const forms[] = {
        [FORM_POLYNOMIAL] = "polynomial", [FORM_SINE] = "sine", [FORM_PIECES] = "pieces"};
    put(b, "\"bends\":[");
    for (int i = 0; i < r->bend_count; i++) {
        const bend_record *e = &robot_bends(r)[i];
        next(b, i);
        put(b, "{\"q\":%d,\"from\":%d,\"times\":%d,\"factor\":", e->q, e->from_q, e->other_q);
        block_number(b, e->factor, 12);
        put(b, ",\"stages\":[");
        for (int k = 0; k < e->stage_count; k++) {
            const stage_record *s = &robot_stages(r)[e->stage + k];
            const int           count =
                s->form == FORM_PIECES ? PIECES_HEAD + PIECE_SIZE * s->count : s->count;
            next(b, k);
            put(b, "{\"form\":\"%s\",\"numbers\":", forms[s->form]);
            put_numbers(b, robot_curve_numbers(r) + s->at, count);
            put(b, "}");
        }
        put(b, "]}");
    }
    put(b, "],\n");
}

// Poses that are exponentials of twists, where there are any: seven coordinates of the tree from q
// on; columns are [from, strain, weight, weight].
static void put_exponents(buffer *b, const arne_robot *r)
{
    if (!r->exponent_count) return;
    put(b, "\"exponents\":[");
    for (int i = 0; i < r->exponent_count; i++) {
        const exponent_record *e = &robot_exponents(r)[i];
        next(b, i);
        put(b, "{\"q\":%d,\"length\":", e->q);
        block_number(b, e->length, 12);
        put(b, ",\"rest\":[");
        put_numbers(b, e->rest[0], ARNE_STRAIN_COUNT);
        put(b, ",");
        put_numbers(b, e->rest[1], ARNE_STRAIN_COUNT);
        put(b, "],\"columns\":[");
        for (int k = 0; k < e->count; k++) {
            const exponent_column *c = &robot_exponent_columns(r)[e->start + k];
            const double           numbers[] = {c->from_q, c->strain, c->weight[0], c->weight[1]};
            next(b, k);
            put_numbers(b, numbers, 4);
        }
        put(b, "]}");
    }
    put(b, "],\n");
}

static void scene_put_joints(buffer *b, const arne_robot *r)
{
    const int count = arne_robot_sizes(r).joint_count;
    put(b, "\"joints\":[");
    for (int i = 0; i < count; i++) {
        const arne_joint_info j = arne_robot_joint(r, i);
        next(b, i);
        put(b, "{");
        put_key_text(b, "name", j.name);
        put(b, ",\"kind\":\"%s\",\"body\":%d,\"q\":%d,\"count\":%d,\"v\":%d,\"passive\":%s",
            arne_joint_kind_name(j.kind), robot_joints(r)[i].body, j.q_start, j.q_count, j.v_start,
            j.passive && arne_robot_sizes(r).loop_count ? "true" : "false");
        put_key_number(b, "lower", j.lower);
        put_key_number(b, "upper", j.upper);
        put_key_number(b, "effort", j.effort);
        put(b, ",\"unit\":\"%s\"", joint_is_slide(j.kind) ? "m" : "rad");
        if (j.mimic >= 0) put(b, ",\"mimic\":%d", j.mimic);
        put(b, "}");
    }
    put(b, "],\n");
}

static void scene_put_frames(buffer *b, const arne_robot *r)
{
    put(b, "\"frames\":[");
    for (int i = 0; i < r->frame_count; i++) {
        const arne_frame_info f = arne_robot_frame(r, i);
        next(b, i);
        put(b, "{");
        put_key_text(b, "name", f.name);
        put(b, ",\"body\":%d,\"heavy\":%s,\"at\":", f.body,
            f.is_link && f.mass > 0 ? "true" : "false");
        block_pose(b, &f.pose);
        put(b, "}");
    }
    put(b, "],\n");
}

static void put_loops(buffer *b, const arne_robot *r)
{
    put(b, "\"loops\":[");
    for (int i = 0; i < r->loop_count; i++) {
        const loop_record   *l = &robot_loops(r)[i];
        const arne_loop_info info = arne_robot_loop(r, i);
        next(b, i);
        put(b, "{\"kind\":\"%s\",\"bodies\":[%d,%d],\"at\":[", arne_loop_kind_name(info.kind),
            l->body[0], l->body[1]);
        block_pose(b, &l->at[0]);
        put(b, ",");
        block_pose(b, &l->at[1]);
        put(b, "]");
        put_key_number(b, "length", info.length);
        put(b, "}");
    }
    put(b, "],\n");
}

// --- what is seen

static void put_solid(buffer *b, const solid_list *list, const solid *s)
{
    static const char *const kinds[SOLID_KIND_COUNT] = {"capsule", "cylinder", "box", "ellipsoid",
                                                        "plate",   "rod",      "mesh"};
    static const char *const tones[TONE_COUNT] = {"link",  "joint", "base",
                                                  "slide", "left",  "right"};
    put(b, "{\"kind\":\"%s\",\"tone\":\"%s\",\"body\":%d,\"at\":", kinds[s->kind], tones[s->tone],
        s->body);
    block_pose(b, &s->at);
    put(b, ",\"size\":");
    block_vector(b, (arne_vec3){s->size[0], s->size[1], s->size[2]});
    if (s->kind == SOLID_MESH) put(b, ",\"mesh\":%d", s->mesh);
    for (int i = 0; i < 4 && s->has_colour; i++) {
        put(b, i ? "," : ",\"colour\":[");
        block_number(b, s->colour[i], 5);
    }
    if (s->has_colour) put(b, "]");
    if (s->muscle) put(b, ",\"muscle\":%d", s->muscle - 1);
    if (s->kind == SOLID_ROD) {
        put(b, ",\"other\":%d,\"far\":", s->other);
        block_vector(b, s->far);
    }
    for (int i = 0; i < s->corner_count; i++) {
        put(b, i ? "," : ",\"corners\":[");
        block_vector(b, list->corners[s->corner_start + i]);
    }
    put(b, s->corner_count ? "]}" : "}");
}

static arne_vec3 up_of(upright u)
{
    return (arne_vec3){u.axis == 0 ? u.sign : 0, u.axis == 1 ? u.sign : 0,
                       u.axis == 2 ? u.sign : 0};
}

// The looks as if no mesh were found.
static arne_status dress_plainly(const scene *s, solid_list *list)
{
    looks plain = *s->looks;
    plain.mesh = malloc(((size_t)plain.visuals.count + 1) * sizeof *plain.mesh);
    for (int i = 0; plain.mesh && i < plain.visuals.count; i++)
        plain.mesh[i] = -1;
    const arne_status status = plain.mesh ? solids_dress(s->robot, &plain, list) : ARNE_NO_MEMORY;
    free(plain.mesh);
    return status;
}

// Places of the picture's axes are no more than turned: distances are the same.
arne_status scene_solids(const scene *s, int without_meshes, solid_list *out)
{
    *out = (solid_list){0};
    if (!s->figure->frame_count) return ARNE_OK;
    arne_status status = solids_make(s->robot, &s->figure->skeleton, figure_frame(s->figure, 0),
                                     up_of(s->figure->up), out);
    if (!status) solids_thin(s->robot, out);
    if (!status && s->looks)
        status = without_meshes ? dress_plainly(s, out) : solids_dress(s->robot, s->looks, out);
    return status ? status : solids_add_muscles(s->robot, out);
}

static void put_solids(buffer *b, const scene *s)
{
    solid_list list;
    if (scene_solids(s, 0, &list)) b->failed = 1;
    put(b, "\"solids\":[");
    for (int i = 0; i < list.count; i++) {
        next(b, i);
        put_solid(b, &list, &list.item[i]);
    }
    put(b, "],\n\"tips\":[");
    for (int i = 0; i < s->figure->skeleton.tip_count; i++) {
        const skeleton_point *p = &s->figure->skeleton.points[s->figure->skeleton.tips[i]];
        next(b, i);
        put(b, "{\"body\":%d,\"at\":", p->body);
        block_vector(b, p->at);
        put(b, "}");
    }
    put(b, "],\n");
    solids_free(&list);
}

static void put_view(buffer *b, const scene *s)
{
    const figure *f = s->figure;
    // A run that recorded no positions has no picture to follow.
    const int root = f->frame_count && f->follow >= 0 ? f->skeleton.points[f->follow].body : -1;
    put(b, "\"view\":{\"turn\":");
    block_number(b, f->view.turn, 6);
    put_key_number(b, "raise", f->view.raise);
    put(b, ",\"follow\":%d,\"up\":", root);
    block_vector(b, up_of(f->up));
    put(b, ",\"right\":");
    // The first axis of the picture, as a direction of the world.
    block_vector(b, (arne_vec3){(f->up.axis + 1) % 3 == 0, (f->up.axis + 1) % 3 == 1,
                                (f->up.axis + 1) % 3 == 2});
    put_key_number(b, "ground", f->frame_count ? f->ground : NAN);
    put(b, "},\n");
}

void scene_put(buffer *b, const scene *s)
{
    const arne_robot *r = s->robot;
    put(b, "{");
    put_key_text(b, "name", arne_robot_name(r));
    put(b, ",\"base\":%d,\"gravity\":", arne_robot_base(r));
    block_vector(b, arne_robot_gravity(r));
    put(b, ",\"q\":[");
    for (int i = 0; i < r->q_count; i++) {
        next(b, i);
        block_number(b, s->q[i], 12);
    }
    put(b, "],\n");
    put_bodies(b, r, r->rotor_start);
    put_sources(b, r);
    put_bends(b, r);
    put_exponents(b, r);
    scene_put_joints(b, r);
    scene_put_frames(b, r);
    put_loops(b, r);
    put_solids(b, s);
    put_view(b, s);
    looks_put_meshes(b, s->looks);
    put(b, "}");
}

void scene_put_motion(buffer *b, const char *name, int robot, int is_ghost, const figure *f,
                      int muscles, const float *activations)
{
    const size_t frames = (size_t)f->frame_count;
    float       *times = malloc((frames + 1) * sizeof *times);
    if (!times) {
        b->failed = 1;
        return;
    }
    for (size_t i = 0; i < frames; i++)
        times[i] = (float)f->times[i];
    put(b, "{\"name\":");
    block_text(b, name);
    put(b, ",\"robot\":%d,\"ghost\":%s,\"times\":", robot, is_ghost ? "true" : "false");
    block_floats(b, times, frames);
    put(b, ",\"poses\":");
    block_floats(b, f->poses, frames * (size_t)f->body_count * 7);
    put(b, ",\"coms\":");
    block_floats(b, f->coms, frames * 3);
    if (muscles) put(b, ",\"activations\":");
    if (muscles) block_floats(b, activations, frames * (size_t)muscles);
    put(b, "}");
    free(times);
}
