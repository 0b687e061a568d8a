# SPDX-License-Identifier: Apache-2.0
# The text of perf script: samples and stacks, as they are in it; what is no such text.
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

# What comes before the damage is kept.
{ sed -n 1,7p app.perf; echo 'and then?'; } >cut.perf
expect_exit 4 "$TACHO" import -q cut.perf -o cut.tacho
expect_line err '^tacho: cut.perf: line 8 is not of perf script$'
expect_exit 0 "$TACHO" stacks --list --min=0 cut.tacho
expect_line out ' work '
