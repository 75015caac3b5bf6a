// The parts of a report's page, each of which writes its HTML.
#ifndef ARNE_REPORT_PAGE_H
#define ARNE_REPORT_PAGE_H

#include "base/buffer.h"
#include "report/motion.h"
#include "report/plots.h"

#include <arne/report.h>

// Texts of the build, each with a zero at its end: the style, and the viewer alone, one that reads
// meshes too, and one that also has the library in it. These are empty where the build had no npm:
// then pages have drawings instead. The last is empty where there was no emscripten.
extern const char report_page_css[], report_view_js[], report_view_css[], report_mesh_js[],
    report_live_js[];

static inline int has_viewer(void) { return report_view_js[0] != 0; }
static inline int has_live(void) { return report_live_js[0] != 0; }

typedef enum page_scripts {
    PAGE_STILL,
    PAGE_MOVES,
    PAGE_WITH_MESHES,
    PAGE_LIVE,
    PAGE_HAS_DATA = 8 // or'ed: its meshes hold pictures (looks_have_data)
} page_scripts;

// From <!doctype> to <body>, and from there to the end.
void page_open(buffer *b, const char *title, page_scripts scripts);
void page_close(buffer *b, page_scripts scripts);
// Where the viewer puts its view.
void page_stage(buffer *b, const char *caption);

// recorded: of a motion that was measured, where nothing was integrated.
void page_summary(buffer *b, const run *r, int recorded);
// Whether a key of a summary is for the report itself, and no figure.
int is_for_report(const char *key);
// The summary's list of figures; their number, or -1 without memory. The caller frees *out.
int  figures_of(const run *r, arne_report_figure **out);
void page_robot(buffer *b, const arne_robot *robot);
// Of an identified robot: how the mass of each link is spread, before and after.
void page_ellipsoids(buffer *b, const run *r);
// Whether a figure is a computing time, which has no expected value.
int is_of_machine(const char *name);
// Rows of name, value and the value that is expected: published, or exact.
void page_figures(buffer *b, const arne_report_figure *figures, int count);

// The file, whole or not at all. A buffer that failed is lack of memory.
ARNE_CHECKED arne_status page_write(const buffer *b, const char *path, arne_error *error);

// PNGs of SVG files. is_available is 0 where there is no program for it.
int                      png_is_available(void);
ARNE_CHECKED arne_status png_from_svg(const char *svg, const char *png, arne_error *error);

#endif
