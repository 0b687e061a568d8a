/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording: drain the rings of all processes of a session into one trace.
 *
 *	capture_open()		creates the session directory and PATH.part
 *	capture_start()		programs of the session record from here on
 *	capture_round()		drains once; call it in a loop with capture_wait()
 *	capture_finish()	stops, drains the rest, closes the trace, removes the session
 *
 * Ring memory is released only after its content is in the file (a checkpoint), so a recorder that
 * is killed at any point loses nothing: capture_resume() continues from the last checkpoint.
 *
 * One thread makes all calls. capture_finish() and capture_abandon() free the recording, whatever
 * they return.
 */
#ifndef CAPTURE_CAPTURE_H
#define CAPTURE_CAPTURE_H

#include "ring/ring.h"
#include "sample/sampler.h"
#include "trace/trace.h"

struct capture;

struct capture_options {
	/*
	 * PATH of the trace. NULL, only for capture_resume(): use the session's own path, and only
	 * with force, since every process of the session can change it.
	 */
	const char *output;
	const char *session; /* session directory to create; NULL = a new one in the user's place */
	bool fall_back;      /* if it cannot be used, create one in the user's place */
	bool force;          /* replace an existing trace */
	bool durable;        /* fsync at every checkpoint */
	bool keep;           /* capture_resume() changes neither the session nor its .part file */
	struct ring_session_options ring;
};

#define CAPTURE_ABSENT_LINES 4

struct capture_summary {
	uint64_t processes, threads, zones, rows;
	uint64_t lost;   /* zones and rows that were lost, for any reason */
	uint64_t bytes;  /* of the file so far */
	uint64_t saved;  /* zones that are safe in the file: up to the last checkpoint */
	uint64_t rings;  /* bytes of memory of the rings */
	uint64_t failed; /* threads that got no memory: lost includes their events */
	uint64_t absent; /* processes that could not be recorded at all */
	/* A line on each of the first few; "" for the rest. */
	char absent_text[CAPTURE_ABSENT_LINES][256];
};

/* TACHO_ENO: the trace could be written, but there is no place for a session. */
int capture_open(struct capture **c, const struct capture_options *options,
		 struct tacho_error *err);

/*
 * Continues where a killed recorder stopped: adopts the session directory and the .part file, which
 * is moved if another output is requested. Without a .part file, a new trace is written from what
 * the rings still hold. TACHO_ENO: the recorder was killed after its last step and the trace is
 * complete; the session is then removed unless KEEP is set.
 */
int capture_resume(struct capture **c, const char *session, const struct capture_options *options,
		   struct tacho_error *err);

/* The folder of the session. */
const char *capture_session(const struct capture *c);
/* Why the session is not in its usual place; "" otherwise. */
const char *capture_note(const struct capture *c);
const char *capture_output(const struct capture *c);
void capture_start(struct capture *c);
int capture_attach(struct capture *c, uint32_t pid, struct tacho_error *err);
/*
 * Records the Tracy clients that appear at a port of ADDRESS (NULL: this machine), one after the
 * other; with capture_tracy_discover() those that announce themselves on a UDP port (8086 by
 * default).
 */
int capture_tracy(struct capture *c, const char *address, uint16_t port, struct tacho_error *err);
int capture_tracy_discover(struct capture *c, uint16_t port, struct tacho_error *err);
/*
 * Sampling: capture_sample() first; then a child that waits before exec (ON_EXEC) or running
 * processes; capture_sample_start() after the last fork. capture_sample_cancel(): record without.
 */
int capture_sample(struct capture *c, const struct sampler_options *options,
		   struct tacho_error *err);
int capture_sample_add(struct capture *c, pid_t pid, bool on_exec, struct tacho_error *err);
int capture_sample_poll(struct capture *c, pid_t pid); /* if adding it was refused */
int capture_sample_start(struct capture *c, struct tacho_error *err);
void capture_sample_cancel(struct capture *c);
int capture_property(struct capture *c, const char *key, const char *value);

/* Drains the rings once. Returns the number of events, or an error that ends the recording. */
int64_t capture_round(struct capture *c, struct tacho_error *err);

/* Sleeps according to the last rounds: not at all when busy, up to 50 ms when idle. */
void capture_wait(struct capture *c);

/*
 * After an error of capture_round(): programs stop recording, and their events stay in the rings
 * for capture_resume(), by another process or later.
 */
void capture_give_up(struct capture *c);

/* Processes of the session that are still alive. */
size_t capture_alive(struct capture *c);

/* Programs given to capture_attach() that are still alive. */
unsigned capture_attached_alive(const struct capture *c);

/* Sets the wait status of a process, for its row in the trace. */
void capture_exit_status(struct capture *c, uint32_t pid, int status);
void capture_summary(const struct capture *c, struct capture_summary *summary);

/*
 * Frees C. On error the .part file and the session stay, and capture_resume() can complete the
 * trace once the cause is fixed.
 */
int capture_finish(struct capture *c, struct capture_summary *summary, struct tacho_error *err);

/* Discards the recording: removes the .part file and the session. Frees C. */
void capture_abandon(struct capture *c);

#endif
