# SPDX-License-Identifier: Apache-2.0
# The tables of docs/kernels.md have the names that the kernel API's headers define.
. "$SOURCE/tests/lib.sh"

check="$SOURCE/tests/check_kernel_api.py"
expect_exit 0 python3 "$check" "$SOURCE" "$KERNELS/forward"

# The check finds missing names.
mkdir -p other/docs
ln -s "$SOURCE/firmware" "$SOURCE/include" other/
sed 's/`noc_async_read`/`noc_async_guess`/' "$SOURCE/docs/kernels.md" >other/docs/kernels.md
expect_exit 1 python3 "$check" other "$KERNELS/forward"
expect_line out "not in the headers: \['noc_async_guess'\]; not in the document: \['noc_async_read'\]"
