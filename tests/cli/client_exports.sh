# SPDX-License-Identifier: Apache-2.0
# libtacho exports only its own names, needs only libc, and stays loaded after dlclose().
. "$SOURCE/tests/lib.sh"
[ -z "$SANITIZE" ] || skip "sanitizers add names of their own"

nm -D --defined-only "$BUILD/libtacho.so" | awk '{ print $3 }' >names
grep -vE '^(tacho_|___tracy_)' names >foreign
expect_count 0 foreign
[ "$(wc -l <names)" -gt 80 ] || fail "only $(wc -l <names) names"
readelf -d "$BUILD/libtacho.so" >dynamic
grep NEEDED dynamic | grep -vE 'libc\.so\.6|ld-linux' >needed
expect_count 0 needed
expect_line dynamic 'SONAME.*libtacho\.so\.0' 'NODELETE'
# No symbols of malloc, threads, sockets or signal handlers are undefined in it.
nm -D --undefined-only "$BUILD/libtacho.so" >wanted
expect_no_line wanted ' (malloc|calloc|realloc|free|pthread_create|socket|sigaction|signal|printf|fopen)(@|$)'
# Every function that the headers declare is exported.
grep -ohE '\b(tacho|___tracy)_[a-z_A-Z]+\(' "$SOURCE/include/tacho/tacho.h" "$SOURCE/include/tracy/TracyC.h" |
	tr -d '(' | sort -u >declared
cat "$SOURCE/include/tacho/tacho.h" "$SOURCE/include/tracy/TracyC.h" | tr '\n\t' '  ' |
	grep -oE '(TACHO|TRACY)_API [^;({]*\(' | grep -oE '[a-zA-Z_]+\($' | tr -d '(' | sort -u >public
[ "$(wc -l <public)" -gt 70 ] || fail "only $(wc -l <public) functions found in the headers"
sort -u names >have
comm -23 public have >missing
expect_count 0 missing
