// Messages: one line of UTF-8, whatever is in the names that they show.
#include "base/text.h"
#include "testing.h"
#include <stdio.h>

static void assert_shown(const char *text, size_t size, const char *shown)
{
    char out[64];
    assert_true(size <= sizeof out);
    text_line(out, size, "%s", text);
    assert_string_equal(out, shown);
}

static void plain_text_stays(void **unused)
{
    (void)unused;
    assert_shown("", 64, "");
    assert_shown("link 'arm_2'", 64, "link 'arm_2'");
    assert_shown("bras \xc3\xa9tendu \xe2\x82\xac \xf0\x9f\xa4\x96", 64,
                 "bras \xc3\xa9tendu \xe2\x82\xac \xf0\x9f\xa4\x96");
}

static void control_characters_are_hidden(void **unused)
{
    (void)unused;
    assert_shown("a\nb\tc\rd\x1b[31me\x7f", 64, "a?b?c?d?[31me?");
    assert_shown("a\xc2\x9b"
                 "b\xc2\xa0"
                 "c",
                 64,
                 "a??b\xc2\xa0"
                 "c"); // CSI; a hard space is none
}

static void broken_sequences_are_hidden(void **unused)
{
    (void)unused;
    assert_shown("a\xe9t\xe9", 64, "a?t?"); // Latin-1
    assert_shown("\xe2\x82 \xf0\x9f\xa4", 64, "?? ???");
    assert_shown("\x80\xff\xc0\xaf", 64, "????");
}

static void long_text_ends_with_a_whole_character(void **unused)
{
    (void)unused;
    assert_shown("12345", 6, "12345");
    assert_shown("123456", 6, "12345");
    assert_shown("1234\xc3\xa9", 6, "1234");
    assert_shown("123\xc3\xa9", 6, "123\xc3\xa9");
    assert_shown("12\xf0\x9f\xa4\x96", 6, "12");
    assert_shown("1\xf0\x9f\xa4\x96", 6, "1\xf0\x9f\xa4\x96");
}

// The builder shows names in errors and in warnings.
static void keep_text(void *text, const arne_warning *warning)
{
    snprintf(text, 256, "%s:%s", warning->file, warning->text);
}

static void names_in_messages(void **unused)
{
    (void)unused;
    arne_builder      *builder = NULL;
    arne_robot        *robot = NULL;
    arne_error         error;
    char               heard[256] = "";
    arne_build_options options = {.warn = keep_text, .warn_context = heard};
    arne_body_spec     body = arne_body_spec_default();
    assert_ok(arne_builder_new(&builder));
    body.name = "a\xff"; // not UTF-8
    assert_status(arne_builder_add_body(builder, &body, NULL), ARNE_MODEL);
    body.name = "a\xe2\x80\xae"
                "b"; // a mark of direction
    body.mass = 1;
    body.inertia[0] = 1;
    body.place.file = "odd\tfile";
    assert_ok(arne_builder_add_body(builder, &body, NULL));
    assert_ok(arne_builder_finish(builder, &options, &robot, NULL));
    assert_non_null(strstr(heard, "odd?file:the inertia of link 'a\\u202eb' breaks the triangle"));
    assert_string_equal(arne_robot_frame(robot, 0).name, body.name); // the name itself stays
    arne_robot_free(robot);
    options.strict = 1;
    assert_status(arne_builder_finish(builder, &options, &robot, &error), ARNE_STRICT);
    assert_non_null(strstr(error.text, "link 'a\\u202eb' breaks"));
    assert_string_equal(error.file, "odd?file");
    arne_builder_free(builder);
}

static void names_are_short_texts(void **unused)
{
    char longest[NAME_BYTES + 2];
    (void)unused;
    memset(longest, 'a', sizeof longest);
    longest[NAME_BYTES] = 0;
    assert_null(text_wrong_name(longest));
    longest[NAME_BYTES] = 'a';
    longest[NAME_BYTES + 1] = 0;
    assert_non_null(text_wrong_name(longest));
    const char *const good[] = {"a",       "", "\xc3\xa9", "\xe2\x80\xa8", "\xf0\x9f\x98\x80",
                                " a,\"b\""};
    const char *const bad[] = {
        "\xff",         "a\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
        "\xe0\x80\x80", "a\nb",  "\x7f",     "\xc2\x85"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_null(text_wrong_name(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (!text_wrong_name(bad[i])) fail_msg("name %d is accepted", (int)i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_short_texts),
        cmocka_unit_test(plain_text_stays),
        cmocka_unit_test(control_characters_are_hidden),
        cmocka_unit_test(broken_sequences_are_hidden),
        cmocka_unit_test(long_text_ends_with_a_whole_character),
        cmocka_unit_test(names_in_messages),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
