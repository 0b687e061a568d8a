/* SPDX-License-Identifier: Apache-2.0 */
/* Names and numbers of device cores in Tracy files and on the wire. */
#include "tracy/device.h"

#include <string.h>

static const char *const riscs[8] = {"BRISC",   "NCRISC", "TRISC_0",  "TRISC_1",
				     "TRISC_2", "ERISC",  "CORE_AGG", "NONE"};

bool device_has_cores(const char *context, bool many_threads, uint8_t type)
{
	return many_threads && (type == 6 || type == 10) && !strncmp(context, "Device", 6);
}

const char *device_risc(uint64_t id)
{
	return riscs[TRACE_CORE_RISC(id) < 7 ? TRACE_CORE_RISC(id) : 7];
}

void device_track(struct trace_track *t, struct buf *name, const char *context, uint32_t number,
		  bool cores, uint64_t queue)
{
	buf_adds(name, context[0] ? context : "Device");
	if (queue & DEVICE_TID) {
		t->id = queue & ~DEVICE_TID;
		buf_addf(name, "/%s", device_risc(t->id));
	} else if (cores) {
		t->id = DEVICE_QUEUE_ID(queue);
		buf_addf(name, "/%s", riscs[queue & 7]);
	} else {
		t->id = TRACE_CORE_OTHER(number & 0x7fff, queue);
		buf_addf(name, "/%llu", (unsigned long long)queue);
	}
}

/* The packing of the 0.10 line: coordinates have 4 bits, wider ones overlap. */
uint64_t device_queue(uint64_t id)
{
	if (TRACE_CORE_IS_OTHER(id))
		return (uint32_t)id;
	return (TRACE_CORE_RISC(id) & 7) | (uint64_t)(TRACE_CORE_X(id) & 15) << 3 |
	       (uint64_t)(TRACE_CORE_Y(id) & 15) << 7 |
	       (uint64_t)(TRACE_CORE_DEVICE(id) & 255) << 11;
}

bool device_has_ops(uint64_t id)
{
	return !TRACE_CORE_IS_OTHER(id) && (TRACE_CORE_RISC(id) == 0 || TRACE_CORE_RISC(id) == 5);
}

bool device_op(const struct trace *trace, uint32_t track, uint32_t srcloc, uint32_t extras,
	       struct trace_cursor *cursor, uint64_t *id)
{
	struct trace_extra e;

	if (!device_has_ops(trace->tracks[track].id) || trace->srclocs[srcloc].function[0])
		return false;
	for (uint32_t i = 0; i < extras && trace_cursor_extra(cursor, i, &e) == 0; i++) {
		if (e.kind == TRACE_EXTRA_VALUE) {
			*id = e.value;
			return *id > 0;
		}
	}
	return false;
}
