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

// Into a builder, for those who add to what is read. A path ends an `extends:` that is relative.
ARNE_API ARNE_CHECKED arne_status arne_read(arne_builder *builder, const char *path,
                                            arne_error *error);

// From memory; name stands for the file in messages.
ARNE_API ARNE_CHECKED arne_status arne_read_urdf(arne_builder *builder, const char *text,
                                                 size_t size, const char *name, arne_error *error);
ARNE_API ARNE_CHECKED arne_status arne_read_yaml(arne_builder *builder, const char *text,
                                                 size_t size, const char *name, arne_error *error);

// A number as robot files may write it: 1.5e-3, pi/2, -3*pi/4, 90 deg. The whole text must be used.
ARNE_API ARNE_CHECKED arne_status arne_parse_number(const char *text, double *out);

ARNE_END

#endif
