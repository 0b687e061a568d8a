# SPDX-License-Identifier: Apache-2.0
"""What scripts use of torchvision: data sets drawn from a seed instead of downloaded, and transforms."""
from torchvision import datasets, transforms
