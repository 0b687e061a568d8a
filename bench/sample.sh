#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What sampling costs: time of a program with samples at 100 to 1000 Hz against the bare program, for tacho and for
# "perf record" with equal copies of stacks, interleaved; the recorder's own processor time and bytes per sample; and
# the share of whole stacks in several programs. ROUNDS and MS may be set.
set -euo pipefail
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cat >"$here/loop.c" <<-END
	#include <stdio.h>
	#include <stdlib.h>
	static int deep(int n, int *v) { volatile char b[400]; b[0] = (char)n; int r = n ? deep(n - 1, v) : v[0]; return r + b[0]; }
	static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
	int main(int argc, char **argv) {
		static int v[2000];
		long sum = 0;
		for (int i = 0; i < atoi(argv[1]); i++) {
			for (int k = 0; k < 2000; k++) v[k] = (k * 7919 + i) % 10007;
			qsort(v, 2000, sizeof(int), order);
			sum += deep(30, v);
		}
		printf("%ld\n", sum);
		return argc > 9;
	}
END
cc -O2 -o "$here/loop" "$here/loop.c"
python3 - "$BUILD" "$here" "${ROUNDS:-7}" "${MS:-1000}" <<'PY'
import json, os, shutil, subprocess, sys, time

build, here, rounds, ms = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
tacho, loop = build + "/tacho", here + "/loop"


def cpu_of(words):
    """Processor seconds of the program: that of the recorder's children."""
    with open(os.devnull, "w") as null:
        p = subprocess.Popen(words, stdout=null, stderr=null)
        _, status, used = os.wait4(p.pid, 0)
    if status:
        sys.exit(f"{words} fails")
    return used.ru_utime + used.ru_stime


def program_cpu(prefix):
    """The program measures itself: recorders are its parents, whose own time does not count."""
    times = here + "/times"
    shell = f"exec 3>{times}; TIMEFORMAT=%U+%S; {{ time {loop} {count} >/dev/null; }} 2>&3"
    subprocess.run(prefix + ["bash", "-c", shell], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return sum(float(x) for x in open(times).read().split("+"))


count = 200
count = max(1, int(count * ms / 1000 / cpu_of([loop, str(count)])))
trace, data = here + "/a.tacho", here + "/perf.data"
ways = {"bare": []}
for hz in (100, 250, 500, 1000):
    ways[f"tacho {hz}"] = [tacho, "run", "-q", "-f", f"--sample={hz}", "--stack-kb=16", "-o", trace, "--"]
    if shutil.which("perf"):
        ways[f"perf {hz}"] = ["perf", "record", "-q", "-e", "cpu-clock:u", "-F", str(hz), "--call-graph", "dwarf,16384",
                              "-o", data, "--"]
took = {name: [] for name in ways}
figures = {}
for _ in range(rounds):
    for name, prefix in ways.items():
        took[name].append(program_cpu(prefix))
        if name.startswith("tacho"):
            info = {p["key"]: p["value"] for p in json.loads(subprocess.check_output(
                [tacho, "info", "--format=json", "--show=properties", trace]))}
            n = max(1, int(info["samples"]))
            figures[name] = (n, 1e6 * float(info["sampler cpu seconds"]) / n, os.path.getsize(trace) / n)
        elif name.startswith("perf"):
            figures[name] = (0, 0, os.path.getsize(data))


def quartile(values):
    return sorted(values)[len(values) // 4]


print(f"{rounds} interleaved rounds of {ms} ms; first quartile of the program's processor time")
print(f"{'':12} {'x bare':>8} {'samples':>8} {'us each':>8} {'bytes each':>11}")
for name in ways:
    ratio = quartile([a / b for a, b in zip(took[name], took["bare"])])
    n, us, size = figures.get(name, (0, 0, 0))
    if name.startswith("perf"):
        n = figures["tacho" + name[4:]][0]
        size /= n
    print(f"{name:12} {ratio:8.3f} {n or '':>8} {f'{us:.1f}' if us else '':>8} {f'{size:.1f}' if size else '':>11}")

print("\nwhole stacks:")
big = ("import re, json\nfor i in range(400): json.loads(json.dumps([{'a': k, 'b': str(k)} for k in range(300)])); "
       "re.findall('[a-c]+', 'abcabd' * 500)")
sql = ("with recursive c(x) as (values(1) union all select x+1 from c where x<600000) "
       "select count(distinct x*7 % 1000), sum(x) from c")
source = here + "/big.c"
with open(source, "w") as f:
    f.write("#include <stdio.h>\n" + "".join(
        f"int f{i}(int a) {{ for (int k = 0; k < a; k++) if (k % {i + 2} == 0) a += k ^ {i}; else a -= k; return a; }}\n"
        for i in range(1500)))
cases = {
    "C, libc": [loop, str(count)],
    "python3": [sys.executable, "-c", big],
    "node": ["node", "-e", "let s = 0; for (let i = 0; i < 3e7; i++) s += Math.sqrt(i ^ s); console.log(s)"],
    "sqlite3": ["sqlite3", ":memory:", sql],
    "cc1": ["cc", "-O2", "-c", "-o", "/dev/null", source],
    "perl": ["perl", "-e", "my %h; for my $i (1..900000) { $h{$i % 1000} .= chr($i % 64 + 32) } print scalar keys %h"],
    "xz": ["xz", "-9", "-k", "-c", build + "/tacho"],
    "bash": ["bash", "-c", "for ((i = 0; i < 200000; i++)); do s=${s:0:20}$((i % 10)); done"],
}
for name, words in cases.items():
    if not shutil.which(words[0]):
        print(f"{name:12} not installed")
        continue
    subprocess.run([tacho, "run", "-q", "-f", "--sample=1000", "-o", trace, "--"] + words, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    rows = json.loads(subprocess.check_output([tacho, "stacks", "-q", "--min=0", "--depth=1", "--format=json", trace]))
    total = sum(r["samples"] for r in rows)
    ends = {r["name"]: r["samples"] for r in rows if r["name"].startswith("[") and r["name"] != "[whole]"}
    whole = total - sum(ends.values())
    size = [p["value"] for p in json.loads(subprocess.check_output(
        [tacho, "info", "--format=json", "--show=properties", trace])) if p["key"] == "sampling stack bytes"][0]
    rest = ", ".join(f"{k} {v}" for k, v in sorted(ends.items(), key=lambda e: -e[1]))
    print(f"{name:12} {100 * whole / max(1, total):6.2f} % of {total:6} samples, copies of {size} bytes  {rest}")
PY
