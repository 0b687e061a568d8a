# The arrows between the folders of src/ are those of the design.
. "$SOURCE/tests/lib.sh"

expect_exit 0 python3 "$SOURCE/tests/check_includes.py" "$SOURCE/src"

# It does find what it is for.
mkdir -p src/base src/trace src/elsewhere
echo '#include "trace/trace.h"' >src/base/bad.c
touch src/trace/trace.h src/elsewhere/x.c
echo '#include <stdatomic.h>' >src/trace/bad.c
expect_exit 1 python3 "$SOURCE/tests/check_includes.py" src
expect_line out 'base must not include trace/trace.h' "'elsewhere' is not in the design" 'trace/bad.c: only client and ring'
