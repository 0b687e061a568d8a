# SPDX-License-Identifier: Apache-2.0
"""Images of ten classes: each has a pattern of its own, with noise."""
import numpy as np
import torch


class _Drawn(torch.utils.data.Dataset):
    SHAPE = (28, 28)

    def __init__(self, root, train=True, transform=None, target_transform=None, download=False):
        random = np.random.default_rng(int(train))
        patterns = np.random.default_rng(7).random((10, *self.SHAPE))
        self.transform, count = transform, 1000 if train else 200
        self.targets = random.integers(0, 10, count)
        noise = random.random((count, *self.SHAPE))
        self.data = ((0.7 * patterns[self.targets] + 0.3 * noise) * 255).astype(np.uint8)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        image = self.data[i]
        return self.transform(image) if self.transform else image, int(self.targets[i])


class MNIST(_Drawn):
    pass


class CIFAR10(_Drawn):
    SHAPE = (32, 32, 3)
