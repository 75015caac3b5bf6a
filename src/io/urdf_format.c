// What looks like a URDF and is none: other formats, and templates that were not expanded.
//
// A template (xacro) keeps its namespace after it was expanded, so only what is left unexpanded
// counts. In what is passed over (drawings, plugins) it does no harm. Elsewhere a tag of xacro
// stands for something that is missing, which is said; a number that it should compute is missed.
#include "base/error.h"
#include "io/urdf.h"
#include <stdio.h>
#include <string.h>

arne_status urdf_refuse_xacro(reader *r, int line)
{
    return arne_reader_fail(r, ARNE_UNSUPPORTED, line,
                            "this is a xacro file: its name must end in .xacro");
}

static int is_template(const char *text) { return strstr(text, "${") || strstr(text, "$("); }

static int urdf_format_is_name(const char *attribute)
{
    return strcmp(attribute, "name") == 0 || strcmp(attribute, "link") == 0 ||
           strcmp(attribute, "joint") == 0;
}

static arne_status warn_once(xml *x, int *line, const char *what, const char *then)
{
    if (*line) return ARNE_OK;
    *line = x->line;
    return arne_reader_warn(x->reader, "xacro", x->line, "%s%s%s%s", x->owner,
                            *x->owner ? ": " : "", what, then);
}

static int urdf_format_is_drawn(const xml *x)
{
    return x->quiet || strcmp(x->tag, "visual") == 0 || strcmp(x->tag, "material") == 0;
}

// Names and what is only drawn, touched or simulated elsewhere may contain anything.
static arne_status look_for_templates(xml *x)
{
    urdf *u = x->context;
    if (urdf_format_is_drawn(x)) return ARNE_OK;
    for (const char **a = x->attributes; *a; a += 2) {
        if (!is_template(a[1])) continue;
        if (!urdf_format_is_name(a[0]) && arne_xml_is_read(x) && !u->collisions.open)
            return urdf_refuse_xacro(x->reader, x->line);
        if (urdf_format_is_name(a[0]) && arne_xml_is_read(x))
            return warn_once(x, &u->xacro_names, "a name has leftovers of a xacro file", "");
    }
    return ARNE_OK;
}

static arne_status look_for_xacro(xml *x)
{
    urdf *u = x->context;
    char  text[200];
    int   passed = 1;
    if (strncmp(x->tag, "xacro:", 6) != 0) return look_for_templates(x);
    if (!x->passing) {
        x->passing = x->depth;
        passed = 0;
    }
    const int defines = strcmp(x->tag, "xacro:property") == 0 || strcmp(x->tag, "xacro:arg") == 0;
    if (passed || x->quiet || u->collisions.open || defines)
        return warn_once(x, &u->xacro_drawn, "leftovers of a xacro file are passed over", "");
    snprintf(text, sizeof text, "<%.40s> is passed over, and what it stands for is missing",
             x->tag);
    return warn_once(x, &u->xacro_line, text, ": a file with xacro must end in .xacro");
}

static arne_status refuse_root(xml *x)
{
    static const char advice[] = "export the model as URDF, or describe it in a YAML robot file";
    if (strcmp(x->tag, "robot") == 0) return ARNE_OK;
    if (strcmp(x->tag, "sdf") == 0)
        return arne_xml_fail(x, ARNE_UNSUPPORTED, "this is an SDF file: %s", advice);
    return arne_xml_fail(x, ARNE_UNSUPPORTED,
                         "this is not a URDF file: it starts with <%s>, not <robot>", x->tag);
}

arne_status urdf_inspect(xml *x)
{
    const arne_status status = x->depth > 1 ? ARNE_OK : refuse_root(x);
    return status ? status : look_for_xacro(x);
}
