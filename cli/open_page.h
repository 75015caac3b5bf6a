// Showing a page: opened where there is a display, named where there is none.
#ifndef CLI_OPEN_PAGE_H
#define CLI_OPEN_PAGE_H

// Prints the path, and opens the page in the user's browser where there is a display. Not being
// able to open it is no failure: the path is there.
void open_page(const char *path);

// Prints DIR/report.html, and opens it where it is to be viewed.
void name_report(const char *dir, int view);

// A new folder for what is only to be looked at, to be freed; NULL after a message.
char *temporary_folder(void);

#endif
