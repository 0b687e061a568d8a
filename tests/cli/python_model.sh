# SPDX-License-Identifier: Apache-2.0
# The performance model of ttnn's ops: never more than the device takes, on any architecture; and the cores that an op really uses.
. "$SOURCE/tests/lib.sh"
[ -z "${SANITIZE-}" ] || skip "takes two minutes with sanitizers; python_ttnn runs the same code"
. "$SOURCE/tests/device.sh"
. "$SOURCE/tests/python.sh"
python=$(head -1 "$pythons")
[ -n "$python" ] || skip 'no extension was built'

cat >ops.py <<'END'
import ttnn
L1 = {"memory_config": ttnn.L1_MEMORY_CONFIG}
UNARY = (ttnn.relu, ttnn.gelu, ttnn.exp, ttnn.sqrt, ttnn.reciprocal, ttnn.sigmoid)
with ttnn.open_device(device_id=0) as d:
    def tensor(rows, columns, dtype=ttnn.bfloat16, **settings):
        return ttnn.full((rows, columns), 0.5, dtype, ttnn.TILE_LAYOUT, d, **settings)
    a, b = tensor(64, 96), tensor(64, 96)
    for op in (ttnn.add, ttnn.subtract, ttnn.multiply):
        op(a, b)
    ttnn.add(a, 2.0, activations=["gelu"])
    for op in UNARY:
        op(a)
    ttnn.transpose(a)
    ttnn.matmul(a, tensor(96, 256))
    ttnn.linear(a, tensor(96, 64), bias=tensor(1, 64), activation="relu")
    small = tensor(32, 32)
    ttnn.add(small, small)
    x = tensor(512, 1024, ttnn.float32)  # DRAM is what counts
    ttnn.add(x, x); ttnn.relu(x); ttnn.transpose(x)
    x = tensor(256, 512, **L1)  # and here it is not
    ttnn.add(x, x, **L1); ttnn.relu(x, **L1)
    ttnn.relu(tensor(96, 320))  # 30 tiles: rows of the grid, and a part of one
END
cat >check.py <<'END'
import csv, sys
cores = int(sys.argv[2])
rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["OP TYPE"] == "tt_dnn_device"]
assert len(rows) == 20, len(rows)
for r in rows:
    ideal, kernel = float(r["PM IDEAL [ns]"]), float(r["DEVICE KERNEL DURATION [ns]"])
    assert 1 < ideal <= kernel, (r["OP CODE"], r["ATTRIBUTES"], ideal, kernel)
    size = [-(-int(r[f"OUTPUT_0_{x}_PAD[LOGICAL]"].partition("[")[0]) // 32) for x in "YX"]
    assert int(r["CORE COUNT"]) == min(cores, size[0] * size[1]), (size, r["CORE COUNT"])
END
for arch in tiny:4 wormhole_b0:80 blackhole:140; do
	rm -rf out.d
	TACHO_ARCH=${arch%:*} expect_exit 0 "${preload[@]}" "$python" -m tracy -p -q -r -o out.d ops.py
	python3 check.py out.d/reports/*/ops_perf_results_*.csv ${arch#*:} || fail "the model of $arch"
done
