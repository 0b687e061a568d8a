# SPDX-License-Identifier: Apache-2.0
"""The networks of mnist.py against numpy, as tests that a profiler records:

    tt_profile "pytest -svv examples/ttnn/test_mnist.py::test_mnist_train[full-eval]"
"""
import os
import sys

import numpy as np
import pytest
import ttnn
from tracy import signpost

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import digits  # noqa: E402
import mnist  # noqa: E402


@pytest.fixture
def device():
    with ttnn.open_device(device_id=0) as opened:
        yield opened


@pytest.mark.parametrize("phase", ["train", "eval"])
@pytest.mark.parametrize("size", ["full", "quick"])
def test_mnist_train(device, size, phase):
    """train: each loss is numpy's; eval: the trained network knows most digits."""
    random, reference = np.random.default_rng(0), mnist.mlp_weights(1)
    model = mnist.Mlp(device)
    for step in range(40 if size == "full" else 3):
        images, labels = digits.batch(64, random)
        if phase == "train" or step == 0:
            signpost(f"step {step + 1}")
        got = mnist.loss_of(model.train(images, labels, 0.3).to_numpy(), labels)
        want = mnist.loss_of(mnist.mlp_numpy_train(reference, images, labels, 0.3), labels)
        assert abs(got - want) < 0.05 * want + 0.05, (step, got, want)
    if phase == "eval":
        signpost("eval")
        images, labels = digits.batch(64, random)
        x = mnist.tensor(images.reshape(64, mnist.PIXELS), device)
        found = ttnn.argmax(model.forward(x)[2], -1).to_numpy()
        want = mnist.mlp_numpy(reference, images)[1].argmax(-1)
        assert np.mean(found == want) > 0.9
        assert size == "quick" or np.mean(found == labels) > 0.7


@pytest.mark.parametrize("count", [2])
def test_mnist_cnn(device, count):
    images, _ = digits.batch(count, np.random.default_rng(3))
    model = mnist.Cnn(device)
    for _ in range(2):  # the second time with prepared weights
        got = model.forward(images).to_numpy()
        assert mnist.correlation(got, mnist.cnn_numpy(mnist.cnn_weights(2), images)) > 0.999
