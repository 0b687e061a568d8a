# SPDX-License-Identifier: Apache-2.0
"""Golden functions, under the names that tests of the real package import."""
from ttnn.operations import activations
