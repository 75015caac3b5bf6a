// The verbs of the program; each gets its own name as argv[0] and returns an exit status.
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

int cmd_info(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_compute(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_generate(int argc, char **argv);
int cmd_simulate(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_view(int argc, char **argv);
int cmd_identify(int argc, char **argv);
int cmd_motion(int argc, char **argv);
int cmd_demo(int argc, char **argv);

#endif
