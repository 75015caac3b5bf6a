// The table of formats, XML tables and XML trees.
#include "io/formats/formats.h"
#include "io/visual.h"
#include "io/xml.h"
#include "io/xml_tree.h"
#include "reading.h"
#include "robot/builder.h"
#include <arne/document.h>

static const char *recognised(const char *file, const char *text)
{
    return robot_format_of(file, text, strlen(text))->name;
}

static void formats_are_recognised_by_content(void **unused)
{
    (void)unused;
    assert_string_equal(recognised("x.yaml", "name: r\nbodies: []\n"), "yaml");
    assert_string_equal(recognised("x.txt", "<?xml version='1.0'?><!-- a > b -->\n<robot/>"),
                        "urdf");
    assert_string_equal(recognised("x.yaml", "\xef\xbb\xbf \n<robot name='r'/>"), "urdf");
    assert_string_equal(recognised("x.urdf", "not XML"), "urdf");
    assert_string_equal(recognised("", ""), "yaml");
    assert_string_equal(recognised("x", "<!-- without an end"), "urdf");
    arne_format format;
    assert_true(arne_format_of("a/b.YML", &format) && format == ARNE_FORMAT_YAML);
    assert_true(arne_format_of("a.b/c.urdf", &format) && format == ARNE_FORMAT_URDF);
    assert_false(arne_format_of("a.yaml/c", &format));
    assert_false(arne_format_of(NULL, &format));
    for (int i = 0; i < ARNE_FORMAT_COUNT; i++)
        assert_non_null(arne_format_name((arne_format)i));
    assert_null(arne_format_name(ARNE_FORMAT_COUNT));
}

// Builder, looks and sections come of one pass over a file and those that it extends.
static void one_parse_gives_all(void **unused)
{
    (void)unused;
    static const char text[] = "bodies:\n  - {name: a, mass: 1, visual: {sphere: 0.1}}\n"
                               "walker: {}\nfatigue: {}\n";
    arne_builder     *builder = NULL;
    arne_error        own = {0};
    visual_list       looks = {0};
    robot_sections    sections = {0};
    assert_int_equal(arne_builder_new(&builder), ARNE_OK);
    reader r = {.builder = builder,
                .file = "r.yaml",
                .found = &builder->found,
                .error = &own,
                .looks = &looks,
                .sections = &sections};
    assert_int_equal(
        robot_format_of(r.file, text, sizeof text - 1)->read(&r, text, sizeof text - 1), ARNE_OK);
    assert_int_equal(builder->body_count, 1);
    assert_int_equal(looks.count, 1);
    assert_string_equal(looks.item[0].link, "a");
    assert_non_null(sections.first);
    assert_string_equal(sections.first->file, "r.yaml");
    assert_non_null(doc_find(sections.first->root, "fatigue"));
    visuals_free(&looks);
    robot_sections_free(&sections);
    arne_builder_free(builder);
}

// ---- tables of elements

enum { MANY = 150 };

static arne_status count_tag(xml *x)
{
    (*(int *)x->context)++;
    return ARNE_OK;
}

static arne_status fine(xml *x)
{
    (void)x;
    return ARNE_OK;
}

static void tables_have_any_size(void **unused)
{
    (void)unused;
    static char        names[MANY][16];
    static xml_element elements[MANY];
    xml_grammar        grammar = {elements, MANY, fine};
    buffer             text = {0};
    arne_builder      *builder = NULL;
    arne_error         own = {0};
    int                opened = 0;
    put(&text, "<t0>");
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "t%d", i);
        elements[i] = (xml_element){i ? "t0" : "", names[i], " ", 1, count_tag, NULL};
        if (i) put(&text, "<t%d/>", i);
    }
    put(&text, "<t149/><t1490/></t0>");
    assert_int_equal(arne_builder_new(&builder), ARNE_OK);
    reader r = {.builder = builder, .file = "x", .found = &builder->found, .error = &own};
    assert_int_equal(arne_xml_walk(&r, &grammar, &opened, text.text, text.size), ARNE_OK);
    assert_int_equal(opened, MANY);
    assert_int_equal(builder->found.count, 2); // one twice, one unknown
    assert_non_null(strstr(builder->found.item[0].text, "two <t149>"));
    assert_non_null(strstr(builder->found.item[1].text, "t149,"));
    buffer_free(&text);
    arne_builder_free(builder);
}

// ---- trees

static void trees_know_places_and_texts(void **unused)
{
    (void)unused;
    static const char text[] = "<a x='1'>\n  <b y='2 3'/>hello\n  <c/><b/></a>";
    findings          found = {0};
    arne_error        own = {0};
    reader            r = {.file = "f.xml", .found = &found, .error = &own};
    xml_tree          tree;
    double            two[2];
    int               count;
    assert_int_equal(xml_tree_parse(&r, text, sizeof text - 1, &tree), ARNE_OK);
    xml_node *b = xml_node_child(tree.root, "b");
    assert_true(b->line == 2 && b->column == 3);
    assert_string_equal(b->file, "f.xml");
    assert_non_null(strstr(tree.root->text, "hello"));
    assert_string_equal(b->text, "");
    assert_int_equal(xml_node_numbers(&r, b, "y", xml_node_get(b, "y"), 1, 2, two, &count),
                     ARNE_OK);
    assert_true(count == 2 && two[1] == 3);
    assert_int_equal(xml_node_numbers(&r, b, "y", "1 2 3", 2, 2, two, &count), ARNE_VALUE);
    assert_int_equal(found.item[0].column, 3);
    assert_true(xml_node_again(b)->line == 3 && !xml_node_again(xml_node_again(b)));
    xml_node *copy = xml_node_copy(&tree, tree.root);
    assert_true(xml_node_set(&tree, copy, "x", "9") && xml_node_set(&tree, copy, "z", "8"));
    assert_string_equal(xml_node_get(tree.root, "x"), "1");
    assert_string_equal(xml_node_get(copy, "x"), "9");
    assert_null(xml_node_get(tree.root, "z"));
    assert_true(xml_node_child(copy, "b")->parent == copy);
    xml_tree_free(&tree);
    assert_int_equal(xml_tree_parse(&r, "<a><b></a>", 10, &tree), ARNE_SYNTAX);
    xml_tree_free(&tree);
    findings_free(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_are_recognised_by_content),
        cmocka_unit_test(one_parse_gives_all),
        cmocka_unit_test(tables_have_any_size),
        cmocka_unit_test(trees_know_places_and_texts),
    };
    return READERS_ARE_BUILT ? cmocka_run_group_tests(tests, NULL, NULL) : print_readers_missing();
}
