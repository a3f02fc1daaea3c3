"""Figure 3.15: how long BitTorrent takes."""

from evaluation import Evaluation

EVALUATION = Evaluation(
    row="E48",
    item="3.15",
    source="§3.3.6, Figure 3.15, p. 49",
    what="The time until three peers have 20 MB from one seed by BitTorrent, beside heavy PPBP "
    "traffic, by congestion control.",
    published="“CUBIC outperforms Reno and Scalable TCP”",
    agreement="the order of medians: CUBIC least",
    missing="not written: it needs a BitTorrent client in nodes (`aria2` or `transmission-cli`) "
    "and a tracker",
)
