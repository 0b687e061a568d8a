# SPDX-License-Identifier: Apache-2.0
"""Digits to train on: strokes of a seven-segment font, slightly moved, sheared, thick or thin, with noise."""
from __future__ import annotations

import numpy as np

SIDE, CLASSES = 28, 10
# Segments: top, upper left, upper right, middle, lower left, lower right, bottom.
_SEGMENTS = ("1110111", "0010010", "1011101", "1011011", "0111010", "1101011", "1101111", "1010010",
             "1111111", "1111011")
_ENDS = (((6, 9), (6, 18)), ((6, 9), (14, 9)), ((6, 18), (14, 18)), ((14, 9), (14, 18)),
         ((14, 9), (22, 9)), ((14, 18), (22, 18)), ((22, 9), (22, 18)))


def draw(digit: int, random: np.random.Generator) -> np.ndarray:
    """An image of SIDE x SIDE values from 0 to 1."""
    image = np.zeros((SIDE, SIDE), np.float32)
    down, right = random.integers(-1, 2, 2)
    shear, width = random.uniform(-0.1, 0.1), random.uniform(1.0, 1.8)
    rows, columns = np.mgrid[0:SIDE, 0:SIDE]
    for used, (start, end) in zip(_SEGMENTS[digit], _ENDS):
        if used == "0":
            continue
        for t in np.linspace(0, 1, 12):
            r = start[0] + t * (end[0] - start[0]) + down
            c = start[1] + t * (end[1] - start[1]) + right + shear * (14 - r)
            near = np.clip(width - np.hypot(rows - r, columns - c), 0, 1)
            image = np.maximum(image, near)
    return np.clip(image + random.normal(0, 0.05, image.shape), 0, 1).astype(np.float32)


def batch(count: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """COUNT images and their digits."""
    labels = random.integers(0, CLASSES, count)
    return np.stack([draw(int(n), random) for n in labels]), labels
