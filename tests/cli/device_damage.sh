# SPDX-License-Identifier: Apache-2.0
# Kernels that overwrite memory: the damage is reported, and no damaged data is reported as complete.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/device.sh"
export TT_METAL_DEVICE_PROFILER=1 TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES=1

# ---- profiler buffers
# recorded KERNEL OPTION...: records KERNEL into k.tacho, its output into "err"
recorded() {
	expect_exit 4 "$TACHO" run -q -f -o k.tacho -- "$TACHO" device run -q "$@"
}
cat >zero.c <<'END'
#include "dataflow_api.h"
void kernel_main(void)
{
	{ DeviceZoneScopedN("A"); }
	{ DeviceZoneScopedN("B"); }
	{ DeviceZoneScopedN("C"); }
	*(volatile uint32_t *)(MAILBOX(M_PROF_BUFFER) + 4 * PROF_OPTIONAL) = 0;
	{ DeviceZoneScopedN("D"); }
}
END
recorded --op-support-count 100 zero.c # buffers that only the end empties: the host may take markers before they are overwritten
expect_count 2 err # the recorder says that events were lost, too
expect_line err '^tacho: warning: device 0: kernels have overwritten the profiler.s buffers, 2 markers cannot be trusted, the first of core 0,0 \(NoC 1,1\), BRISC, op 1024$'
expect_no_line out '^BRISC  A '
for zone in B C D BRISC-KERNEL BRISC-FW; do expect_line out "^BRISC  $zone +1 "; done
expect_exit 0 "$TACHO" check k.tacho
expect_line out '^lost +2$' '^verdict +whole, with losses$'
expect_exit 0 "$TACHO" info --show losses k.tacho
expect_line out 'device buffers overwritten'
expect_exit 4 "$TACHO" ops -o ops k.tacho
expect_line ops/reports/report_issues.csv '^markers-overwritten,yes,,,1024,0,1,1,.*2 markers of BRISC'
expect_line ops/reports/ops_perf_results.csv '^OP CODE,.*,UNRELIABLE' ',markers overwritten'

expect_exit 4 "$TACHO" ops --device-only -f -o only k.tacho
expect_line only/reports/report_issues.csv '^markers-overwritten,yes,,,,0,1,1,.*2 markers of BRISC'
# The page marks the op and names the loss.
export XDG_CACHE_HOME=$here/cache
python3 - k.tacho <<'END' || fail 'the page does not mark the op'
import os, sys
sys.path.insert(0, os.environ["SOURCE"] + "/tests")
from view_client import Server
s = Server(sys.argv[1])
rows = s.call("ops", 0)["rows"]
assert [r.get("unreliable") for r in rows] == [True], rows
assert s.call(f"op?id={rows[0]['id']}", 0)["op"]["unreliable"] is True
warnings = s.call("overview", 0)["warnings"]
assert any("2 markers lost: device buffers overwritten" in w["text"] for w in warnings), warnings
s.end()
END

cat >all.c <<'END'
#include "dataflow_api.h"
void kernel_main(void)
{
	volatile uint32_t *b = (volatile uint32_t *)MAILBOX(M_PROF_BUFFER);
	{ DeviceZoneScopedN("A"); }
	for (uint32_t i = 0; i < 5 * 512; i++)
		b[i] = 0x9e3779b9u * (i + 1);
	{ DeviceZoneScopedN("B"); }
}
END
for options in '' '--op-support-count 100'; do
	recorded $options all.c
	# The host drains markers while the kernel runs: A may arrive before it is overwritten.
	[ -n "$options" ] || sed -i '/^BRISC  A /d' out
	[ "$(grep -c . out)" = 2 ] || { cat out >&2; fail 'more than zone B is believed'; }
	expect_line out '^BRISC  B +1 '
	expect_exit 0 "$TACHO" info k.tacho
	# A damaged time would stretch the trace to hours.
	expect_no_line out ' [0-9,]{4,}[.0-9]* s$| [0-9.]+ (min|h|d)$'
done
# A correct kernel has no such column and no damage.
printf '#include "dataflow_api.h"\nvoid kernel_main(void) { DeviceZoneScopedN("A"); }\n' >good.c
expect_exit 0 "$TACHO" run -q -f -o k.tacho -- "$TACHO" device run -q good.c
expect_count 0 err
expect_exit 0 "$TACHO" ops -f -o ops k.tacho
expect_no_line ops/reports/ops_perf_results.csv UNRELIABLE

# ---- kernels are compiled against the firmware's addresses: other firmware needs another kernel
cp -r "$SOURCE/firmware" fw
cp -r "$SOURCE/include" include
mkdir cache
for change in 0 1; do
	[ $change = 0 ] || sed -i 's/^uint32_t tacho_prof_index/uint32_t tacho_moved = 1;\n&/' fw/src/common.c
	TACHO_FIRMWARE=$PWD/fw TACHO_CACHE=$PWD/cache expect_exit 0 "$TACHO" device run -q good.c
	expect_line out '^BRISC  A +1 ' '^BRISC  BRISC-FW +1 '
done

# ---- stacks and jumps
cat >deep.c <<'END'
#include "dataflow_api.h"
__attribute__((noinline)) static uint32_t deep(uint32_t n)
{
	volatile uint32_t a[8];
	a[n & 7] = n;
	return n ? deep(n - 1) + a[n & 7] : 0;
}
__attribute__((noinline)) static uint32_t wide(uint32_t n)
{
	volatile uint8_t a[n];
	a[n / 2] = 1;
	return a[n / 2];
}
void kernel_main(void)
{
	DeviceZoneScopedN("DEEP");
	*(volatile uint32_t *)0x40000 = get_arg_val(0) ? deep(get_arg_val(1)) : wide(get_arg_val(1));
}
END
expect_exit 0 "$TACHO" device run -q -x 1 -x 10 deep.c
for risc in brisc ncrisc; do
	expect_exit 0 "$TACHO" device run -q -r $risc -x 0 -x 100 deep.c
	# 80 overwrote the firmware's data and ended without zones
	for n in '1 -x 80' '1 -x 1000' '0 -x 4000' '0 -x 100000'; do
		expect_exit 4 "$TACHO" device run -q -r $risc -x $n deep.c
		expect_line err "^tacho: device 0, core 0,0 \(NoC 1,1\), ${risc^^}: stack overflow: .* at 0xff[ab][0-9a-f]{5}\$" \
			'^  pc 0x[0-9a-f]+ in (deep|wide)\+0x[0-9a-f]+ of .*deep\.c, cycle '
	done
done
cat >nothing.c <<'END'
#include "dataflow_api.h"
void kernel_main(void)
{
	void (*volatile f)(void) = (void (*)(void))(get_arg_val(0));
	f();
}
END
expect_exit 4 "$TACHO" device run -q -x 0 nothing.c
expect_line err '^tacho: device 0, core 0,0 \(NoC 1,1\), BRISC: call of address 0$' '^  pc 0x[0-9a-f]+ in kernel_main'
# Into an endless loop outside of any function: the report still names the core and RISC.
sed -i 's/= (void.*/= (void (*)(void))0x60000;\n\t*(volatile uint32_t *)0x60000 = 0x6f;/' nothing.c
expect_exit 4 "$TACHO" device run -q --max-cycles 100000 -x 0 nothing.c
expect_line err '^  device 0, core 0,0 \(NoC 1,1\), BRISC (waits|runs): pc 0x60000'
