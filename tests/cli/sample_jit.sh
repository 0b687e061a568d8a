# SPDX-License-Identifier: Apache-2.0
# Code that was compiled at run time: named by the map of its compiler, if that is a file of this user.
. "$SOURCE/tests/sample.sh"

"$TACHO" run -q --sample -f -o jit.tacho -- "$BUILD/tests/jitted" 300 >map || fail "cannot record"
rm -f "$(cat map)"
expect_exit 0 "$TACHO" stacks --min=0 jit.tacho
# The caller is found by the frame pointer. Memory that had two names is marked.
expect_line out ' main ' ' jit_first ' ' jit_second\? '

if command -v node >/dev/null; then
	cat >work.js <<-END
		function jsInner(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i * s + 1); return s; }
		const end = Date.now() + 700;
		let sum = 0;
		while (Date.now() < end) sum += jsInner(200000);
		console.log(process.pid, sum);
	END
	"$TACHO" run -q --sample -f -o node.tacho -- node --perf-basic-prof work.js >said || fail "cannot record node"
	rm -f "/tmp/perf-$(cut -d' ' -f1 said).map"
	expect_exit 0 "$TACHO" stacks --list node.tacho
	expect_line out 'jsInner'
fi
