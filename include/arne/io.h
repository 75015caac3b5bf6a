// Files that people have. Readers fill a builder; arne_robot_read does it all.
//
// Every reader limits size, depth and expansion, and names file, line and rule when it fails.
#ifndef ARNE_IO_H
#define ARNE_IO_H

#include <arne/builder.h>
#include <stddef.h>

ARNE_BEGIN

// A URDF (.urdf, .xml) or a YAML robot file (.yaml, .yml), by its content.
ARNE_API ARNE_CHECKED arne_status arne_robot_read(const char               *path,
                                                  const arne_build_options *options,
                                                  arne_robot **out, arne_error *error);

// Into a builder, for those who add to what is read. An `extends:` in the file is relative to the
// file's own folder.
ARNE_API ARNE_CHECKED arne_status arne_read(arne_builder *builder, const char *path,
                                            arne_error *error);

// From memory; name stands for the file in messages.
ARNE_API ARNE_CHECKED arne_status arne_read_urdf(arne_builder *builder, const char *text,
                                                 size_t size, const char *name, arne_error *error);
ARNE_API ARNE_CHECKED arne_status arne_read_yaml(arne_builder *builder, const char *text,
                                                 size_t size, const char *name, arne_error *error);

typedef enum arne_format { ARNE_FORMAT_YAML, ARNE_FORMAT_URDF } arne_format;

// What a builder or a robot holds, as a file that reads back. A YAML file says everything, and
// reads back to the last bit. A URDF cannot say everything: what is left out comes to `lost` (which
// may be NULL), one call each, with the rule "lost". Rotations become roll, pitch and yaw there, so
// it reads back to rounding.
//
// The format follows from the ending of the path: .urdf or .xml, .yaml or .yml; another one is
// ARNE_VALUE. The file is there whole or not at all.
ARNE_API ARNE_CHECKED arne_status arne_builder_write(const arne_builder *builder, const char *path,
                                                     arne_warning_fn lost, void *lost_context,
                                                     arne_error *error);
ARNE_API ARNE_CHECKED arne_status arne_robot_write(const arne_robot *robot, const char *path,
                                                   arne_warning_fn lost, void *lost_context,
                                                   arne_error *error);
// The same as a text, which ends with a NUL that size does not count. The caller frees *text.
ARNE_API ARNE_CHECKED arne_status arne_robot_text(const arne_robot *robot, arne_format format,
                                                  arne_warning_fn lost, void *lost_context,
                                                  char **text, size_t *size, arne_error *error);
// The sections of a robot's file that only plans read (fatigue, strength, walker), with those of
// the files that it extends, as YAML: what arne_robot_text leaves out. Empty where there are none.
// The caller frees *text.
ARNE_API ARNE_CHECKED arne_status arne_robot_parts_text(const char *path, char **text, size_t *size,
                                                        arne_error *error);

// A number as robot files may write it: 1.5e-3, pi/2, -3*pi/4, 90 deg. The whole text must be used.
ARNE_API ARNE_CHECKED arne_status arne_parse_number(const char *text, double *out);
// The fewest digits that read back as exactly this number, with a point whatever the locale has;
// "nan", "inf" or "-inf" for what is no number. Returns the length, without the zero at the end.
enum { ARNE_NUMBER_SIZE = 32 };
ARNE_API size_t arne_print_number(double value, char text[ARNE_NUMBER_SIZE]);

// " (near matches: a, b)" in buffer: those of count candidates that resemble a name that was typed;
// "" where none does.
typedef const char *(*arne_candidate_fn)(const void *context, int index);
ARNE_API const char *arne_near_matches(const char *typed, arne_candidate_fn candidate,
                                       const void *context, int count, char *buffer, size_t size);

ARNE_END

#endif
