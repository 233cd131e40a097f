"""What is written in a figure, whether it fits, and its bytes."""

import hashlib
from pathlib import Path

from matplotlib.figure import Figure

from zwang.figures import style


def texts(figure: Figure) -> list[str]:
    """Every text in the figure that is not a tick label."""
    found = [text.get_text() for ax in figure.axes for text in ax.texts]
    found += [ax.get_title(loc="left") for ax in figure.axes]
    found += [part for ax in figure.axes for part in (ax.get_xlabel(), ax.get_ylabel())]
    found += [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    return found


def overlaps(figure: Figure) -> list[tuple[str, str]]:
    """Pairs of labels inside the axes whose boxes overlap, and all that leaves its frame."""
    figure.draw_without_rendering()
    page = figure.bbox
    around = [text for legend in figure.legends for text in legend.get_texts()]
    around += [ax._left_title for ax in figure.axes]
    around += [part for ax in figure.axes for part in (ax.xaxis.label, ax.yaxis.label)]
    extents = [(text.get_text(), text.get_window_extent()) for text in around if text.get_text()]
    bad = [
        (name, "page")
        for name, box in extents
        if not (page.contains(box.x0, box.y0) and page.contains(box.x1, box.y1))
    ]
    for ax in figure.axes:
        boxes = [(text.get_text(), text.get_window_extent()) for text in ax.texts]
        frame = ax.get_window_extent()
        bad += [
            (name, "frame")
            for name, box in boxes
            if not (frame.contains(box.x0, box.y0) and frame.contains(box.x1, box.y1))
        ]
        bad += [
            (name, other)
            for k, (name, box) in enumerate(boxes)
            for other, second in boxes[:k]
            if box.overlaps(second)
        ]
    return bad


def digests(figure: Figure, folder: Path) -> list[str]:
    """Digests of the figure as PDF and PNG."""
    files = [folder / f"figure.{kind}" for kind in ("pdf", "png")]
    style.save(figure, *files)
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]
