// Reading and writing robot files. Readers fill a builder; arne_robot_read returns a finished
// robot.
//
// Every reader limits size, depth and expansion, and names file, line and rule when it fails.
#ifndef ARNE_IO_H
#define ARNE_IO_H

#include <arne/builder.h>
#include <stddef.h>

ARNE_BEGIN

// Formats of robot files.
typedef enum arne_format {
    ARNE_FORMAT_YAML,
    ARNE_FORMAT_URDF,
    ARNE_FORMAT_MJCF,
    ARNE_FORMAT_XACRO, // read only
    ARNE_FORMAT_SDF,   // read only
    ARNE_FORMAT_OSIM,  // read only: models of OpenSim
    ARNE_FORMAT_COUNT
} arne_format;
// "yaml", "urdf", "mjcf", "xacro", "sdf", "osim"; NULL beyond the last.
ARNE_API const char *arne_format_name(arne_format format);
// The format that a path's ending names, of those that are written; returns 0 where it names none.
ARNE_API int arne_format_of(const char *path, arne_format *out);

// Reads a robot file of any format; its content decides which it is.
//
// Here and wherever a robot is named, arguments of a xacro file follow its path:
// "ur.urdf.xacro ur_type:=ur5e name:=ur". A value may have blanks; find:PACKAGE:=FOLDER says where
// a package lies.
ARNE_API ARNE_CHECKED arne_status arne_robot_read(const char               *path,
                                                  const arne_build_options *options,
                                                  arne_robot **out, arne_error *error);

// Reads a file into a builder, to which more can be added. An `extends:` in the file is relative to
// the file's own folder.
ARNE_API ARNE_CHECKED arne_status arne_read(arne_builder *builder, const char *path,
                                            arne_error *error);

// The same without loops, and without joints that follow others: every joint of the tree moves by
// itself. (Of MJCF; in other formats these are part of the robot.)
ARNE_API ARNE_CHECKED arne_status arne_read_open(arne_builder *builder, const char *path,
                                                 arne_error *error);

// The same from memory; name is used as the file name in messages. Without a format in the
// function's name, the text (and then the name) decides which it is.
ARNE_API ARNE_CHECKED arne_status arne_read_text(arne_builder *builder, const char *text,
                                                 size_t size, const char *name, arne_error *error);
ARNE_API ARNE_CHECKED arne_status arne_read_urdf(arne_builder *builder, const char *text,
                                                 size_t size, const char *name, arne_error *error);
ARNE_API ARNE_CHECKED arne_status arne_read_yaml(arne_builder *builder, const char *text,
                                                 size_t size, const char *name, arne_error *error);

// Writes a builder or a robot as a file. A YAML file is complete and reads back identically to the
// last bit. A URDF cannot express everything: `lost` (may be NULL) is called for each item that is
// left out, with the rule "lost". Rotations become roll, pitch and yaw there, so it reads back up
// to rounding.
//
// The format follows from the ending of the path (arne_format_of); others are ARNE_VALUE. The file
// is written completely or not at all.
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

// What a xacro file makes of itself: a URDF, as `xacro` prints it, without comments. The caller
// frees *text.
ARNE_API ARNE_CHECKED arne_status arne_xacro_text(const char               *path,
                                                  const arne_build_options *options, char **text,
                                                  size_t *size, arne_error *error);

// A configuration that a robot file names: a keyframe of MJCF. ARNE_NOT_FOUND, with near matches.
ARNE_API ARNE_CHECKED arne_status arne_read_configuration(const char *path, const arne_robot *robot,
                                                          const char *name, double *q,
                                                          arne_error *error);

// Parses a number as in robot files: 1.5e-3, pi/2, -3*pi/4, 90 deg. The whole text must be a
// number.
ARNE_API ARNE_CHECKED arne_status arne_parse_number(const char *text, double *out);
// Prints a number with the fewest digits that read back as exactly this number, with a decimal
// point in every locale; "nan", "inf" or "-inf" if it is not finite. Returns the length, without
// the zero at the end.
enum { ARNE_NUMBER_SIZE = 32 };
ARNE_API size_t arne_print_number(double value, char text[ARNE_NUMBER_SIZE]);

// Writes " (near matches: a, b)" to buffer: those of count candidates that resemble a typed name;
// "" if none does.
typedef const char *(*arne_candidate_fn)(const void *context, int index);
ARNE_API const char *arne_near_matches(const char *typed, arne_candidate_fn candidate,
                                       const void *context, int count, char *buffer, size_t size);

ARNE_END

#endif
