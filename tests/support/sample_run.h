// Folders of runs for tests of reports: a robot that sways in all its joints, with everything
// recorded.
#ifndef TEST_RUN_FOLDER_H
#define TEST_RUN_FOLDER_H

typedef struct run_request {
    const char *dir;   // must be there and empty
    const char *robot; // the text of a robot file, or NULL:
    const char *file;  // its path; it must extend no other
    int         rows;
    double      seconds;
    const char *extra; // further keys of the summary, with a comma at their end; "" for none
    const char *title;
} run_request;

// 0 where it fails (a message is on stderr).
int make_run_folder(const run_request *request);

// The robot whose names are markup, scripts and worse.
extern const char hostile_robot[];

#endif
