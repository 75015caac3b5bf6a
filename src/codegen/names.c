#include "codegen/names.h"
#include <string.h>

static int names_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int names_is_word(char c) { return names_is_letter(c) || is_digit(c) || c == '_'; }

const char *harmless(const char *name, char out[SHOWN_NAME])
{
    size_t i = 0;
    for (; name && name[i] && i + 1 < SHOWN_NAME; i++)
        out[i] = (char)(names_is_word(name[i]) || strchr(" .,:+=()-", name[i]) ? name[i] : '_');
    out[i] = 0;
    return out;
}

static char lower_case(char c) { return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

static int same_word(const char *text, const char *word, size_t length)
{
    size_t i = 0;
    while (i < length && lower_case(text[i]) == word[i])
        i++;
    return i == length && !text[i];
}

// Words of C and C++, and headers of the C library, in any case: some file systems do not tell.
static int names_is_taken(const char *text)
{
    static const char words[] =
        "alignas alignof and asm assert auto bitand bitor bool break case catch char class compl "
        "complex const constexpr continue ctype decltype default delete do double dynamic_cast "
        "else enum errno explicit export extern false fenv float for friend goto if inline int "
        "inttypes iso646 limits locale long main malloc math mutable namespace new noexcept not "
        "nullptr operator or private protected public register reinterpret_cast restrict return "
        "setjmp short signal signed sizeof static static_assert static_cast stdalign stdarg "
        "stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string strings struct switch "
        "template tgmath this thread_local threads throw time true try typedef typeid typename "
        "uchar union unistd unsigned using virtual void volatile wchar wchar_t wctype while xor ";
    for (const char *word = words; *word;) {
        const size_t length = strcspn(word, " ");
        if (same_word(text, word, length)) return 1;
        word += length + 1;
    }
    return 0;
}

int is_prefix(const char *text, size_t size)
{
    size_t length = 0;
    if (!text || !names_is_letter(text[0])) return 0;
    while (names_is_word(text[length]))
        length++;
    return !text[length] && length < size && !names_is_taken(text);
}

void make_prefix(const char *name, char *out, size_t size)
{
    size_t at = 0;
    if (!name || !names_is_letter(name[0])) { // a digit or '_' may not come first
        memcpy(out, "robot", 5);
        at = 5;
        if (name && name[0]) out[at++] = '_';
    }
    for (size_t i = 0; name && name[i] && at + 1 < size - 6; i++)
        out[at++] = (char)(names_is_word(name[i]) ? name[i] : '_');
    out[at] = 0;
    if (names_is_taken(out)) memcpy(out + at, "_robot", 7);
}
