#!/bin/sh
# at-low-priority.sh COMMAND...: runs it with the CPU time that others leave, and ends it when its
# caller ends. In a session of its own: where the kernel weighs sessions, priorities count only
# within one.
exec setpriv --pdeathsig TERM setsid sh -c '
    { echo 19 >/proc/self/autogroup; } 2>/dev/null
    exec nice -n 19 "$@"
' sh "$@"
