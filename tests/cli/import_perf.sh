# SPDX-License-Identifier: Apache-2.0
# The text of perf script: its samples and stacks; and text of other programs.
. "$SOURCE/tests/lib.sh"
export XDG_CACHE_HOME=$here/cache

cat >app.perf <<'TEXT'
# a comment
my app  4242/4243 [001] 12.000001:    1000000 cpu-clock:u: 
	    55d0c0de1139 work+0x19 (/bin/app)
	    55d0c0de1200 ns::run(std::vector<int> (*)(int)) const+0x10 (/opt/my (old)/lib.so)
	    55d0c0de1300 main+0x10 (/bin/app)
  app.c:12

my app  4242/4243 [001] 12.001001:    1000000 cpu-clock:u: 
	    55d0c0de1145 work+0x25 (/bin/app)
	    55d0c0de1300 main+0x10 (/bin/app)

my app  4242/4243 [000] 12.002001:    2000000 cpu-clock:u: 
	    55d0c0de1500 small (inlined)
	    55d0c0de1500 other+0x1 (/bin/app)
	    55d0c0de1300 main+0x10 (/bin/app)

my app  4242/4243 [000] 12.002501:          7 faults: 
	    55d0c0de1500 other+0x1 (/bin/app)

swapper     0/0     [000] 12.003001:    1000000 cpu-clock:u:  ffffffff8100 [unknown] ([kernel.kallsyms])
TEXT
expect_exit 0 "$TACHO" import app.perf
expect_line err '4 samples' '1 events of other kinds were left out'
expect_exit 0 "$TACHO" check app.tacho
expect_exit 0 "$TACHO" stacks --list --min=0 --format=json app.tacho
python3 - out <<'EOF' || fail "the samples are others"
import json, sys
found = {f["name"]: f for f in json.load(open(sys.argv[1]))}
print(found)
assert found["work"]["total_ns"] == found["work"]["self_ns"] == 2000000 and found["work"]["samples"] == 2
assert found["main"]["total_ns"] == 4000000 and found["main"]["self_ns"] == 0
assert found["small"]["self_ns"] == 2000000 and found["other"]["total_ns"] == 2000000
assert found["small"]["library"] == "app"
method = found["ns::run(std::vector<int> (*)(int)) const"]
assert method["library"] == "lib.so" and method["samples"] == 1
assert found["ffffffff8100"]["library"] == "[kernel.kallsyms]"
EOF
expect_exit 0 "$TACHO" stacks --process=4242 --range=0s..1500us --list --min=0 app.tacho
expect_line out ' work '
expect_no_line out ' small '
expect_exit 0 "$TACHO" info --show=threads --format=csv app.tacho
expect_line out '4243,my app'

# Without a process, without a period, with nanoseconds.
printf 'x 77 1.123456789: cycles: \n\t ab f+0x1 (a.out)\n\n' >y.perf
expect_exit 0 "$TACHO" import -f y.perf -o y.tacho
expect_exit 0 "$TACHO" stacks --list --format=csv y.tacho
expect_line out ',f,a.out,'

# Samples before the damage are imported.
{ sed -n 1,7p app.perf; echo 'and then?'; } >cut.perf
expect_exit 4 "$TACHO" import -q cut.perf -o cut.tacho
expect_line err '^tacho: cut.perf: line 8 is not output of perf script$'
expect_exit 0 "$TACHO" stacks --list --min=0 cut.tacho
expect_line out ' work '

# A file of perf record: mappings of a process and its child, a name, call chains, another event, a truncated file.
cat >make.py <<'PY'
import struct, sys
IP, TID, TIME, CHAIN, CPU, PERIOD, IDENTIFIER = 1, 2, 4, 32, 128, 256, 1 << 16
TYPE = IP | TID | TIME | CHAIN | CPU | PERIOD | IDENTIFIER
ids = struct.pack("<QQ", 11, 22)
attr = lambda kind, config, at, flags=0: (struct.pack("<IIQQQQQ", kind, 64, config, 1000, TYPE, 0, flags).ljust(64, b"\0") +
                                          struct.pack("<QQ", at, 8))
attrs = attr(1, 0, 104) + attr(1, 2, 112)

def record(kind, body, misc=2):
    body += b"\0" * (-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body

def mmap(pid, start, size, offset, path, tail=b""):
    path += b"\0" * (8 - len(path) % 8)
    return record(10, struct.pack("<IIQQQIIQQII", pid, pid, start, size, offset, 8, 1, 999, 0, 5, 2) + path + tail)

def sample(pid, tid, time, chain, event=11):
    return record(9, struct.pack("<QQIIQIIQQ", event, chain[0], pid, tid, time, 3, 0, 5000, len(chain) + 1) +
                  struct.pack("<Q", 2**64 - 512) + b"".join(struct.pack("<Q", c) for c in chain))

data = mmap(7, 0x1000, 0x1000, 0x400, b"/no/such/program")
data += record(3, struct.pack("<II", 7, 7) + b"worker\0")
data += sample(7, 7, 1000, [0x1010, 0x1101])
data += sample(7, 7, 2000, [0x1010, 0x1101])
data += record(7, struct.pack("<IIIIQ", 8, 7, 8, 7, 2500))
data += sample(8, 8, 3000, [0x1020, 0x1101])
data += sample(7, 7, 3500, [0x1020], 22)
data += sample(7, 9, 4000, [0x9999])
at = 120 + len(attrs)
head = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, 80, 120, len(attrs), at, len(data), 0, 0)
whole = head.ljust(104, b"\0") + ids + attrs + data
open("perf.data", "wb").write(whole)
open("cut.data", "wb").write(whole[:-30])
open("wrong.data", "wb").write(whole[:24] + struct.pack("<Q", 2**63) + whole[32:])
# Two processors: a sample comes before an older mapping, and before one that replaces it a newer mapping does.
tail = lambda time: struct.pack("<IIQIIQ", 7, 7, time, 0, 0, 11)
finished = record(68, b"")
data = sample(7, 7, 1000, [0x1010]) + mmap(7, 0x1000, 0x1000, 0x400, b"/no/such/old", tail(500)) + finished
data += mmap(7, 0x1000, 0x1000, 0x400, b"/no/such/new", tail(3000)) + finished
data += sample(7, 7, 2500, [0x1010]) + sample(7, 7, 3500, [0x1010]) + finished
attrs = attr(1, 0, 104, 1 << 18)
head = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, 80, 120, len(attrs), at - 80, len(data), 0, 0)
open("rounds.data", "wb").write(head.ljust(104, b"\0") + ids + attrs + data)
open("packed.data", "wb").write(whole[:at] + record(81, b"x" * 8) + whole[at + 16:])
PY
python3 make.py || fail "no file"
expect_exit 0 "$TACHO" import perf.data
expect_line err '4 samples' '1 events of other kinds were left out'
expect_exit 0 "$TACHO" check perf.tacho
expect_exit 0 "$TACHO" stacks --list --min=0 --format=json perf.tacho
python3 - out <<'EOF' || fail "the samples are others"
import json, sys
found = {f["name"]: (f["samples"], f["total_ns"], f["self_ns"]) for f in json.load(open(sys.argv[1]))}
print(found)
assert found == {"program+0x410": (2, 10000, 10000), "program+0x420": (1, 5000, 5000), "program+0x500": (3, 15000, 0),
                 "[unknown]+0x9999": (1, 5000, 5000)}
EOF
expect_exit 0 "$TACHO" import rounds.data
expect_exit 0 "$TACHO" stacks --list --min=0 --format=json rounds.tacho
python3 - out <<'EOF' || fail "mappings of another time"
import json, sys
found = {f["name"]: f["samples"] for f in json.load(open(sys.argv[1]))}
assert found == {"old+0x410": 2, "new+0x410": 1}, found
EOF
expect_exit 0 "$TACHO" info --show=threads --format=csv perf.tacho
expect_line out '7,worker' '8,worker'
expect_exit 4 "$TACHO" import -q cut.data -o c.tacho
expect_line err 'cut.data is cut'
expect_exit 0 "$TACHO" stacks --list --min=0 c.tacho
expect_line out 'program\+0x410'
expect_exit 4 "$TACHO" import -q wrong.data -o w.tacho
expect_line err 'wrong.data: its head is damaged'
expect_exit 4 "$TACHO" import -q packed.data -o p.tacho
expect_line err 'packed.data is compressed'

# A recording of perf with copies of stacks: the same stacks as perf finds.
perf record -q -F 500 -e cpu-clock:u --call-graph dwarf,16384 -o real.data "$BUILD/tests/sampled" share 200 >/dev/null 2>&1 &&
	perf script -F +pid -i real.data >real.perf 2>/dev/null || exit 0
expect_exit 0 "$TACHO" import -q real.data -o data.tacho
expect_exit 0 "$TACHO" import -q real.perf -o script.tacho
expect_exit 0 "$TACHO" check data.tacho
for f in data script; do
	expect_exit 0 "$TACHO" stacks -q --list --min=0 --format=json $f.tacho
	cp out $f
done
python3 - data script <<'EOF' || fail "perf finds other stacks"
import json, sys
data, script = ({f["name"]: f["samples"] for f in json.load(open(name))} for name in sys.argv[1:3])
print(data, script)
for name in ("main", "seventy", "thirty", "work", "mode_share"):
    assert abs(data[name] - script[name]) <= 0.02 * script["main"] + 1, name
EOF
