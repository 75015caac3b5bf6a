// Robots of the papers' examples, built from the tables in tests/data.
#ifndef TEST_EXAMPLE_H
#define TEST_EXAMPLE_H

#include "json.h"
#include "random.h"

#include <arne/arne.h>

typedef struct example {
    json       *file;
    arne_robot *robot;
    arne_work  *work;
    int         n;
} example;

json *open_file(const char *name); // in tests/data
void  example_close(example *e);

double number(const json *object, const char *key);
void   vector(const json *object, const char *key, int count, double *out);

// "base", "link1", "link2", ...
void link_name(int i, char *out);
void add_base(arne_builder *builder);
// A full 3 x 3 inertia about the centre of mass, as every table here has it.
void add_link(arne_builder *builder, int index, double mass, const double *com, const double *I);
void add_joint(arne_builder *builder, arne_joint_spec spec, int index, int parent);
// A tree or chain from rows of Denavit-Hartenberg parameters and a list of links, without its base.
void add_rows(arne_builder *builder, const json *model, const char *com_key);
void example_finish(example *e, arne_builder *builder);
// Base and rows.
example build_rows(json *file, const json *model, const char *com_key);
// q, qd and, where it is there, qdd.
state state_at(const example *e, const json *at);

#endif
