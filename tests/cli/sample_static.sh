# SPDX-License-Identifier: Apache-2.0
# Static programs have unwinding tables without an index.
. "$SOURCE/tests/sample.sh"

cat >spin.c <<-END
	#include <time.h>
	__attribute__((noinline)) int burn(int n) { volatile int s = 0; while (n-- > 0) s += n; return s; }
	int main(void)
	{
		struct timespec t;

		do {
			burn(100000);
			clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
		} while (t.tv_sec == 0 && t.tv_nsec < 100000000);
		return 0;
	}
END
cc -O2 -static -o spin spin.c || fail "cannot link a static program"
cp spin stripped && strip stripped
for program in spin stripped; do
	"$TACHO" run -q --sample -f -o a.tacho -- "./$program" || fail "cannot record"
	expect_exit 0 "$TACHO" stacks -q --min=0 --depth=1 --format=json a.tacho
	python3 - out <<'END' || fail "stacks of $program are not whole: $(cat out)"
import json, sys
rows = json.load(open(sys.argv[1]))
whole = sum(r["samples"] for r in rows if not r["name"].startswith("["))
sys.exit(whole < 0.98 * sum(r["samples"] for r in rows) or whole < 10)
END
done
