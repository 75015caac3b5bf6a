// Preloaded into a program: it is then in the locale of its environment, as one that calls
// setlocale at its start is (Python, programs with a window).
#include <locale.h>

__attribute__((constructor)) static void follow(void) { setlocale(LC_ALL, ""); }
