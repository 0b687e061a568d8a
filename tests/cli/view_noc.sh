# SPDX-License-Identifier: Apache-2.0
# Traffic on the links of the NoC, against routes computed here from the transfer files of the same run.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/device.sh"
cat >spread.cpp <<'KERNEL'
#include "dataflow_api.h"
void kernel_main()
{
	noc_async_read(get_noc_addr_from_bank_id<true>(0, 0x100000), 0x40000, 96);
	noc_async_read_barrier();
	uint64_t bank = get_noc_addr_from_bank_id<true>(1, 0x100000);
	noc_async_read_one_packet_set_state(bank, 64);
	for (uint32_t i = 0; i < 3; i++)
		noc_async_read_one_packet_with_state((uint32_t)bank + 64 * i, 0x41000 + 64 * i);
	noc_async_read_barrier();
	noc_async_write_multicast(0x40000, get_noc_multicast_addr(1, 2, 2, 2, 0x42000), 128, 2);
	noc_async_write(0x40000, get_noc_addr(2, 2, 0x43000), 32);
	noc_async_write_barrier();
}
KERNEL
export TT_METAL_DEVICE_PROFILER=1 TT_METAL_DEVICE_PROFILER_NOC_EVENTS=1 TT_METAL_DEVICE_PROFILER_NOC_EVENTS_RPT_PATH=$here/noc
for risc in brisc ncrisc; do
	expect_exit 0 "$TACHO" run -q -o $risc.tacho -- "$TACHO" device run -q --risc $risc --cores 0,0-1,0 spread.cpp
	mv noc $risc
done
expect_exit 0 "$TACHO" run -q -o matmul.tacho -- "$BUILD/examples/device/matmul"
mv noc matmul
"$MKTRACE" none.tacho
python3 - brisc ncrisc matmul <<'PY' >said 2>&1 || fail "$(cat said)"
import collections, glob, json, os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests")
from view_client import Server

names = sys.argv[1:]
s = Server(*[f"{n}.tacho" for n in names], "none.tacho")


def hops(at, to, size, noc):
    """Steps along one axis, around the edge: to the right or down on NoC 0, back on NoC 1."""
    path = []
    while at != to:
        path.append(at)
        at = (at + (-1 if noc else 1)) % size
    return path


def route(a, b, noc, size):
    for x in hops(a[0], b[0], size[0], noc):
        yield x, a[1], noc, "left" if noc else "right"
    for y in hops(a[1], b[1], size[1], noc):
        yield b[0], y, noc, "up" if noc else "down"


for i, name in enumerate(names):
    got = s.call("noc?dev=0", i)
    links, sums, state = collections.Counter(), collections.Counter(), {}
    for path in glob.glob(f"{name}/noc_trace*.json"):
        for e in json.load(open(path)):
            if "type" not in e:
                continue
            noc, me, kind = int(e["noc"][-1]), (e["sx"], e["sy"]), e["type"]
            use = "read" if kind.startswith("READ") else "write"
            key = me, e["proc"], noc, use
            if "SET_STATE" in kind:
                state[key] = e["dx"], e["dy"], e["num_bytes"]
                continue
            size = e["num_bytes"] or (state[key][2] if "WITH_STATE" in kind else 0)
            sums[use] += size
            sums["events"] += 1
            if "mcast_start_x" in e:
                xs, ys = ([e[f"mcast_{w}_{a}"] for w in ("start", "end")] for a in "xy")
                targets = [(x, y) for x in range(min(xs), max(xs) + 1) for y in range(min(ys), max(ys) + 1)]
                sums["multicast"] += size
            else:
                targets = [state[key][:2] if "WITH_STATE" in kind else (e["dx"], e["dy"])]
            taken = set()
            for to in targets:
                taken |= set(route(to, me, noc, got["size"]) if use == "read" else route(me, to, noc, got["size"]))
            for link in taken:
                links[link + (use,)] += size
    assert sums["events"] >= 8 and links, (name, sums)
    assert all(got[k] == sums[k] for k in ("read", "write", "multicast", "events")), (name, got, sums)
    assert got["unrouted"] == 0 and got["capacity"] > 0, got
    found = {tuple(k[:4]) + (use,): k[4 + j] for k in got["links"] for j, use in enumerate(("read", "write")) if k[4 + j]}
    assert found == dict(links), (name, set(found.items()) ^ set(links.items()))
    if name != "matmul":
        assert (sums["multicast"], sums["read"]) == (2 * 128, 2 * (96 + 3 * 64)), sums

# A range without transfers, a device that is not there, a trace without devices, a wrong parameter.
assert s.call("noc?t0=0&t1=1", 0)["links"] == [] and s.call("noc?dev=7", 0)["events"] == 0
assert s.call("noc", 3)["size"] == [0, 0]
assert "dev" in s.call("noc?dev=x", 0, status=400)["error"]
code, rest = s.end()
assert code == 0, rest
print("all links agree")
PY
expect_line said '^all links agree$'
