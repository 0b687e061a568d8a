#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <signal.h>
#include <pthread.h>
#include <sys/wait.h>
#include <tacho/device.h>
static struct tacho_device *device;
static void *thread(void*a){ exit(0); }
int main(int argc, char **argv)
{
	struct tacho_program *program;
	const char *how = argv[1];
	int fin = argc < 3;
	if (tacho_device_open(&device, NULL) < 0 || tacho_program_new(&program, device) < 0 ||
	    tacho_program_kernel(program, &(struct tacho_kernel){
		    .source = "hello.c", .risc = TACHO_BRISC, .cores = {{0, 0}, {1, 1}}}) < 0 ||
	    tacho_enqueue(device, program) < 0 || (fin && tacho_finish(device) < 0)) {
		fprintf(stderr, "%s\n", tacho_device_error());
		return 1;
	}
	if (!strcmp(how, "exit")) exit(3);
	if (!strcmp(how, "_exit")) _exit(3);
	if (!strcmp(how, "abort")) abort();
	if (!strcmp(how, "kill")) kill(getpid(), 9);
	if (!strcmp(how, "term")) kill(getpid(), 15);
	if (!strcmp(how, "thread")) { pthread_t t; pthread_create(&t, 0, thread, 0); pause(); }
	if (!strcmp(how, "pexit")) pthread_exit(0);
	if (!strcmp(how, "quick")) quick_exit(4);
	if (!strcmp(how, "fork")) { if (fork()==0) exit(0); wait(NULL); }
	if (!strcmp(how, "close")) {tacho_program_free(program);
	tacho_device_close(device);}
	return 0;
}
