# SPDX-License-Identifier: Apache-2.0
import torch


class Compose:
    def __init__(self, steps):
        self.steps = steps

    def __call__(self, image):
        for step in self.steps:
            image = step(image)
        return image


class ToTensor:
    """Channels first, 0 to 1."""

    def __call__(self, image):
        image = torch.from_numpy(image).float() / 255
        return image[None] if image.ndim == 2 else image.permute(2, 0, 1)


class Normalize:
    def __init__(self, mean, std):
        self.mean, self.std = (torch.tensor(v).reshape(-1, 1, 1) for v in (mean, std))

    def __call__(self, image):
        return (image - self.mean) / self.std
