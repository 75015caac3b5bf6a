// five_bar [ROBOT [FOLDER]]: where the tool of a five-bar can go, and how near a singularity it is
// there, as a picture.
#include <arne/arne.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 160, ROWS = 200, CLASSES = 7 };
static const double CELL = 0.006, LEFT = -0.33, BOTTOM = -0.6; // m

// Conditions of the loop up to which a class goes; the last has those that are larger.
static const double      bounds[CLASSES - 1] = {2, 3, 5, 10, 30, 100};
static const char *const colours[CLASSES] = {"#1a6b54", "#3f9a6c", "#8cc084", "#e3d985",
                                             "#e8a35c", "#d2603f", "#8c1c2b"};

typedef struct machine {
    arne_robot     *robot;
    arne_work      *work;
    arne_loop_work *loop;
    arne_vec3       bearing[2];
    double          crank[2], coupler[2];
} machine;

typedef struct map {
    signed char class_at[ROWS][COLUMNS]; // -1: out of reach
    int         inside, count[CLASSES];
    double      worst_gap; // of closure, m
} map;

static double length_of(arne_vec3 a) { return sqrt(a.x * a.x + a.y * a.y); }

// The bars, from the robot's own frames: a crank goes from its motor to its elbow, a coupler from
// there to the pin.
static int measure(machine *m)
{
    static const char *const motors[2] = {"motor1", "motor2"}, *const elbows[2] = {"elbow1",
                                                                                   "elbow2"};
    const arne_sizes size = arne_robot_sizes(m->robot);
    double           q[4] = {0};
    if (size.q_count != 4 || size.loop_count != 1) return 0;
    arne_kinematics(m->robot, m->work, q, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        const int motor = arne_find_joint(m->robot, motors[i]);
        const int elbow = arne_find_joint(m->robot, elbows[i]);
        if (motor < 0 || elbow < 0) return 0;
        const arne_joint_info a = arne_robot_joint(m->robot, motor);
        const arne_joint_info b = arne_robot_joint(m->robot, elbow);
        const arne_vec3       from = arne_frame_pose(m->robot, m->work, a.child).p;
        const arne_vec3       to = arne_frame_pose(m->robot, m->work, b.child).p;
        m->bearing[i] = from;
        m->crank[i] = length_of((arne_vec3){to.x - from.x, to.y - from.y, 0});
        m->coupler[i] = length_of(arne_robot_loop(m->robot, 0).at[i].p);
        if (a.q_start != 2 * i || b.q_start != 2 * i + 1) return 0;
    }
    return 1;
}

// Crank and elbow for a place of the pin, with the elbow turned to one side; 0 where it is out of
// reach.
static int reach(const machine *m, int i, double x, double y, double side, double *q)
{
    const double a = m->crank[i], b = m->coupler[i];
    const double dx = x - m->bearing[i].x, dy = y - m->bearing[i].y;
    const double cosine = (dx * dx + dy * dy - a * a - b * b) / (2 * a * b);
    if (!(fabs(cosine) <= 1)) return 0;
    q[1] = side * acos(cosine);
    q[0] = atan2(dy, dx) - atan2(b * sin(q[1]), a + b * cos(q[1]));
    return 1;
}

// 0 out of reach, -1 failed; the elbows are outside, as at the robot's start.
static int analyse(machine *m, double x, double y, arne_loop_report *report, double *gap,
                   arne_error *error)
{
    double q[4];
    if (!reach(m, 0, x, y, -1, q) || !reach(m, 1, x, y, 1, q + 2)) return 0;
    *gap = arne_loop_closure(m->robot, m->work, m->loop, q, NULL);
    return arne_loop_analyse(m->robot, m->work, m->loop, q, report, NULL, error) ? -1 : 1;
}

static int class_of(const arne_loop_report *report)
{
    int k = 0;
    while (k < CLASSES - 1 && report->condition > bounds[k])
        k++;
    return report->singular ? CLASSES - 1 : k;
}

static int fill(machine *m, map *out, arne_error *error)
{
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < COLUMNS; k++) {
            arne_loop_report report;
            double           gap = 0;
            const int        found = analyse(m, LEFT + (k + 0.5) * CELL, BOTTOM + (i + 0.5) * CELL,
                                             &report, &gap, error);
            out->class_at[i][k] = -1;
            if (found < 0) return 0;
            if (!found) continue;
            out->class_at[i][k] = (signed char)class_of(&report);
            out->count[class_of(&report)]++;
            out->inside++;
            out->worst_gap = fmax(out->worst_gap, gap);
        }
    return 1;
}

// ---- the picture ----

static const double SCALE = 4; // pixels of a cell
static double       across(double x) { return 20 + (x - LEFT) / CELL * SCALE; }
static double       down(double y) { return 50 + (ROWS - (y - BOTTOM) / CELL) * SCALE; }

static void draw_cells(const map *r, FILE *out)
{
    for (int i = 0; i < ROWS; i++)
        for (int k = 0, end; k < COLUMNS; k = end) { // equal neighbours are one rectangle
            for (end = k + 1; end < COLUMNS && r->class_at[i][end] == r->class_at[i][k]; end++)
                ;
            if (r->class_at[i][k] < 0) continue;
            fprintf(out, "<rect x='%.0f' y='%.0f' width='%.0f' height='%.0f' fill='%s'/>\n",
                    20 + k * SCALE, 50 + (ROWS - 1 - i) * SCALE, (end - k) * SCALE, SCALE,
                    colours[(int)r->class_at[i][k]]);
        }
}

static void draw_bars(const machine *m, double x, double y, FILE *out)
{
    for (int i = 0; i < 2; i++) {
        double q[2];
        if (!reach(m, i, x, y, i ? 1 : -1, q)) continue;
        const double ex = m->bearing[i].x + m->crank[i] * cos(q[0]);
        const double ey = m->bearing[i].y + m->crank[i] * sin(q[0]);
        fprintf(out,
                "<polyline points='%.1f,%.1f %.1f,%.1f %.1f,%.1f' fill='none' stroke='#222' "
                "stroke-width='4' stroke-linejoin='round'/>\n",
                across(m->bearing[i].x), down(m->bearing[i].y), across(ex), down(ey), across(x),
                down(y));
        fprintf(out, "<circle cx='%.1f' cy='%.1f' r='6' fill='#fff' stroke='#222'/>\n",
                across(m->bearing[i].x), down(m->bearing[i].y));
    }
}

static void draw_legend(FILE *out)
{
    const double x = 40 + COLUMNS * SCALE;
    fprintf(out, "<text x='%.0f' y='64'>condition</text>\n", x);
    for (int k = 0; k < CLASSES; k++) {
        const double y = 76 + 26 * k;
        fprintf(out, "<rect x='%.0f' y='%.0f' width='20' height='20' fill='%s'/>\n", x, y,
                colours[k]);
        if (k < CLASSES - 1)
            fprintf(out, "<text x='%.0f' y='%.0f'>up to %g</text>\n", x + 28, y + 15, bounds[k]);
        else
            fprintf(out, "<text x='%.0f' y='%.0f'>more, or singular</text>\n", x + 28, y + 15);
    }
}

static void draw(const machine *m, const map *r, FILE *out)
{
    const double width = 220 + COLUMNS * SCALE, height = 90 + ROWS * SCALE;
    fprintf(out,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %.0f %.0f' "
            "shape-rendering='crispEdges' "
            "font-family='sans-serif' font-size='14'>\n<rect width='%.0f' height='%.0f' "
            "fill='#fff'/>\n",
            width, height, width, height);
    fprintf(out, "<text x='20' y='30' font-size='18'>Where a five-bar's tool can go, elbows "
                 "outside, and how near a singularity it is</text>\n");
    draw_cells(r, out);
    draw_bars(m, 0.15, 0.45, out);
    draw_legend(out);
    fprintf(out, "<path d='M%.1f %.1fh%.1f' stroke='#222' stroke-width='2'/>\n", across(LEFT) + 10,
            height - 20, 0.1 / CELL * SCALE);
    fprintf(out, "<text x='%.1f' y='%.1f'>0.1 m</text>\n</svg>\n", across(LEFT) + 20, height - 26);
}

static int write_picture(const machine *m, const map *r, const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/five_bar.svg", folder);
    FILE *out = fopen(path, "w");
    int   fine = out != NULL;
    if (out) {
        draw(m, r, out);
        fine = !ferror(out);
        fine = fclose(out) == 0 && fine;
    }
    if (fine)
        printf("\nWritten:\n  %s\n", path);
    else
        fprintf(stderr, "five_bar: %s: %s\n", path, strerror(errno));
    return fine;
}

// ---- figures ----

static void print_map(const map *r)
{
    printf("A five-bar with its elbows outside\n\n  workspace   %.4f m^2\n",
           r->inside * CELL * CELL);
    for (int k = 0; k < CLASSES; k++)
        if (k < CLASSES - 1)
            printf("  condition up to %-5g %5.1f %%\n", bounds[k], 100. * r->count[k] / r->inside);
        else
            printf("  more, or singular     %5.1f %%\n", 100. * r->count[k] / r->inside);
}

// Where the couplers are in line the pin can move though the cranks stand: a place on the axis of
// symmetry.
static int print_singular(machine *m, arne_error *error)
{
    const double     half = (m->bearing[1].x - m->bearing[0].x) / 2, far = m->coupler[0] - half;
    const double     x = m->bearing[0].x + half, y = sqrt(m->crank[0] * m->crank[0] - far * far);
    arne_loop_report at, above;
    double           gap = 0;
    if (analyse(m, x, y, &at, &gap, error) != 1) return 0;
    if (analyse(m, x, y + 0.01, &above, &gap, error) != 1) return 0;
    printf("\n  at (%.4f, %.4f) m the couplers are in line: %s\n", x, y,
           at.singular ? "singular" : "not singular");
    printf("  10 mm above the condition is %.1f\n", above.condition);
    return at.singular;
}

static int run(machine *m, const char *folder)
{
    map        r = {.inside = 0};
    arne_error error = {0};
    if (!measure(m)) {
        fprintf(stderr, "five_bar: the robot is not a five-bar like robots/five_bar.yaml\n");
        return 1;
    }
    if (!fill(m, &r, &error) || r.inside == 0) {
        fprintf(stderr, "five_bar: %s\n", error.text[0] ? error.text : "nothing is in reach");
        return 1;
    }
    print_map(&r);
    if (!print_singular(m, &error)) {
        fprintf(stderr, "five_bar: no singularity where the couplers are in line %s\n", error.text);
        return 1;
    }
    return write_picture(m, &r, folder) && r.worst_gap < 1e-12 ? 0 : 1;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "robots/five_bar.yaml";
    const char *folder = argc > 2 ? argv[2] : ".";
    machine     m = {.robot = NULL};
    arne_error  error = {0};
    if (argc > 3 || path[0] == '-') {
        fprintf(stderr, "usage: five_bar [ROBOT [FOLDER]]\n");
        return 2;
    }
    arne_status status = arne_robot_read(path, NULL, &m.robot, &error);
    if (status == ARNE_OK) status = arne_work_new(m.robot, &m.work);
    if (status == ARNE_OK) status = arne_loop_work_new(m.robot, &m.loop);
    if (status != ARNE_OK)
        fprintf(stderr, "five_bar: %s:%d: %s\n", path, error.line,
                error.text[0] ? error.text : arne_status_text(status));
    const int code = status == ARNE_OK ? run(&m, folder) : 1;
    arne_loop_work_free(m.loop);
    arne_work_free(m.work);
    arne_robot_free(m.robot);
    return code;
}
