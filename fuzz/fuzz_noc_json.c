/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a NoC trace, and as a JSON document. */
#include "base/jread.h"
#include "op/pytext.h"
#include "ttlog/noc_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct op_noc_op op = {0};
	struct jread json = {0};
	struct buf text = BUF_INIT;
	const struct jread_value *v = jread_parse(&json, (const char *)data, size, NULL);

	ttlog_noc_parse(&op, (const char *)data, size, NULL);
	if (v)
		pytext_str(&text, v);
	buf_free(&text);
	jread_free(&json);
	return 0;
}
