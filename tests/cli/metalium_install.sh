# SPDX-License-Identifier: Apache-2.0
# labels: long
# Programs in the style of tt-metal, built from an install tree by find_package and by pkg-config.
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/device.sh"
[ -z "$SANITIZE" ] || skip "programs without the sanitizer cannot load sanitized libraries"
[ -e /usr/include/fmt/format.h ] || skip "no libfmt-dev (scripts/setup --tests installs it)"
cmake --install "$BUILD" --prefix "$here/prefix" >install.log || { cat install.log >&2; fail "cannot install"; }
export PKG_CONFIG_PATH=$(dirname "$(find "$here/prefix" -name tacho-metalium.pc)")
export LD_LIBRARY_PATH=$(pkg-config --variable=libdir tacho-metalium)

cp -r "$SOURCE/examples/metalium" examples
cmake -S examples -B made -G Ninja -DCMAKE_PREFIX_PATH="$here/prefix" >log 2>&1 &&
	cmake --build made >>log 2>&1 || { cat log >&2; fail "the examples do not build"; }
expect_no_line log 'warning:'
for source in examples/*.cpp; do
	expect_exit 0 "made/$(basename "$source" .cpp)"
	expect_line out '^Test Passed$'
done

read -ra flags <<<"$(pkg-config --cflags --libs tacho-metalium)"
"${CXX:-c++}" -Wall -Wextra -Werror -o wrong "$SOURCE/tests/metalium/wrong.cpp" "${flags[@]}" 2>log ||
	{ cat log >&2; fail "pkg-config tacho-metalium does not do"; }
expect_exit 0 ./wrong
