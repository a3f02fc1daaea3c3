"""Figure 3.14: jitter of a video stream."""

from evaluation import Evaluation

EVALUATION = Evaluation(
    row="E47",
    item="3.14",
    source="§3.3.6, Figure 3.14, p. 49",
    what="Jitter of a video that VLC plays over HTTP beside PPBP traffic, by congestion control, "
    "in 15 trials of 100 s.",
    published="“CUBIC exhibits the best performance among the three TCP variants”",
    agreement="the order of the medians of jitter: CUBIC least",
    missing="not written: it needs a video, a player without a screen (`ffmpeg`), and captures at "
    "both ends",
)
