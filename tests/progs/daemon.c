/* SPDX-License-Identifier: Apache-2.0 */
/* Becomes a daemon: forks twice, closes every descriptor, keeps emitting. */
#include "emit.h"

#include <sys/resource.h>

int main(void)
{
	pid_t child = fork();

	if (child == 0) {
		text_emit(2000, 1);
		emit_zones(1000);
		for (int fd = 0; fd < 4096; fd++)
			close(fd);
		emit_zones(1000);
		TACHO_MESSAGE("without descriptors");
		_exit(0);
	}
	child_reap(child);
	text_emit(100, 0);
	emit_zones(100);
	return 0;
}
