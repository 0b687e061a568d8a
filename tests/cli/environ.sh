# SPDX-License-Identifier: Apache-2.0
# Environment variables that look like ours but are not.
. "$SOURCE/tests/lib.sh"

export TACHO_LIMITMB=5 TT_METAL_PROFILER_SYNK=1
expect_exit 0 "$TACHO" run -o a.tacho -- true
expect_line err 'warning: unknown environment variable TACHO_LIMITMB; the nearest known one is TACHO_LIMIT_MB$' \
	'warning: unknown environment variable TT_METAL_PROFILER_SYNK; the nearest known one is TT_METAL_PROFILER_SYNC$'
[ "$(grep -c LIMITMB err)" = 1 ] || fail "more than one warning"
expect_exit 0 "$TACHO" run -q -f -o a.tacho -- true
expect_no_line err LIMITMB
# 'python -m tracy' warns about them too, although its recorder is quiet.
if read -r python <"$BUILD/python/interpreters"; then
	PYTHONPATH=$BUILD/python "$python" -m tracy -o prof -c pass 2>err || fail "python -m tracy ends with $?"
	[ "$(grep -c 'unknown environment variable TT_METAL_PROFILER_SYNK;' err)" = 1 ] || fail "python -m tracy does not warn about it"
fi
unset TACHO_LIMITMB TT_METAL_PROFILER_SYNK

# Misspellings at any place; variables of the runtime that Tacho lacks; and unrelated variables.
export TT_METAL_DEVICE_PROFLER=1 TT_METAL_READ_DEBUG_DELAY_RISKS=BR TTMETAL_HOME=/x
export TT_METAL_PROFILER_FILTER_CHIPS=1 TT_METAL_STREAMING_PROFILER=1 TT_METAL_DPRINT_ONE_FILE_PER_RISC=1 TACHO_NOTHING=1
export TT_METAL_CACHE=/x TT_METAL_LOGGER_LEVEL=info TT_METAL_WATCHER=1 TT_METAL_SLOW_DISPATCH_MODE=1 TTNN_CONFIG_PATH=/x
expect_exit 0 "$TACHO" run -f -o a.tacho -- true
expect_line err 'variable TT_METAL_DEVICE_PROFLER; the nearest known one is TT_METAL_DEVICE_PROFILER$' \
	'variable TT_METAL_READ_DEBUG_DELAY_RISKS; the nearest known one is TT_METAL_READ_DEBUG_DELAY_RISCVS$' \
	'variable TTMETAL_HOME; the nearest known one is TT_METAL_HOME$'
expect_line err "variable TT_METAL_STREAMING_PROFILER is not supported: .* use TT_METAL_DEVICE_PROFILER=1.*tacho run --view"
for name in TT_METAL_PROFILER_FILTER_CHIPS TT_METAL_DPRINT_ONE_FILE_PER_RISC TACHO_NOTHING; do
	expect_line err "warning: environment variable $name is not supported: it does nothing\$"
done
[ "$(grep -c 'environment variable' err)" = 7 ] || { cat err >&2; fail 'other variables are complained of'; }
# A program with a device warns about the runtime's variables if it is not recorded.
if command -v "${TACHO_RISCV_CC:-riscv64-unknown-elf-gcc}" >/dev/null; then
	printf '#include "dataflow_api.h"\nvoid kernel_main(void) {}\n' >k.c
	TACHO_CACHE=$PWD/cache expect_exit 0 "$TACHO" device run -q --arch tiny k.c
	[ "$(grep -c 'environment variable TT' err)" = 6 ] || { cat err >&2; fail 'the device does not complain'; }
fi
unset TT_METAL_DEVICE_PROFLER TT_METAL_READ_DEBUG_DELAY_RISKS TTMETAL_HOME TT_METAL_PROFILER_FILTER_CHIPS \
	TT_METAL_STREAMING_PROFILER TT_METAL_DPRINT_ONE_FILE_PER_RISC TACHO_NOTHING
TACHO_LIMIT_MB=5 expect_exit 0 "$TACHO" run -f -o a.tacho -- true
expect_no_line err 'unknown environment'

# With TACHO_LOG, lines of standard error are also written there, with their time.
TACHO_LOG=log expect_exit 3 "$TACHO" info no-such-file
TACHO_LOG=log TACHO_LIMITMB=5 expect_exit 0 "$TACHO" run -f -o a.tacho -- true
expect_count 2 log
expect_line log '^20[0-9-]+T[0-9:]+Z [0-9]+ tacho: cannot read no-such-file: No such file' '^20.* tacho: warning: unknown environment'
TACHO_LOG=/no/such/folder/log expect_error 3 'no-such-file' "$TACHO" info no-such-file
