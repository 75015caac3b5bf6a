# stride.awk: what a stride of the walker is like, from result.csv and, if there is one before it, a
# table of measured walking (as --normal of arne plan takes it). The right leg's half stride is
# followed by the left leg's, beginning with the heel that strikes. Prints
#     cadence | step [m] | hip, knee, ankle | first peak, valley, second peak
# with correlations of angles, and vertical forces in body weights W [N], which is to be given.
BEGIN { FS = ","; pi = atan2(0, -1); split("hip knee ankle", joint, " ")
    split("hip_flex_schwartz_deg knee_flex_schwartz_deg ankle_dors_schwartz_deg", known, " ") }
/^#/ { next }
FNR == 1 || !head { delete at; for (i = 1; i <= NF; i++) { split($i, w, " "); at[w[1]] = i }
    head = 1; measured = "pct" in at; next }
measured { m++; pct[m] = $at["pct"]; for (j = 1; j <= 3; j++) normal[j, m] = $at[known[j]]; next }
{ n++; time[n] = $at["time"]
  for (side = 0; side < 2; side++) {
      s = side ? "l" : "r"; foot = side ? "left" : "right"
      for (j = 1; j <= 3; j++) value[j, side, n] = $at["q." joint[j] "_" s]
      value[0, side, n] = 0
      for (k = 0; k < 3; k++) value[0, side, n] += $at["contact." foot "." k ".fy"] / W
  } }
# Row j at the part u of the stride.
function stride(j, u,    side, t, i, part) {
    u -= int(u); side = u >= 0.5; t = (u - 0.5 * side) * 2 * time[n]
    for (i = 2; i < n && time[i] < t; i++);
    part = (t - time[i - 1]) / (time[i] - time[i - 1])
    return value[j, side, i - 1] + part * (value[j, side, i] - value[j, side, i - 1])
}
function measure(j, p,    i) {
    for (i = 2; i < m && pct[i] < p; i++);
    return normal[j, i - 1] + (p - pct[i - 1]) / (pct[i] - pct[i - 1]) * (normal[j, i] - normal[j, i - 1])
}
END {
    for (i = 0; i < 200; i++) loaded[i] = stride(0, i / 200) > 0.03
    for (i = 0; i < 200; i++) # the strike after the longest time in the air
        if (loaded[i] && !loaded[(i + 199) % 200]) {
            for (k = 1; k < 200 && !loaded[(i + 200 - k) % 200]; k++);
            if (k > longest) { longest = k; strike = i }
        }
    for (stance = 0; stance < 200 && loaded[(strike + stance) % 200]; stance++)
        force[stance] = stride(0, (strike + stance) / 200)
    low = 99
    for (i = 0; i < stance / 2; i++) if (force[i] > first) { first = force[i]; from = i }
    for (i = int(stance / 2); i < stance; i++) if (force[i] > second) { second = force[i]; to = i }
    for (i = from; i < to; i++) if (force[i] < low) low = force[i]
    for (j = 1; j <= 3 && m; j++) {
        x = y = xx = yy = xy = 0
        for (i = 0; i < 200; i++) {
            a = stride(j, (strike + i) / 200); b = measure(j, i / 2)
            x += a; y += b; xx += a * a; yy += b * b; xy += a * b
        }
        r[j] = (200 * xy - x * y) / sqrt((200 * xx - x * x) * (200 * yy - y * y))
    }
    printf "%.0f | %.2f | ", 60 / time[n], time[n] * speed
    if (m) printf "%.2f, %.2f, %.2f", r[1], r[2], r[3]
    printf " | %.2f, %.2f, %.2f", first, low, second
}
