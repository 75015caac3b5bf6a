// Showing a page: opened where there is a display, named where there is none.
#ifndef CLI_OPEN_PAGE_H
#define CLI_OPEN_PAGE_H

// Prints the path, and opens the page in the user's browser where there is a display. Not being
// able to open it is no failure: the path is there.
void open_page(const char *path);

// Prints DIR/report.html, and opens it where it is to be viewed.
void name_report(const char *dir, int view);

// The folder of a run where none was named, to be freed: "push.run" of "a/push.yaml"; and of a file
// with the usual name that of its folder, "arm.run" of "arm/scenario.yaml".
char *run_folder_of(const char *path, const char *usual, const char *ending);

// A new folder for what is only to be looked at, to be freed; NULL after a message.
char *temporary_folder(void);

#endif
