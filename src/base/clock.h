// Seconds since some moment, for differences: a clock that is never set back.
#ifndef ARNE_BASE_CLOCK_H
#define ARNE_BASE_CLOCK_H

double clock_seconds(void);

#endif
