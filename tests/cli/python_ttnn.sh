# SPDX-License-Identifier: Apache-2.0
# The package ttnn: results, errors, traces, and the ops report of 'python -m tracy -p -r'.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/device.sh"
. "$SOURCE/tests/python.sh"

unset ARCH_NAME
with_python test_ctypes.py
with_python test_ttnn.py
with_python test_ttnn_ops.py
