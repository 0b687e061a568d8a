# The larger suite that lies beside the project on its authors' machines; elsewhere there is nothing to do.
# labels: long
. "$SOURCE/tests/lib.sh"
check=$SOURCE/../shared/tools/check-perf-report
[ -x "$check" ] || { echo "no $check: skipped"; exit 0; }
if [ -z "$SANITIZE" ]; then
	python3 "$check" "$BUILD/tt-perf-report" || fail "see above"
else # too slow for all of it
	for group in signpost idrange multi arch error synth2; do
		python3 "$check" -g $group "$BUILD/tt-perf-report" || fail "see above"
	done
fi
