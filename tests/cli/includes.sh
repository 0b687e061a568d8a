# SPDX-License-Identifier: Apache-2.0
# The includes of src/ and the table in ARCHITECTURE.md agree with cmake/folders.txt.
. "$SOURCE/tests/lib.sh"

check="$SOURCE/tests/check_includes.py"
expect_exit 0 python3 "$check" "$SOURCE/src" "$SOURCE/cmake/folders.txt" "$SOURCE/ARCHITECTURE.md"

# The check finds violations.
mkdir -p src/base src/trace src/elsewhere
echo '#include "trace/trace.h"' >src/base/bad.c
touch src/trace/trace.h src/elsewhere/x.c
printf '/*\n * Private: inside.\n */\n' >src/base/inside.h
echo '#include "base/inside.h"' >src/trace/curious.c
echo '#include <stdatomic.h>' >src/trace/bad.c
printf 'base:\ntrace: base # a remark\n' >table
echo '| `src/base` | errors | nothing |' >doc
expect_exit 1 python3 "$check" src table doc
expect_line out 'base must not include trace/trace.h' "'elsewhere' is not in the table" \
	'trace/bad.c: only client and ring' \
	'trace/curious.c: base/inside.h is private' "doc: the row of src/trace says None, the table \['base'\]"
