// Reports: what is drawn is what was recorded, names stay text, pages stay small, and a folder that
// is no run is refused with file and line.
#define _POSIX_C_SOURCE 200809L
#include "base/random.h"
#include "report/axis_scale.h"
#include "report/curve.h"
#include "report/markup.h"
#include "report/motion.h"
#include "report/page.h"
#include "report/plot.h"
#include "sample_run.h"
#include "testing.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

// --- markup --------------------------------------------------------------------------------------

static void assert_text(const char *text, const char *markup)
{
    buffer b = {0};
    put_text(&b, text);
    assert_string_equal(b.text ? b.text : "", markup);
    buffer_free(&b);
}

static void names_become_text(void **unused)
{
    (void)unused;
    assert_text("joint_1", "joint_1");
    assert_text("</script>", "&lt;/script&gt;");
    assert_text("a\" onload='b' & c", "a&quot; onload=&#39;b&#39; &amp; c");
    assert_text("a\nb\x01", "a?b?");
    assert_text("\xc3\xa9\xff\xef\xbf\xbe", "\xc3\xa9??");
}

static void assert_value(double value, int digits, const char *shown)
{
    buffer b = {0};
    put_value(&b, value, digits);
    assert_string_equal(b.text, shown);
    buffer_free(&b);
}

static void values_are_readable(void **unused)
{
    (void)unused;
    assert_value(0, 4, "0");
    assert_value(-1.25, 4, "\u22121.25");
    assert_value(1.2345e-11, 5, "1.2345\u00d710\u207b\u00b9\u00b9");
    assert_value(2e20, 3, "2\u00d710\u00b2\u2070");
    assert_value(INFINITY, 3, "\u221e");
    assert_value(NAN, 3, "\u2013");
}

// --- axes ----------------------------------------------------------------------------------------

static void ticks_are_nice(void **unused)
{
    (void)unused;
    uint64_t seed = 11;
    for (int trial = 0; trial < 2000; trial++) {
        range        r = range_none();
        const double size = pow(10, random_between(&seed, -12, 12));
        const double at = trial % 3 ? 0 : random_between(&seed, -1, 1) * size * 50;
        range_take(&r, at + random_between(&seed, -1, 0) * size);
        range_take(&r, at + random_between(&seed, 0, 1) * size);
        const scale s = scale_make(r, 0.05, 5, 0, 100);
        const int   count = scale_ticks(&s);
        assert_in_range(count, 2, 12);
        assert_true(s.low <= r.low && s.high >= r.high);
        const double digit = s.step / pow(10, floor(log10(s.step) + 1e-9));
        assert_true(fabs(digit - 1) < 1e-6 || fabs(digit - 2) < 1e-6 || fabs(digit - 5) < 1e-6);
        char last[64] = "";
        for (int k = 0; k < count; k++) {
            buffer b = {0};
            scale_label(&b, &s, k);
            assert_string_not_equal(b.text, last); // labels tell ticks apart
            assert_true(strlen(b.text) < 16);
            snprintf(last, sizeof last, "%s", b.text);
            buffer_free(&b);
            const double place = scale_place(&s, scale_tick(&s, k));
            assert_true(place > -1e-6 && place < 100 + 1e-6);
        }
    }
}

static void constants_have_a_scale(void **unused)
{
    (void)unused;
    const double values[] = {0, 1, -3.5e9, 1e-300};
    for (int i = 0; i < 4; i++) {
        range r = range_none();
        range_take(&r, values[i]);
        const scale s = scale_make(r, 0.05, 5, 0, 100);
        assert_true(s.low < values[i] && s.high > values[i]);
        assert_in_range(scale_ticks(&s), 2, 12);
    }
}

// --- lines ---------------------------------------------------------------------------------------

static double distance_to(const point *line, int count, point p)
{
    double best = INFINITY;
    for (int i = 0; i + 1 < count; i++) {
        const double x = line[i + 1].x - line[i].x, y = line[i + 1].y - line[i].y;
        double       t = ((p.x - line[i].x) * x + (p.y - line[i].y) * y) / (x * x + y * y + 1e-300);
        t = fmin(1, fmax(0, t));
        best = fmin(best, hypot(p.x - line[i].x - t * x, p.y - line[i].y - t * y));
    }
    return best;
}

static void few_points_look_the_same(void **unused)
{
    (void)unused;
    enum { COUNT = 5000 };
    static point all[COUNT], few[COUNT];
    for (int i = 0; i < COUNT; i++) {
        const double t = i / (double)COUNT;
        all[i] = few[i] = (point){300 + 200 * cos(9 * t), 200 + 150 * sin(14 * t)};
    }
    const int count = curve_simplify(few, COUNT, 0.05);
    assert_in_range(count, 20, 600);
    for (int i = 0; i < COUNT; i++)
        assert_true(distance_to(few, count, all[i]) < 0.0501);
}

static void extremes_survive(void **unused)
{
    (void)unused;
    enum { COUNT = 100000 };
    point   *p = malloc(COUNT * sizeof *p);
    uint64_t seed = 3;
    for (int i = 0; i < COUNT; i++)
        p[i] = (point){500.0 * i / COUNT, random_between(&seed, 100, 101)};
    p[31234].y = 7; // one sample each
    p[77777].y = 290;
    const int count = curve_extremes(p, COUNT, 2);
    assert_in_range(count, 4, 1004);
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < count; i++) {
        low = fmin(low, p[i].y);
        high = fmax(high, p[i].y);
        if (i) assert_true(p[i].x >= p[i - 1].x);
    }
    assert_true(low == 7 && high == 290);
    free(p);
}

// --- the stick figure ----------------------------------------------------------------------------

static double apart(arne_vec3 a, arne_vec3 b)
{
    return hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z);
}

// Links are rigid: their sticks keep their length, whatever the robot does; and every link's frame
// that has a place of its own is one of the points.
static void sticks_are_rigid(void **unused)
{
    (void)unused;
    EACH_ROBOT_OF (robot, work, 60) {
        skeleton s;
        assert_int_equal(skeleton_make(robot, &s), ARNE_OK);
        const size_t room = (size_t)s.point_count + 1;
        arne_vec3   *at = malloc(room * sizeof *at);
        double      *length = malloc(((size_t)s.stick_count + 1) * sizeof *length), q[1024];
        uint64_t     seed = 5;
        for (int trial = 0; trial < 5; trial++) {
            arne_random_configuration(robot, &seed, q);
            arne_kinematics(robot, work, q, NULL, NULL);
            skeleton_places(&s, robot, work, at);
            for (int k = 0; k < s.stick_count; k++) {
                const double now = apart(at[s.sticks[k].from], at[s.sticks[k].to]);
                if (!trial) length[k] = now;
                if (s.sticks[k].kind == STICK_LINK)
                    assert_true(fabs(now - length[k]) < 1e-9 * (1 + now));
            }
            for (int f = 0; f < arne_robot_sizes(robot).link_count; f++) {
                double nearest = INFINITY;
                if (arne_robot_frame(robot, f).body == 0 || arne_robot_frame(robot, f).mass == 0)
                    continue;
                for (int k = 0; k < s.point_count; k++)
                    nearest = fmin(nearest, apart(at[k], arne_frame_pose(robot, work, f).p));
                assert_true(nearest < 1e-8);
            }
        }
        free(at);
        free(length);
        skeleton_free(&s);
    }
}

// A parallelogram of four bars, cut between coupler and rocker.
static arne_robot *four_bars(void)
{
    static const char *const link[] = {"crank", "coupler", "rocker"}, *const parent[] = {
                                                                          "base", "crank", "base"};
    static const double at[] = {0, 0.3, 1};
    arne_builder       *builder = NULL;
    arne_robot         *robot = NULL;
    arne_body_spec      body = arne_body_spec_default();
    arne_loop_spec      loop = arne_loop_spec_default();
    assert_int_equal(arne_builder_new(&builder), ARNE_OK);
    body.name = "base";
    assert_int_equal(arne_builder_add_body(builder, &body, NULL), ARNE_OK);
    for (int i = 0; i < 3; i++) {
        arne_joint_spec joint = arne_joint_spec_default();
        body.name = joint.name = joint.child = link[i];
        body.mass = 1;
        joint.parent = parent[i];
        joint.origin.p.x = at[i];
        joint.actuation = i ? ARNE_ACTUATION_PASSIVE : ARNE_ACTUATION_ACTIVE;
        assert_int_equal(arne_builder_add_body(builder, &body, NULL), ARNE_OK);
        assert_int_equal(arne_builder_add_joint(builder, &joint, NULL), ARNE_OK);
    }
    loop.name = "closing";
    loop.predecessor = "coupler";
    loop.successor = "rocker";
    loop.predecessor_origin.p.x = 1;
    loop.successor_origin.p.x = 0.3;
    assert_int_equal(arne_builder_add_loop(builder, &loop, NULL), ARNE_OK);
    assert_int_equal(arne_builder_finish(builder, NULL, &robot, NULL), ARNE_OK);
    arne_builder_free(builder);
    return robot;
}

static void loops_are_drawn(void **unused)
{
    (void)unused;
    arne_robot *robot = four_bars();
    arne_work  *work = NULL;
    arne_vec3   at[16];
    skeleton    s;
    int         loops = 0, links = 0;
    assert_int_equal(arne_work_new(robot, &work), ARNE_OK);
    assert_int_equal(skeleton_make(robot, &s), ARNE_OK);
    assert_in_range(s.point_count, 5, 16);
    arne_kinematics(robot, work, (double[]){0.7, -0.7, 0.7}, NULL, NULL);
    skeleton_places(&s, robot, work, at);
    for (int k = 0; k < s.stick_count; k++) {
        const double length = apart(at[s.sticks[k].from], at[s.sticks[k].to]);
        if (s.sticks[k].kind == STICK_LOOP) assert_true(length < 1e-12); // closed
        if (s.sticks[k].kind == STICK_LINK) assert_true(length > 0.29);
        loops += s.sticks[k].kind == STICK_LOOP;
        links += s.sticks[k].kind == STICK_LINK;
    }
    assert_int_equal(loops, 1);
    assert_int_equal(links, 4); // crank, coupler, rocker, and the ground between the pivots
    assert_int_equal(s.joint_count, 4);
    skeleton_free(&s);
    arne_work_free(work);
    arne_robot_free(robot);
}

// --- pages ---------------------------------------------------------------------------------------

static char folder[64];

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/arne_report_XXXXXX");
    assert_non_null(mkdtemp(folder));
}

static char *read_result(const char *name)
{
    char path[128], *text = NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    size_t size = 0, room = 0, got;
    do {
        text = realloc(text, room += 1 << 20);
        got = fread(text + size, 1, room - size - 1, in);
        size += got;
    } while (got);
    text[size] = 0;
    fclose(in);
    return text;
}

static void write_file(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static void pages_stay_small(void **unused)
{
    (void)unused;
    make_folder();
    const run_request ask = {.dir = folder,
                             .file = ARNE_ROBOTS_DIR "/planar_2r.yaml",
                             .rows = 20000,
                             .seconds = 20,
                             .extra = "\"snapshots\": 5,",
                             .title = "Many rows"};
    assert_true(make_run_folder(&ask));
    arne_error error;
    assert_int_equal(arne_report_write(folder, NULL, &error), ARNE_OK);
    char *page = read_result("report.html");
    assert_in_range(strlen(page) - strlen(report_view_js), 20000, 600000);
    const char *const wanted[] = {"Many rows",
                                  "Positions",
                                  "Velocities",
                                  "Torques",
                                  "Torque rates",
                                  "Energies",
                                  "Tracking errors",
                                  "Internal forces",
                                  "[N m/s]",
                                  "class=\"stills\"",
                                  "joint2",
                                  has_viewer() ? "id=\"stage\"" : "class=\"m\"",
                                  has_viewer() ? "id=\"arne-data\"" : "limit"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strstr(page, wanted[i])) fail_msg("the page has no '%s'", wanted[i]);
    free(page);
    remove_folder();
}

static void hostile_names_stay_text(void **unused)
{
    (void)unused;
    make_folder();
    const run_request ask = {.dir = folder,
                             .robot = hostile_robot,
                             .rows = 50,
                             .seconds = 1,
                             .extra = "\"<script>window.hacked=7</script>\": \"</td><script>\",",
                             .title = "</title><script>window.hacked=6</script>"};
    assert_true(make_run_folder(&ask));
    arne_error error;
    assert_int_equal(arne_report_write(folder, &(arne_report_options){.plots = 1}, &error),
                     ARNE_OK);
    char *page = read_result("report.html");
    char *viewer = strstr(page, "<script>\n"); // ours, which speaks of markup itself
    if (viewer) *viewer = 0;
    const char *const never[] = {"<script>window", "<img", "<svg onload", "</td><script>",
                                 "' onload="};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (strstr(page, never[i])) fail_msg("the page has '%s'", never[i]);
    if (viewer) *viewer = '<';
    int scripts = 0;
    for (const char *at = page; (at = strstr(at, "</script")); at++)
        scripts++;
    assert_int_equal(scripts, has_viewer() ? 2 : 0); // the data and the page's own
    free(page);
    remove_folder();
}

// --- folders that are no runs

static const char one_joint[] =
    "name: r\nbodies: [{name: base}, {name: arm, mass: 1}]\n"
    "joints: [{name: joint1, kind: revolute, parent: base, child: arm}]\n";
static const char good_table[] = "time [s],q.joint1 [rad]\n0,0\n1,0.5\n";

static void assert_refused(const char *summary, const char *table, int line, const char *text)
{
    arne_error error = {0};
    write_file("summary.json", summary);
    write_file("result.csv", table);
    const arne_status status = arne_report_write(folder, NULL, &error);
    assert_int_not_equal(status, ARNE_OK);
    assert_int_equal(error.code, status);
    if (!strstr(error.text, text)) fail_msg("'%s' has no '%s'", error.text, text);
    assert_int_equal(error.line, line);
    assert_true(strncmp(error.file, folder, strlen(folder)) == 0);
    char path[128];
    snprintf(path, sizeof path, "%s/report.html", folder);
    assert_int_equal(access(path, F_OK), -1); // nothing is half written
}

static void other_folders_are_refused(void **unused)
{
    (void)unused;
    arne_error error = {0};
    make_folder();
    assert_int_equal(arne_report_write(folder, NULL, &error), ARNE_FILE);
    assert_int_equal(arne_report_write("/nowhere/at/all", NULL, &error), ARNE_FILE);
    assert_int_equal(arne_report_write(NULL, NULL, &error), ARNE_NULL_ARGUMENT);
    write_file("robot.yaml", one_joint);
    assert_refused("{\"robot\": ", good_table, 2, "well-formed");
    assert_refused("[1, 2]", good_table, 1, "must be a mapping");
    assert_refused("{\"title\": \"x\"}", good_table, 1, "does not name");
    assert_refused("{\n\"robot\": \"../robot.yaml\"}", good_table, 2, "not a file within");
    assert_refused("{\n\"robot\": \"/etc/passwd\"}", good_table, 2, "not a file within");
    assert_refused("{\"robot\": \"robot.yaml\",\n\"base\": \"loose\"}", good_table, 2,
                   "not one of");
    assert_refused("{\"robot\": \"robot.yaml\"}", "q.joint1\n0\n", 0, "no column 'time'");
    assert_refused("{\"robot\": \"robot.yaml\"}", "time,q.joint1\n0,x\n", 2, "x");
    assert_refused("{\"robot\": \"robot.yaml\",\n\"limits\": {\"q.joint1\": [1]}}", good_table, 2,
                   "must be two numbers");
    assert_refused(
        "{\"robot\": \"robot.yaml\",\n\"plots\": [{\"x\": \"time\",\n\"y\": [\"nothing\"]}]}",
        good_table, 3, "result.csv has no column 'nothing'");
    assert_refused("{\"robot\": \"robot.yaml\",\n\"plots\": [{\"y\": [\"time\"]}]}", good_table, 2,
                   "x is missing");
    assert_refused(
        "{\"robot\": \"robot.yaml\",\n\"plots\": [{\"x\": \"time\", \"file\": \"../a.csv\"}]}",
        good_table, 2, "not a file within");
    assert_refused("{\"robot\": \"robot.yaml\",\n\"plots\": [{\"x\": \"time\", \"y\": [\"time\"], "
                   "\"band\": [\"time\"]}]}",
                   good_table, 2, "band");
    write_file("summary.json", "{\"robot\": \"robot.yaml\"}");
    assert_int_equal(arne_report_write(folder, NULL, &error), ARNE_OK);
    remove_folder();
}

// --- the index

// Legends have what tells lines apart.
static void legends_are_short(void **unused)
{
    (void)unused;
    static const struct {
        const char *y, *has;
    } plots[] = {{"\"tau.a\", \"model.a\"", ">model<"},
                 {"\"contact.foot.fz\", \"contact.hand.fz\"", ">hand<"},
                 {"\"q.base.1\", \"q.base.2\"", ">base.2<"},
                 {"\"tau.a\", \"q.base.1\"", ">q.base.1<"}};
    for (size_t i = 0; i < sizeof plots / sizeof *plots; i++) {
        char       summary[400];
        arne_error error;
        make_folder();
        snprintf(summary, sizeof summary,
                 "{\"robot\": \"robot.yaml\", \"plots\": [{\"x\": \"time\", \"title\": \"t\", "
                 "\"y\": [%s]}]}",
                 plots[i].y);
        write_file("summary.json", summary);
        write_file("robot.yaml", one_joint);
        write_file("result.csv", "time,q.joint1,q.base.1,q.base.2,tau.a,model.a,contact.foot.fz,"
                                 "contact.hand.fz\n0,0,0,1,2,3,4,5\n1,1,1,2,3,4,5,6\n");
        assert_int_equal(arne_report_write(folder, &(arne_report_options){.plots = 1}, &error),
                         ARNE_OK);
        char *svg = read_result("plots/01-t.svg");
        if (!strstr(svg, plots[i].has)) fail_msg("no legend has '%s'", plots[i].has);
        free(svg);
        remove_folder();
    }
}

static void an_index_lists_runs(void **unused)
{
    (void)unused;
    make_folder();
    char path[128];
    snprintf(path, sizeof path, "%s/report.html", folder);
    const arne_report_figure figures[] = {{"RMS error", "rad", 0.00271, 0.0026819},
                                          {"<b>", "", 3, NAN}};
    const arne_report_run    runs[] = {{"Stanford & co", "Torque rates.", "a b/report.html",
                                        "<svg id=\"drawn\"></svg>", figures, 2},
                                       {"<script>", NULL, "javascript:alert(1)", NULL, NULL, 0}};
    arne_error               error;
    assert_int_equal(arne_report_index(path, "Examples", NULL, runs, 2, &error), ARNE_OK);
    char *page = read_result("report.html");
    assert_non_null(strstr(page, "<a href=\"a%20b/report.html\">Stanford &amp; co</a>"));
    assert_non_null(strstr(page, "+1.0 %"));
    assert_non_null(strstr(page, "<svg id=\"drawn\">"));
    assert_non_null(strstr(page, "&lt;script&gt;"));
    assert_null(strstr(page, "javascript:"));
    assert_null(strstr(page, "<script"));
    free(page);
    assert_int_equal(arne_report_index("/nowhere/at/all.html", "x", NULL, NULL, 0, &error),
                     ARNE_FILE);
    remove_folder();
}

static void a_brief_has_the_figures(void **unused)
{
    (void)unused;
    arne_report_brief *brief = NULL;
    arne_error         error = {0};
    make_folder();
    assert_int_equal(arne_report_brief_read(folder, &brief, &error), ARNE_FILE);
    assert_null(brief);
    write_file("summary.json",
               "{\"title\": \"T\", \"steps\": 7, \"complete\": true, \"rms_error\": 0.5}");
    assert_int_equal(arne_report_brief_read(folder, &brief, &error), ARNE_OK);
    const arne_report_run *r = arne_report_brief_run(brief);
    assert_string_equal(r->title, "T");
    assert_int_equal(r->figure_count, 2);
    assert_string_equal(r->figures[1].name, "rms_error");
    assert_true(r->figures[1].value == 0.5 && isnan(r->figures[1].published));
    arne_report_brief_free(brief);
    write_file("summary.json",
               "{\"steps\": 7, \"figures\": [{\"name\": \"peak\", \"unit\": \"rad\", "
               "\"value\": 2, \"published\": 2.5}]}");
    assert_int_equal(arne_report_brief_read(folder, &brief, &error), ARNE_OK);
    r = arne_report_brief_run(brief);
    assert_int_equal(r->figure_count, 1);
    assert_string_equal(r->figures[0].unit, "rad");
    assert_true(r->figures[0].published == 2.5);
    arne_report_brief_free(brief);
    remove_folder();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_become_text),
        cmocka_unit_test(values_are_readable),
        cmocka_unit_test(ticks_are_nice),
        cmocka_unit_test(constants_have_a_scale),
        cmocka_unit_test(few_points_look_the_same),
        cmocka_unit_test(extremes_survive),
        cmocka_unit_test(sticks_are_rigid),
        cmocka_unit_test(loops_are_drawn),
        cmocka_unit_test(pages_stay_small),
        cmocka_unit_test(hostile_names_stay_text),
        cmocka_unit_test(other_folders_are_refused),
        cmocka_unit_test(legends_are_short),
        cmocka_unit_test(an_index_lists_runs),
        cmocka_unit_test(a_brief_has_the_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
