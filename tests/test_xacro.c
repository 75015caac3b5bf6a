// xacro: expressions are those of Python, macros and properties those of xacro, and what is wrong
// or without end is refused with its line. tests/corpora/xacro.py has public packages.
#include "io/formats/formats.h"
#include "io/formats/xacro.h"
#include "reading.h"
#include "robot/builder.h"
#include <arne/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char head[] = "<robot xmlns:xacro='http://www.ros.org/wiki/xacro'>";

// What a text makes of itself, to be freed; NULL with *error where it is refused.
static char *expanded(const char *text, const char *arguments, arne_error *error)
{
    arne_builder *builder = NULL;
    arne_error    own = {0};
    buffer        out = {0};
    xml_tree      tree = {0};
    assert_int_equal(arne_builder_new(&builder), ARNE_OK);
    reader r = {.builder = builder, .file = "t.xacro", .found = &builder->found, .error = &own};
    const arne_status status = xacro_expand(&r, text, strlen(text), arguments, &tree);
    if (!status) xacro_print(&out, tree.root);
    assert_int_equal(arne_reader_end(&r, status, error), status);
    xml_tree_free(&tree);
    arne_builder_free(builder);
    return out.text;
}

// Within a robot that declares xacro.
static char *expanded_inside(const char *inside, arne_error *error)
{
    const size_t size = strlen(head) + strlen(inside) + 20;
    char        *text = malloc(size);
    assert_non_null(text);
    snprintf(text, size, "%s%s</robot>", head, inside);
    char *out = expanded(text, NULL, error);
    free(text);
    return out;
}

static void makes(const char *inside, const char *expected)
{
    arne_error error = {0};
    char      *out = expanded_inside(inside, &error), whole[1000];
    snprintf(whole, sizeof whole, "<?xml version=\"1.0\" ?>\n%s\n", expected);
    if (!out) fail_msg("%s: %s", inside, error.text);
    assert_string_equal(out, whole);
    free(out);
}

static void refused(const char *inside, int line, const char *says)
{
    arne_error error = {0};
    char      *out = expanded_inside(inside, &error);
    if (out) fail_msg("%s: is taken", inside);
    assert_int_equal(error.line, line);
    assert_string_equal(error.file, "t.xacro");
    if (!strstr(error.text, says)) fail_msg("%s: %s", inside, error.text);
}

static void value(const char *expression, const char *expected)
{
    char inside[600], whole[300];
    snprintf(inside, sizeof inside,
             "<xacro:property name='l' value='${[1, 2.5, \"x\"]}'/>"
             "<xacro:property name='d' value='${dict(a=1, b=dict(c=7))}'/>"
             "<xacro:property name='s' value='a b'/><v>${%s}</v>",
             expression);
    snprintf(whole, sizeof whole, "<robot>\n  <v>%s</v>\n</robot>", expected);
    makes(inside, whole);
}

static void expressions_are_those_of_python(void **unused)
{
    (void)unused;
    static const char *const pairs[][2] = {
        {"1 + 2 * 3", "7"},
        {"7 / 2", "3.5"},
        {"-7 // 2", "-4"},
        {"-7 % 3", "2"},
        {"7.5 % -2", "-0.5"},
        {"2 ** 3 ** 2", "512"},
        {"-2 ** 2", "-4"},
        {"2 ** -1", "0.5"},
        {"4 / 2", "2.0"},
        {"0.1 + 0.2", "0.30000000000000004"},
        {"1e16", "1e+16"},
        {"12345678901234567.0", "1.2345678901234568e+16"},
        {"1e15", "1000000000000000.0"},
        {"0.00001", "1e-05"},
        {"0.0001", "0.0001"},
        {"-0.0", "-0.0"},
        {"1.", "1.0"},
        {".5", "0.5"},
        {"10 ** 30 if 0 else 1", "1"},
        {"1 &lt; 2 &lt; 3", "True"},
        {"1 == 1.0 and not 0", "True"},
        {"0 or \"x\"", "x"},
        {"\"a\" in s and \"z\" not in l", "True"},
        {"l[-1] + s[0]", "xa"},
        {"l[1:]", "[2.5, &quot;x&quot;]"},
        {"l", "[1, 2.5, &quot;x&quot;]"},
        {"d.b.c * d[\"a\"]", "7"},
        {"\"b\" in d", "True"},
        {"[i * i for i in range(4) if i != 2]", "[0, 1, 9]"},
        {"(1,)", "(1,)"},
        {"s.split()[1].upper()", "B"},
        {"\"-\".join([\"a\", \"b\"])", "a-b"},
        {"\"ab\" * 2", "abab"},
        {"len(l) + len(s)", "6"},
        {"max(1, 2.5) - min([3, 2])", "0.5"},
        {"round(2.5)", "2"},
        {"round(2.675, 2)", "2.67"},
        {"int(\"12\") + float(\"1.5\")", "13.5"},
        {"str(1.0)", "1.0"},
        {"abs(-3)", "3"},
        {"radians(180) == math.pi", "True"},
        {"sin(pi / 6)", "0.49999999999999994"},
        {"sqrt(2)", "1.4142135623730951"},
        {"True + True", "2"},
        {"None", "None"},
        {"u\"\u00e9\" * 2", "\u00e9\u00e9"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        // Python quotes texts by ', which XML does not escape.
        char        expected[200];
        const char *from = pairs[i][1];
        size_t      n = 0;
        for (; *from; n++)
            if (strncmp(from, "&quot;", 6) == 0)
                expected[n] = '\'', from += 6;
            else
                expected[n] = *from++;
        expected[n] = 0;
        char  escaped[300];
        char *to = escaped;
        for (const char *p = pairs[i][0]; *p; p++)
            to += snprintf(to, 8, *p == '"' ? "&quot;" : "%c", *p);
        value(escaped, expected);
    }
}

static void properties_are_lazy_and_scoped(void **unused)
{
    (void)unused;
    makes("<xacro:property name='a' value='${2*b}'/><xacro:property name='b' value='21'/>"
          "<v x='${a}' y='$${a}' z='a${b}'/>",
          "<robot>\n  <v x=\"42\" y=\"${a}\" z=\"a21\"/>\n</robot>");
    makes("<xacro:property name='p' value='1'/><xacro:macro name='m' params='q:=${p} *b'>"
          "<xacro:property name='p' value='2' scope='parent'/><v q='${q}'/>"
          "<xacro:insert_block name='b'/></xacro:macro><xacro:m><w/></xacro:m><v p='${p}'/>",
          "<robot>\n  <v q=\"1\"/>\n  <w/>\n  <v p=\"2\"/>\n</robot>");
    makes("<xacro:macro name='m' params=\"a:='x y' b:=^|3\"><v a='${a}' b='${b}'/></xacro:macro>"
          "<xacro:m/><xacro:property name='b' value='4'/><xacro:m a='1.50'/>",
          "<robot>\n  <v a=\"x y\" b=\"3\"/>\n  <v a=\"1.5\" b=\"4\"/>\n</robot>");
    makes("<xacro:unless value='${1 == 2}'><xacro:element xacro:name='e' k='v'>"
          "<xacro:attribute name='n' value='${1+1}'/></xacro:element></xacro:unless>"
          "<xacro:if value='0'><xacro:none/></xacro:if>",
          "<robot>\n  <e k=\"v\" n=\"2\"/>\n</robot>");
}

static void mistakes_have_line_and_expression(void **unused)
{
    (void)unused;
    refused("\n<v a='${x + 1}'/>", 2, "'x' is not defined in '${x + 1}'");
    refused("\n\n<v a='${1 / 0}'/>", 3, "division by zero in '${1 / 0}'");
    refused("<xacro:m/>", 1, "there is no macro 'm'");
    refused("<xacro:property name='a' value='${b}'/><xacro:property name='b' value='${a}'/>\n"
            "<v a='${a}'/>",
            2, "is defined by itself");
    refused("<xacro:macro name='m' params='a'/>\n<xacro:m b='1'/>", 2, "no parameter 'b'");
    refused("<xacro:macro name='m' params='a'/>\n<xacro:m/>", 2, "the parameter 'a' is missing");
    refused("<xacro:macro name='m' params='*a'/>\n<xacro:m/>", 2, "the block '*a' is missing");
    refused("<xacro:if value='maybe'/>", 1, "neither true nor false");
    refused("<v a='$(arg x)'/>", 1, "say x:=VALUE");
    refused("<v a='${'/>", 1, "no complete expression");
    refused("<v a='${\"\".__class__}'/>", 1, "must not be used");
    refused("<v a='${\"\".format}'/>", 1, "there is no 'format' here");
    refused("<v a='${\"x\".encode()}'/>", 1, "no method 'encode'");
    refused("<v a='${lambda: 1}'/>", 1, "is not understood in '${lambda: 1}'");
    refused("<v a='${10 ** 19}'/>", 1, "too large for an int");
    refused("<xacro:include filename='/etc/passwd'/>", 1, "is not opened");
    refused("<v a='${xacro.load_yaml(\"/etc/passwd\")}'/>", 1, "is not opened");
    refused("<v a='$(find ../../etc)'/>", 1, "is no name of a package");
    refused("<xacro:property name='1a' value='1'/>", 1, "is no name of a property");
}

// Two mistakes of a file are told together; one that follows from the first is not.
static void all_mistakes_are_told(void **unused)
{
    (void)unused;
    arne_error error = {0};
    char      *out = expanded_inside("<xacro:property name='a' value='${b}'/>\n<v x='${a}'/>\n"
                                          "<v x='${a}'/>\n<v x='${c}'/>",
                                     &error);
    assert_null(out);
    assert_int_equal(error.line, 2);
    assert_non_null(strstr(error.text, "'b' is not defined"));
    assert_int_equal(error.count, 2);
}

static void hostile(const char *inside, const char *says)
{
    const clock_t start = clock();
    arne_error    error = {0};
    char         *out = expanded_inside(inside, &error);
    if (out) fail_msg("%.100s: is taken", inside);
    if (!strstr(error.text, says)) fail_msg("%.100s: %s", inside, error.text);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10);
}

static void what_has_no_end_is_refused(void **unused)
{
    (void)unused;
    char   text[5000];
    size_t n = 0;
    hostile("<xacro:macro name='m'><xacro:m/></xacro:macro><xacro:m/>", "nested deeper");
    hostile("<xacro:include filename='tests/data/xacro/self.xacro'/>", "nested deeper");
    for (int i = 0; i < 30; i++) // 10^9 calls
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "<xacro:macro name='m%d'><xacro:m%d/><xacro:m%d/></xacro:macro>",
                              i + 1, i, i);
    snprintf(text + n, sizeof text - n, "<xacro:macro name='m0'/><xacro:m30/>");
    hostile(text, "without end");
    for (n = 0; n < 1000; n++)
        text[n + 8] = '(';
    memcpy(text, "<v a='${", 8);
    strcpy(text + 1008, "'/>");
    hostile(text, "no complete expression");
    strcpy(text + 1008, "}'/>");
    hostile(text, "nested deeper");
    hostile("<v a='${\"x\" * 1000000000}'/>", "too long");
    hostile("<v a='${[0] * 1000000000}'/>", "too long");
    hostile("<v a='${range(1000000000)}'/>", "too long");
    hostile("<v a='${[[[k for k in range(9999)] for j in range(9999)] for i in range(9999)]}'/>",
            "without end");
    n = (size_t)snprintf(text, sizeof text, "<xacro:property name='p0' value='xxxxxxxxxxxxxxxx'/>");
    for (int i = 0; i < 30; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "<xacro:property name='p%d' value='${p%d}${p%d}'/>", i + 1, i, i);
    snprintf(text + n, sizeof text - n, "<v a='${p30}'/>");
    hostile(text, "longer than 1 MiB");
}

static void robots_are_read_with_arguments(void **unused)
{
    (void)unused;
    arne_robot *robot = NULL;
    arne_error  error = {0};
    assert_int_equal(
        arne_robot_read("tests/data/xacro/arm.urdf.xacro name:=a b", NULL, &robot, &error),
        ARNE_OK);
    assert_string_equal(arne_robot_name(robot), "a b");
    assert_int_equal(arne_robot_sizes(robot).v_count, 2);
    arne_robot_free(robot);
    assert_int_equal(
        arne_robot_read("tests/data/xacro/arm.urdf.xacro name:=a links:=1", NULL, &robot, &error),
        ARNE_OK);
    assert_int_equal(arne_robot_sizes(robot).v_count, 1);
    arne_robot_free(robot);
    assert_int_equal(arne_robot_read("tests/data/xacro/arm.urdf.xacro", NULL, &robot, &error),
                     ARNE_VALUE);
    assert_int_equal(error.line, 2);
}

// What the URDF reader says of the result has the place in the file that it comes from.
static void places_are_those_of_xacro_files(void **unused)
{
    (void)unused;
    static const char name[] = "tests/data/xacro/bad_place.xacro";
    arne_robot       *robot = NULL;
    arne_error        error = {0};
    assert_int_equal(arne_robot_read(name, NULL, &robot, &error), ARNE_VALUE);
    assert_int_equal(error.line, 19);
    assert_string_equal(error.file, "tests/data/xacro/link.xacro");
}

static void names_end_where_arguments_begin(void **unused)
{
    (void)unused;
    assert_int_equal(robot_path_size("a b.xacro"), 9);
    assert_int_equal(robot_path_size("a b.xacro x:=1 y:=c d"), 9);
    assert_int_equal(robot_path_size("a:=1"), 4);
    assert_int_equal(robot_path_size("dir/a :=1"), 9);
    assert_true(robot_name_is("a.xacro x:=b.yaml", ARNE_FORMAT_XACRO));
    assert_false(robot_name_is("a.urdf", ARNE_FORMAT_XACRO));
}

// Every expression of public packages is understood.
static void expressions_of_packages_are_read(void **unused)
{
    (void)unused;
    const char *reference = getenv("ARNE_REFERENCE");
    char        path[1000], line[2000];
    snprintf(path, sizeof path, "%s/../corpus/xacro/EXPRESSIONS.txt", reference ? reference : "");
    FILE *file = fopen(path, "r");
    if (!file) {
        print_message("no corpus beside ARNE_REFERENCE: left out\n");
        return;
    }
    int count = 0;
    while (fgets(line, sizeof line, file)) {
        const char *at = strchr(line, '\t');
        at = *line == '#' || !at ? NULL : strchr(at + 1, '\t');
        if (!at) continue;
        reader r = {.file = "x"};
        xacro  x = {.reader = &r, .file = "x"};
        char  *end = strchr(line, '\n');
        if (end) *end = 0;
        char *expression = (char *)at + 1, *tab = strchr(expression, '\t');
        if (tab) *tab = 0;
        if (!xacro_parse(&x, expression)) fail_msg("%s: %s", expression, x.why);
        document_free(&x.tree.memory);
        count++;
    }
    fclose(file);
    assert_true(count >= 1800);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_are_those_of_python),
        cmocka_unit_test(properties_are_lazy_and_scoped),
        cmocka_unit_test(mistakes_have_line_and_expression),
        cmocka_unit_test(all_mistakes_are_told),
        cmocka_unit_test(what_has_no_end_is_refused),
        cmocka_unit_test(robots_are_read_with_arguments),
        cmocka_unit_test(places_are_those_of_xacro_files),
        cmocka_unit_test(names_end_where_arguments_begin),
        cmocka_unit_test(expressions_of_packages_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
