# SPDX-License-Identifier: Apache-2.0
"""Sizes and orders of tiles, on torch tensors."""


def _nearest_y(x, y):
    return -(-x // y) * y


def _nearest_32(x):
    return _nearest_y(x, 32)


def tilize(x):
    """The values in the order of tiles, and of the four faces of each."""
    rows, columns = x.shape[-2:]
    parts = x.reshape(-1, rows // 32, 2, 16, columns // 32, 2, 16)
    return parts.permute(0, 1, 4, 2, 5, 3, 6).reshape(x.shape)


def untilize(x):
    rows, columns = x.shape[-2:]
    parts = x.reshape(-1, rows // 32, columns // 32, 2, 2, 16, 16)
    return parts.permute(0, 1, 3, 5, 2, 4, 6).reshape(x.shape)
