#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles the kernels of ttnn by using them, with and without the profiler. $PYTHONPATH is the built package.
read -r python <"$PYTHONPATH/interpreters" || exit 0
tests=$(dirname "$0")
PYTHONPATH=$PYTHONPATH:$tests
for test in test_ttnn.py test_ttnn_ops.py; do
	"$python" "$tests/$test"
done
demos=$tests/../../examples/ttnn
for profiler in 0 1; do
	export TT_METAL_DEVICE_PROFILER=$profiler
	"$python" -m pytest -p no:cacheprovider -q "$demos/test_mnist.py" -k 'quick'
	"$python" "$demos/decoder.py" 1
	"$python" "$demos/bert_tiny.py" 1
done
