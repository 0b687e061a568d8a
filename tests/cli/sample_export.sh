# SPDX-License-Identifier: Apache-2.0
# Samples in the formats of other tools: the same samples, in each of them.
. "$SOURCE/tests/sample.sh"
# A sanitizer adds threads and frames of its own to the samples.
[ -z "${SANITIZE-}" ] || skip "sanitizers add threads and frames of their own"

sample share 400
expect_exit 0 "$TACHO" stacks --list --min=0 --format=json share.tacho
cp out list
for format in folded speedscope pprof perfetto; do
	expect_exit 0 "$TACHO" export --to=$format -f share.tacho
done
expect_line share.folded '^_start;.*;main;.*;seventy;work [0-9]+$'
python3 - list share.folded share.speedscope.json share.pb.gz <<'EOF' || fail "formats differ"
import gzip, json, sys
truth = {f["name"]: f["samples"] for f in json.load(open(sys.argv[1]))}

folded = {}
for line in open(sys.argv[2]):
    stack, n = line.rsplit(" ", 1)
    for name in set(stack.split(";")):
        folded[name] = folded.get(name, 0) + int(n)
assert folded == truth, "folded"

s = json.load(open(sys.argv[3]))
frames, found = s["shared"]["frames"], {}
for p in s["profiles"]:
    assert p["type"] == "sampled" and len(p["samples"]) == len(p["weights"])
    assert p["endValue"] == sum(p["weights"])
    for stack in p["samples"]:
        for name in {frames[i]["name"] for i in stack}:
            found[name] = found.get(name, 0) + 1
assert found == truth, "speedscope"


def fields(b):
    at = 0

    def varint():
        nonlocal at
        v = shift = 0
        while True:
            byte = b[at]
            at += 1
            v |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return v
    while at < len(b):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            n = varint()
            yield key >> 3, b[at:at + n]
            at += n


def varints(b):
    out, v, shift = [], 0, 0
    for byte in b:
        v |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            out.append(v)
            v = shift = 0
    return out


strings, functions, locations, samples = [], {}, {}, []
for field, value in fields(gzip.open(sys.argv[4]).read()):
    if field == 6:
        strings.append(value.decode())
    elif field == 5:
        f = dict(fields(value))
        functions[f[1]] = f[2]
    elif field == 4:
        f = list(fields(value))
        locations[dict(f)[1]] = [dict(fields(v))[1] for k, v in f if k == 4]
    elif field == 2:
        f = dict(fields(value))
        samples.append((varints(f[1]), varints(f[2])))
assert strings[0] == ""
found = {}
for stack, (n, _) in samples:
    for name in {strings[functions[f]] for l in stack for f in locations[l]}:
        found[name] = found.get(name, 0) + n
assert found == truth, "pprof"
EOF

PYTHONPATH="$SOURCE/tests" python3 - list share.pftrace <<'EOF' || fail "Perfetto"
import json, sys
from check_pftrace import Trace
truth = {f["name"]: f["samples"] for f in json.load(open(sys.argv[1]))}
found = {}
for stack in Trace(sys.argv[2]).stacks:
    for name in set(stack):
        found[name] = found.get(name, 0) + 1
assert found == truth, found
EOF
