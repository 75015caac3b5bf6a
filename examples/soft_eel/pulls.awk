# Prints pulls.csv: a wave of one turn per second that runs backward, a quarter turn later in each
# third of the body; the two sides pull in turn.
BEGIN {
    print "time,front_left,front_right,middle_left,middle_right,rear_left,rear_right"
    for (i = 0; i <= 160; i++) {
        t = i / 20
        row = t
        for (k = 0; k < 3; k++) {
            grow = t < 1 ? t : 1
            s = grow * sin(6.283185307179586 * t - 1.5707963267948966 * k)
            row = row sprintf(",%.4f,%.4f", s > 0 ? s : 0, s < 0 ? -s : 0)
        }
        print row
    }
}
