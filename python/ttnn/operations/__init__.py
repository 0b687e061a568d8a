# SPDX-License-Identifier: Apache-2.0
"""Where tests of the real package find golden functions."""
from ttnn.operations import activations
