/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters that viewers can set. A viewer leaves a value in the control page, which every process
 * of a session has mapped; the program takes it when it asks.
 */
#include "client/client.h"
#include "client/kept.h"

#include <tacho/tacho.h>

TACHO_API void tacho_parameter(uint32_t number, const char *name, enum tacho_parameter_type type,
			       int32_t value)
{
	struct thread *t = thread_current();
	uint64_t words[3] = {number | (uint64_t)(type & 0xff) << 32, (uint32_t)value, 0};

	if (!client_process)
		return;
	words[2] = names_intern(name);
	if (!kept_change(RING_PARAMETER, number, words[1]))
		kept_add(RING_PARAMETER, words, 3, NULL, 0);
	if (t)
		record_emit(t, RING_PARAMETER, words, 3, NULL, 0);
}

TACHO_API int tacho_parameter_next(uint32_t *number, int32_t *value)
{
	const struct ring_header *ring;
	struct thread *t;
	uint32_t bits;

	if (!tacho_is_recording())
		return 0;
	t = thread_current();
	ring = t && client_process ? (const struct ring_header *)client_process->base : NULL;
	if (!ring || !ring_parameter_take(client_control, ring->pid, number, &bits))
		return 0;
	*value = (int32_t)bits;
	kept_change(RING_PARAMETER, *number, bits);
	record_emit(t, RING_PARAMETER_SET, (const uint64_t[]){*number, bits}, 2, NULL, 0);
	return 1;
}
