#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# real.sh FOLDER: runs tutorials, models and unit tests of a checkout of tt-metal on the software device, unchanged, and
# counts what passes. Needs torch, numpy, loguru and pytest ($PYTHON, else /usr/bin/python3; more folders: $PYTHONPATH).
# tests/ttnn/shims stands for packages that only a hub has. Not part of any suite: the checkout is not ours.
set -u
[ -d "${1-}/ttnn/tutorials" ] || { echo "real.sh: '${1-}' is no checkout of tt-metal" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd) tree=$(cd "$1" && pwd) python=${PYTHON-/usr/bin/python3}
export PYTHONPATH=$here/shims:${BUILD-$here/../../build}/python${PYTHONPATH:+:$PYTHONPATH}:$tree
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 5

for script in "$tree"/ttnn/tutorials/basic_python/ttnn_*.py; do
	timeout "${LIMIT-600}" "$python" "$script" >out 2>&1 && result=passed || result="failed: $(tail -n 1 out)"
	echo "${script##*/}: $result"
done

base=tests/ttnn/unit_tests/base_functionality ops=tests/ttnn/unit_tests/operations
cd "$tree" || exit 3
for test in tests/ttnn/integration_tests/bert_tiny/test_bert_tiny_wh.py \
	$base/test_{getitem,reshape_transpose,shape,squeeze,unsqueeze,to_and_from_device,tilize_untilize_2D,deallocate,concat_issue}.py \
	$ops/eltwise/test_{sub,exp,binary_scalar,eltwise_sqrt,eltwise_rsqrt,binary_maximum,unary_pow}.py \
	$ops/matmul/test_matmul_batch_mismatch.py $ops/data_movement/test_{repeat,tilizer}.py \
	$ops/fused/test_eltwise_softmax_in_place.py; do
	"$python" -m pytest --noconftest -p ttnn.pytest_plugin -p no:cacheprovider -q "$test" >"$work/out" 2>&1
	echo "${test##*/}: $(tail -n 1 "$work/out")"
done
