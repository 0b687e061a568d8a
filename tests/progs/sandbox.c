/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Installs a seccomp filter that kills the process for nearly every system call, and emits:
 * sandbox HOW [FILE]. HOW is "seal": tacho_seal() comes first; "wait": it does not, and the offset
 * of the word by which the recorder seals its ring is printed; "fork": like "seal", and a child
 * emits too. It goes on when FILE is gone.
 */
#include "../../src/ring/layout.h"
#include "emit.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define ZONES 100000

/* Enough to print a line, to wait for a file and to end; and to make a child in "fork". */
static void filter_install(bool with_children)
{
	static const unsigned calls[] = {SYS_write,           SYS_exit_group, SYS_rt_sigreturn,
					 SYS_clock_nanosleep, SYS_access,     SYS_faccessat,
					 SYS_clone,           SYS_wait4,      SYS_set_robust_list};
	size_t count = sizeof(calls) / sizeof(calls[0]) - (with_children ? 0 : 3), n = 0;
	struct sock_filter filter[64];
	struct sock_fprog program = {.filter = filter};

	filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						   offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < count; i++) {
		filter[n++] =
			(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
		filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	program.len = (unsigned short)n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		_exit(77);
}

static void emit_some(void)
{
	char name[32];

	emit_zones(ZONES);
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "made at run time %d", i);
		tacho_plot_int(name, i);
		tacho_messagef(TACHO_INFO, 0, "%s %0600d", name, i);
	}
	tacho_thread_name("sandboxed");
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "seal";
	pid_t child = 0;

	emit_zones(10);
	if (!strcmp(how, "wait")) {
		fprintf(stderr, "%zu\n", offsetof(struct ring_header, sealed));
		filter_install(false);
	} else {
		tacho_seal();
		filter_install(!strcmp(how, "fork"));
	}
	while (is_held(argc, argv, 2))
		usleep(1000);
	emit_some();
	if (!strcmp(how, "fork")) {
		child = fork();
		emit_zones(10);
		if (child > 0)
			child_reap(child);
	}
	if (child == 0 && !strcmp(how, "fork"))
		_exit(0);
	text_emit(ZONES + 10 + (child ? 10 : 0), 200);
	return 0;
}
