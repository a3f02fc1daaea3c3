"""`python3 -m netloom_cluster`: JSON lines on standard input and output."""

import os
import signal
import sys

from netloom_cluster import lines


def main() -> int:
    """Serves NetLoom until it closes our standard input."""
    # Ctrl-C is NetLoom's: it closes our standard input when it ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What Ray prints must not come between our lines.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return lines.serve(sys.stdin, answers, lines.connect)


if __name__ == "__main__":
    sys.exit(main())
