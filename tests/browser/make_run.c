// make_run ROBOT|hostile DIR ROWS SECONDS [EXTRA]: a folder of a run to report on.
#include "sample_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: make_run ROBOT|hostile DIR ROWS SECONDS [EXTRA]\n");
        return 2;
    }
    const int         hostile = strcmp(argv[1], "hostile") == 0;
    const run_request ask = {.dir = argv[2],
                             .robot = hostile ? hostile_robot : NULL,
                             .file = argv[1],
                             .rows = atoi(argv[3]),
                             .seconds = atof(argv[4]),
                             .extra = argc > 5 ? argv[5] : "",
                             .title = hostile ? "</h1><script>window.hacked=6</script>"
                                              : "A swaying robot"};
    return make_run_folder(&ask) ? 0 : 1;
}
