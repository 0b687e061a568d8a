# SPDX-License-Identifier: Apache-2.0
# The networks of examples/ttnn give what numpy gives; under tt_profile a test has its ops in the report.
. "$SOURCE/tests/lib.sh"
[ -z "${SANITIZE-}" ] || skip "python_ttnn runs the same code"
. "$SOURCE/tests/device.sh"
. "$SOURCE/tests/python.sh"
python=$(head -1 "$pythons")
[ -n "$python" ] && "$python" -c 'import numpy, pytest' 2>/dev/null || skip 'numpy or pytest is missing'

export PYTHONPATH=$BUILD/python
demos=$SOURCE/examples/ttnn
expect_exit 0 "$python" -m pytest -p no:cacheprovider -q "$demos/test_mnist.py" -k 'quick-train or cnn'
expect_line out '^2 passed'
expect_exit 0 "$python" "$demos/decoder.py" 3
expect_line out "^3 tokens as numpy's"
expect_exit 0 "$python" "$demos/bert_tiny.py" 1
expect_line out 'correlation with numpy after each layer: '

PATH=$(dirname "$python"):$PATH
expect_exit 0 "$BUILD/tt_profile" -o ops.csv "$python -m pytest -p no:cacheprovider -svv $demos/test_mnist.py::test_mnist_train[quick-eval]"
for op in Matmul BinaryNg Softmax Reduce ArgMax; do
	grep -q "^${op}DeviceOperation,tt_dnn_device," ops.csv || fail "no $op in the report"
done
grep -q '^eval,signpost,' ops.csv || fail 'no signpost'
