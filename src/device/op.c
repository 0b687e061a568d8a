/* Ops: what programs are called, in logs and on tracks. */
#include "device/device.h"

#include <pthread.h>

#define DEVICE_BITS  10
#define PROGRAM_BITS 21 /* bit 31 is for ops of the host */

uint32_t op_next(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static uint32_t last;
	uint32_t base;

	pthread_mutex_lock(&lock);
	base = ++last ? last : ++last;
	pthread_mutex_unlock(&lock);
	return base;
}

/* Numbers that do not fit go on behind the host's bit, so that none comes twice. */
uint64_t op_id(const struct tacho_device *d, uint32_t base)
{
	uint64_t low = base & ((1u << PROGRAM_BITS) - 1), high = base >> PROGRAM_BITS;

	return base ? high << 32 | low << DEVICE_BITS | d->number : 0;
}
