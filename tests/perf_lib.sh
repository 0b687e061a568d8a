# SPDX-License-Identifier: Apache-2.0
# For the scripts cli/perf_*.sh: a small ops report that nobody ran.
. "$SOURCE/tests/lib.sh"
REPORT=$BUILD/tt-perf-report

# The columns of an ops report that perf-report uses, and the rows of a file in which each op is
# NAME;TYPE;DEVICE;DURATION;GAP;CORES and, for a multiplication, ;M;K;N;FIDELITY;IN0;IN1;OUT;MEMORY;ATTRIBUTES
header='OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,DEVICE ARCH,ATTRIBUTES,MATH FIDELITY,CORE COUNT,AVAILABLE WORKER CORE COUNT,HOST START TS,OP TO OP LATENCY [ns],DEVICE KERNEL DURATION [ns]'
for tensor in INPUT_0 INPUT_1 OUTPUT_0; do
	header+=",${tensor}_W_PAD[LOGICAL],${tensor}_Z_PAD[LOGICAL],${tensor}_Y_PAD[LOGICAL],${tensor}_X_PAD[LOGICAL],${tensor}_DATATYPE,${tensor}_MEMORY"
done

ops() {
	local clock=1000 name type device duration gap cores m k n fidelity in0 in1 out memory attributes
	echo "$header"
	while IFS=';' read -r name type device duration gap cores m k n fidelity in0 in1 out memory attributes; do
		clock=$((clock + 10))
		case $type in
		dev) type=tt_dnn_device ;;
		sign) type=signpost ;;
		esac
		printf '%s,%s,%s,%s,wormhole_b0,"%s",%s,%s,64,%s,%s,%s' "$name" "$type" $clock "$device" "$attributes" \
			"$fidelity" "$cores" $clock "$gap" "$duration"
		if [ -n "${m:-}" ]; then
			printf ',1[1],1[1],%s[%s],%s[%s],%s,%s' "$m" "$m" "$k" "$k" "$in0" "$memory"
			printf ',1[1],1[1],%s[%s],%s[%s],%s,DEV_0_DRAM_INTERLEAVED' "$k" "$k" "$n" "$n" "$in1"
			printf ',1[1],1[1],%s[%s],%s[%s],%s,DEV_0_L1_INTERLEAVED\n' "$m" "$m" "$n" "$n" "$out"
		elif [ -z "$device" ]; then
			printf '%.0s,' {1..18}
			echo
		else
			printf ',1,1,32,32,BFLOAT16,DEV_0_L1_INTERLEAVED,,,,,,,1,1,32,32,BFLOAT16,DEV_0_L1_INTERLEAVED\n'
		fi
	done
}

ops >small.csv <<'ROWS'
warm;sign
Copy;dev;0;1000;0;8
go;sign
Matmul;dev;0;100000;2000;64;1024;1024;1024;HiFi4;BFLOAT16;BFLOAT16;BFLOAT16;DEV_0_DRAM_INTERLEAVED
MatmulDeviceOperation;dev;0;50000;10000;32;512;1024;512;HiFi2;BFLOAT8_B;BFLOAT8_B;BFLOAT8_B;DEV_0_L1_INTERLEAVED;'program_config': 'P(in0_block_w=1;out_subblock_h=1;out_subblock_w=1)'
(torch) add;python_fallback
LayerNorm;dev;0;20000;500;64
ROWS
