// Macros that programs have before they include our headers: Arduino's, those of Windows, of
// <complex.h> and of old habits.
#ifndef __cplusplus
#include <complex.h> // I
#endif
#define INPUT 0
#define OUTPUT 1
#define INPUT_PULLUP 2
#define ALGORITHM "none"
#define RESULT 7
#define STATUS 8
#define ARRAY 9
#define FIELD 10
#define ROW 11
#define EXTENT 12
#define ERROR 13
#define OK 14
#define NONE 15
#define FREE 16
#define FIXED 17
#define BALL 18
#define EULER 2.718281828459045
#define PI 3.14159265358979
#define HALF_PI 1.57079632679
#define TWO_PI 6.28318530718
#define DEG_TO_RAD 0.01745329
#define GRAVITY 9.81
#define POSITION 20
#define VELOCITY 21
#define TORQUE 22
#define ENERGY 23
#define HIGH 1
#define LOW 0
#define TRUE 1
#define FALSE 0
#define B0 0
#define B1 1
#define F(text) text
#define bit(b) (1UL << (b))
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define abs(x) ((x) > 0 ? (x) : -(x))
#define round(x) ((x) >= 0 ? (long)((x) + 0.5) : (long)((x)-0.5))
#define constrain(x, a, b) ((x) < (a) ? (a) : ((x) > (b) ? (b) : (x)))
#define radians(deg) ((deg)*DEG_TO_RAD)
#define sq(x) ((x) * (x))
#define near
#define far
#define small char
#define interface struct
