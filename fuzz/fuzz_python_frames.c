/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The input is the memory of an interpreter: threads, frames, code objects and line tables. Words
 * with the top byte 0xf5 become addresses in it, as no fuzzer could guess them.
 */
#include "sample/python.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint16_t versions[] = {0x0309, 0x030a, 0x030b, 0x030c, 0x030d};
	static struct python_frame frames[PYTHON_FRAMES];
	struct python py = {.pid = getpid()};
	uint8_t *memory;
	unsigned count;

	if (size < 16)
		return 0;
	py.layout = python_layout_of(versions[data[0] % 5]);
	memory = malloc(size - 8);
	if (!memory)
		return 0;
	memcpy(memory, data + 8, size - 8);
	for (size_t i = 0; i + 8 <= size - 8; i += 8) {
		uint64_t word;

		memcpy(&word, memory + i, sizeof(word));
		if (word >> 56 != 0xf5)
			continue;
		word = (uint64_t)(uintptr_t)memory + (word & 0xffffff) % (size - 8);
		memcpy(memory + i, &word, sizeof(word));
	}
	py.runtime = py.code_type = (uint64_t)(uintptr_t)memory;
	count = python_frames(&py, data[1], (uint64_t)(uintptr_t)memory, frames);
	if (count > PYTHON_FRAMES)
		abort();
	for (unsigned i = 0; i < count; i++) {
		struct python_code code;

		if (!python_code_read(&py, frames[i].code, &code))
			continue;
		python_line(py.layout->version, code.table, code.table_len, code.first_line,
			    frames[i].offset);
		python_code_is_same(&py, frames[i].code, &code);
		python_code_free(&code);
	}
	python_line(py.layout->version, data + 8, size - 8, data[2],
		    (int32_t)(data[3] << data[4] % 20));
	free(memory);
	return 0;
}
