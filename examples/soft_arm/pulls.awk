# Prints what the cables pull, of the plan's result.csv, every 20 ms; then they hold.
BEGIN { FS = "," }
NR == 1 {
    for (i = 1; i <= NF; i++)
        if ($i ~ /^activation\./) {
            column[++count] = i
            name = $i
            gsub(/^activation\.| \[.*/, "", name)
            head = head "," name
        }
    print "time" head
    next
}
$1 >= due - 1e-9 {
    row = $1
    for (i = 1; i <= count; i++) row = row sprintf(",%.5f", $column[i])
    print row
    due += 0.02
}
