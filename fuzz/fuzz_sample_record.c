/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary perf ring records and line tables of Python code: no read goes beyond them. */
#include "sample/python.h"
#include "sample/record.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void record_use(const struct record *r)
{
	static volatile uint64_t sink;

	if (r->regs)
		for (unsigned i = 0; i < RECORD_REG_COUNT * 8; i++)
			sink += r->regs[i];
	for (size_t i = 0; i < r->stack_size; i++)
		sink += r->stack[i];
	if (r->name)
		sink += strlen(r->name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint16_t versions[] = {0x0309, 0x030a, 0x030b, 0x030d};
	struct record r;

	for (size_t at = 0; at < size;) {
		size_t n = record_size(data + at, size - at);

		if (!n || n > size - at)
			break;
		if (record_decode(data + at, n, &r))
			record_use(&r);
		at += n;
	}
	for (unsigned i = 0; i < 4; i++)
		for (int32_t offset = -2; offset < 64; offset += 6)
			python_line(versions[i], data, size, 1, offset);
	return 0;
}
