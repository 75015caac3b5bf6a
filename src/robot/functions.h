// Functions as they are given, made ready for the kernels: functions.k.h.
#ifndef ARNE_ROBOT_FUNCTIONS_H
#define ARNE_ROBOT_FUNCTIONS_H

#include "robot/robot.h"

// Why a function is none, into `why`; returns 0 where it is one.
int function_flaw(const arne_function *f, char why[128]);
// As kernels have it: its form and how many numbers that takes; none for a product.
function_form function_form_of(const arne_function *f);
int           function_numbers(const arne_function *f);
// How many coefficients or pieces those are.
int function_parts(const arne_function *f);
// Writes the numbers, factor included. Returns 0 where there is no memory.
int function_fill(const arne_function *f, double *numbers);
// Constant or a line: offset + ratio q.
int function_is_line(const arne_function *f, double *ratio, double *offset);

#endif
