// Markup, into a text that grows. Names come from files: they pass through put_text, wherever they
// go.
#ifndef ARNE_REPORT_MARKUP_H
#define ARNE_REPORT_MARKUP_H

#include "base/buffer.h"

// A text as HTML or XML, between tags or within a quoted attribute: one line of clean UTF-8, in
// which no character means anything but itself. (Scripts of the page get numbers only, never
// names.)
void put_text(buffer *b, const char *text);
// At most so many characters, with an ellipsis where there were more.
void put_text_short(buffer *b, const char *text, int most);
// How many characters a text has, about.
int text_width(const char *text);

// A coordinate of a drawing: two decimals at most, no trailing zeros.
void put_place(buffer *b, double value);
// So many decimals and a true minus sign.
void put_decimals(buffer *b, double value, int decimals);
// "x 10^-3" with the characters for it.
void put_power(buffer *b, int exponent);
// A value for people: `digits` significant ones, a true minus sign, and powers of ten written as
// such.
void put_value(buffer *b, double value, int digits);

#endif
