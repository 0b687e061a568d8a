/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A little renderer that uses every feature of tacho.h: two processes, four threads each doing a
 * part of the work, jobs in a queue with a lock, a pool of buffers, plots, frames, fibers,
 * messages.
 *
 *	tacho run -o demo.tacho -- demo
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <tacho/tacho.h>
#include <unistd.h>

#define FRAMES  60
#define WORKERS 3
#define JOBS    12 /* per frame */

static pthread_mutex_t queue_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queue_changed = PTHREAD_COND_INITIALIZER;
static struct tacho_lock queue_lock = TACHO_LOCK_INIT("job queue");

static pthread_rwlock_t scene_mutex = PTHREAD_RWLOCK_INITIALIZER;
static struct tacho_lock scene_lock = TACHO_LOCK_INIT_SHARED("scene");
static double scene = 1.0;

static int queued, running, stopping;

/* ------------------------------------------------- recorded locks */

static void lock_queue(void)
{
	tacho_lock_event(&queue_lock, TACHO_LOCK_WAIT);
	pthread_mutex_lock(&queue_mutex);
	tacho_lock_event(&queue_lock, TACHO_LOCK_OBTAIN);
}

static void unlock_queue(void)
{
	pthread_mutex_unlock(&queue_mutex);
	tacho_lock_event(&queue_lock, TACHO_LOCK_RELEASE);
}

/* A condition variable releases the lock and takes it again. */
static void wait_for_change(void)
{
	tacho_lock_event(&queue_lock, TACHO_LOCK_RELEASE);
	pthread_cond_wait(&queue_changed, &queue_mutex);
	tacho_lock_event(&queue_lock, TACHO_LOCK_OBTAIN);
}

static double read_scene(void)
{
	double value;

	tacho_lock_event(&scene_lock, TACHO_LOCK_WAIT_SHARED);
	pthread_rwlock_rdlock(&scene_mutex);
	tacho_lock_event(&scene_lock, TACHO_LOCK_OBTAIN_SHARED);
	value = scene;
	pthread_rwlock_unlock(&scene_mutex);
	tacho_lock_event(&scene_lock, TACHO_LOCK_RELEASE_SHARED);
	return value;
}

static void write_scene(double value)
{
	tacho_lock_event(&scene_lock, TACHO_LOCK_WAIT);
	pthread_rwlock_wrlock(&scene_mutex);
	tacho_lock_event(&scene_lock, TACHO_LOCK_OBTAIN);
	TACHO_LOCK_MARK(&scene_lock);
	scene = value;
	pthread_rwlock_unlock(&scene_mutex);
	tacho_lock_event(&scene_lock, TACHO_LOCK_RELEASE);
}

/* ------------------------------------------------------------ work */

static double burn(double x, int steps)
{
	static volatile double result; /* or the compiler would drop the work */

	for (int i = 0; i < steps; i++)
		x = sin(x) + 1.0;
	result = x;
	return result;
}

static void shade(int job)
{
	static const char *const materials[] = {"glass", "wood", "stone"};
	void *buffer = malloc(4096);

	TACHO_ZONE_RUNTIME(materials[job % 3]);
	tacho_alloc("buffers", buffer, 4096);
	TACHO_ZONE_VALUE((uint64_t)job);
	if (job % 3 == 2)
		TACHO_ZONE_COLOR(0x808080);
	*(double *)buffer = burn(read_scene(), 2000 + 400 * job);
	tacho_free("buffers", buffer);
	free(buffer);
}

static void run_job(int job)
{
	TACHO_ZONE_AS(zone, "job", 0x4080ff);

	tacho_zone_textf(zone, "job %d of %d", job, JOBS);
	shade(job);
	{
		TACHO_ZONE("store");
		burn(job, 500);
	}
}

static void *worker(void *arg)
{
	char name[32];

	snprintf(name, sizeof(name), "worker %ld", (long)arg);
	tacho_thread_name(name);
	lock_queue();
	while (!stopping) {
		int job;

		if (!queued) {
			wait_for_change();
			continue;
		}
		job = --queued;
		running++;
		unlock_queue();
		run_job(job);
		lock_queue();
		running--;
		pthread_cond_broadcast(&queue_changed);
	}
	unlock_queue();
	return NULL;
}

/* Two tasks that take turns on one thread. */
static void run_fibers(int frame)
{
	static const char *const fibers[] = {"fiber: audio", "fiber: input"};

	for (int i = 0; i < 2; i++) {
		tacho_fiber_enter(fibers[i]);
		{
			TACHO_ZONE("turn");
			burn(frame, 300);
		}
		tacho_fiber_leave();
	}
}

static void draw_frame(int frame)
{
	TACHO_FUNCTION();

	tacho_frame_start("jobs");
	write_scene(frame);
	lock_queue();
	queued = JOBS;
	pthread_cond_broadcast(&queue_changed);
	while (queued || running) {
		TACHO_PLOT("jobs queued", queued);
		wait_for_change();
	}
	unlock_queue();
	tacho_frame_stop("jobs");
	run_fibers(frame);
	TACHO_PLOT_REAL("brightness", 50.0 + 40.0 * sin(frame / 5.0));
	tacho_plot_float("temperature", 40.0f + (float)frame / 4);
	if (frame % 20 == 0)
		TACHO_MESSAGEF("frame %d of %d", frame, FRAMES);
	tacho_frame(NULL);
}

static void draw(void)
{
	pthread_t threads[WORKERS];

	for (long i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, worker, (void *)i);
	for (int frame = 0; frame < FRAMES; frame++)
		draw_frame(frame);
	lock_queue();
	stopping = 1;
	pthread_cond_broadcast(&queue_changed);
	unlock_queue();
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	TACHO_MESSAGE_C("all frames are drawn", TACHO_INFO, 0x40ff40);
}

int main(void)
{
	static const char about[] = "demo: a little renderer, twice";
	pid_t other;
	int status = 0;

	tacho_app_info(about, sizeof(about) - 1);
	tacho_plot_config("jobs queued", TACHO_PLOT_NUMBER, TACHO_PLOT_STEP | TACHO_PLOT_FILL,
			  0xff8000);
	tacho_plot_config("brightness", TACHO_PLOT_PERCENT, 0, 0);
	other = fork();
	tacho_thread_name(other ? "main" : "main of the child");
	tacho_signpost("drawing", other ? "the program" : "its child");
	draw();
	if (other == 0)
		return 0;
	if (waitpid(other, &status, 0) < 0 || status != 0)
		tacho_message("the child failed", 16, TACHO_ERROR, 0xff0000);
	return status != 0;
}
