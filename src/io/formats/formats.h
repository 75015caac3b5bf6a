// The formats of robot files: how each is recognised, read and written. formats.c has the table;
// nothing else knows which formats there are.
#ifndef ARNE_IO_FORMATS_H
#define ARNE_IO_FORMATS_H

#include "io/reader.h"
#include "io/write_robot.h"
#include <arne/io.h>

// What can be known of a file before it is read.
typedef struct format_sample {
    const char *file, *text;
    size_t      size;
    int         is_xml;
    char        root[64]; // XML: the tag of the root, where it is found; else ""
} format_sample;

typedef enum format_match { FORMAT_NO, FORMAT_PERHAPS, FORMAT_SURE, FORMAT_CERTAIN } format_match;

typedef struct robot_format {
    const char *name;
    const char *endings; // of files, " .urdf ", with spaces around each
    int         is_tree; // its text is a document (document.h), in which values can be edited
    format_match (*recognise)(const format_sample *sample);
    arne_status (*read)(reader *r, const char *text, size_t size);
    void (*write)(robot_writer *w); // NULL: it is only read
} robot_format;

// The name of a robot is a path, perhaps with arguments for its file behind it:
//     ur.urdf.xacro ur_type:=ur5e name:=ur
// The size of the path, without them.
size_t robot_path_size(const char *name);
// Whether the path ends as files of this format do.
int robot_name_is(const char *name, arne_format format);
// Reads a text as a format, r->file being the name of the robot.
ARNE_CHECKED arne_status robot_format_read(const robot_format *format, reader *r, const char *text,
                                           size_t size);

// The surest of all formats for this text, the first of equals; there is always one.
const robot_format *robot_format_of(const char *file, const char *text, size_t size);
// A row of the table; NULL beyond the last.
const robot_format *robot_format_at(arne_format format);
// Whether a file's name ends as those of a format do.
int robot_format_ends(const robot_format *format, const char *file);

// ---- the rows
format_match             urdf_recognise(const format_sample *sample);
ARNE_CHECKED arne_status urdf_read(reader *r, const char *text, size_t size);
struct xml_node;
ARNE_CHECKED arne_status urdf_read_tree(reader *r, const struct xml_node *root);
format_match             xacro_recognise(const format_sample *sample);
ARNE_CHECKED arne_status xacro_read(reader *r, const char *text, size_t size);
format_match             mjcf_recognise(const format_sample *sample);
ARNE_CHECKED arne_status mjcf_read(reader *r, const char *text, size_t size);
format_match             sdf_recognise(const format_sample *sample);
ARNE_CHECKED arne_status sdf_read(reader *r, const char *text, size_t size);
format_match             osim_recognise(const format_sample *sample);
ARNE_CHECKED arne_status osim_read(reader *r, const char *text, size_t size);
format_match             yaml_recognise(const format_sample *sample);
ARNE_CHECKED arne_status yaml_read(reader *r, const char *text, size_t size);

#endif
