/* SPDX-License-Identifier: Apache-2.0 */
/* After a change of root, of namespaces and of the user the ring is still there. Needs root. */
#include "emit.h"

#include <sched.h>
#include <sys/stat.h>

int main(void)
{
	char dir[] = "/tmp/tacho-jail-XXXXXX";

	if (geteuid() != 0) {
		text_emit(0, 0);
		return 0;
	}
	emit_zones(10);
	if (!mkdtemp(dir) || chroot(dir) < 0 || chdir("/") < 0 ||
	    unshare(CLONE_NEWNS | CLONE_NEWNET) < 0)
		return 1;
	emit_zones(20000);
	if (setgid(65534) < 0 || setuid(65534) < 0)
		return 1;
	emit_zones(20000);
	TACHO_MESSAGE("from the jail");
	text_emit(40010, 1);
	return 0;
}
