# SPDX-License-Identifier: Apache-2.0
# For the tests of "tacho db" on both engines: sourced after lib.sh. $DB is the URL.
export XDG_CONFIG_HOME=$PWD/config XDG_DATA_HOME=$PWD/data
unset TACHO_DB TACHO_DB_USER TACHO_DB_PASSWORD TACHO_DB_PASSWORD_FILE TACHO_DB_CA_FILE

# make_report FILE SEED PERCENT [OPS]: a report of some ops; Matmul takes PERCENT more.
cat >make_report.py <<'PY'
import csv, random, sys
file, seed, more = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
count = int(sys.argv[4]) if len(sys.argv) > 4 else 20
random.seed(seed)
ops = [("Matmul", 112e3), ("LayerNorm", 88e3), ("AllGatherAsync", 30e3), ("O'Brien\\ \"x\"; DROP TABLE op; --\t\u00e9\n?", 9e3)]
with open(file, "w", newline="") as f:
    out = csv.writer(f)
    out.writerow(["OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID", "MATH FIDELITY", "HOST START TS", "DEVICE FW START CYCLE",
                  "DEVICE FW END CYCLE", "DEVICE FW DURATION [ns]", "DEVICE KERNEL DURATION [ns]", "CORE COUNT"])
    for i in range(count):
        name, base = ops[i % len(ops)]
        d = int(base * (1 + more / 100 if name == "Matmul" else 1) * random.gauss(1, 0.002))
        out.writerow([name, "tt_dnn_device", i // 2 << 10 | i % 2, i % 2, "HiFi2", i * 200000, i * 200000, i * 200000 + d, d, d, 64])
PY
make_report() { python3 make_report.py "$@"; }

# A commit of forty digits for a number.
commit() { printf '%08x%032x' $(($1 * 2654435761 % 4294967296)) "$1"; }

# push_run N PERCENT [OPTIONS]: the run of commit N.
push_run() {
	local n=$1 more=$2
	shift 2
	make_report r.csv "$n" "$more"
	"$TACHO" db push -q --db "$DB" -p llama -s decode --commit "$(commit "$n")" --commit-seq "$n" --branch main "$@" r.csv ||
		fail "push of run $n"
}

# What counts: runs, rows of ops, their time, and of the roll-up. Equal for equal content on any engine.
db_totals() {
	"$TACHO" db runs --db "$DB" --format=csv --dirty | sort | cut -d, -f1,3,4,5,6,8,10-14
}
