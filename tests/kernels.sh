# SPDX-License-Identifier: Apache-2.0
# kernels.sh STAMP PROGRAM VARIABLES...: runs PROGRAM with each of these settings, which compiles its kernels into
# $TACHO_CACHE. Its output is in STAMP.
stamp=$1 program=$2
shift 2
mkdir -p -m 700 "$TACHO_CACHE"
mkdir -p "${stamp%/*}"
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here" || exit 1
export TT_METAL_PROFILER_DIR=$here
for variables; do
	env $variables "$program"
done >"$stamp" 2>&1
exit 0
