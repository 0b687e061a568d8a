/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracy interoperability: its files, its wire protocol, its command-line tools. docs/tracy.md
 * documents what is preserved and what is not.
 *
 *	tracy_write()		writes a trace as a .tracy file (0.14.0 or 0.10.0)
 *	tracy_import()		reads a .tracy file (0.9.0 to 0.14.0) into a trace
 *	tracy_open_any()	opens either kind for reading
 *
 * Nothing here prints. What a format cannot hold is counted in a struct tracy_notes.
 */
#ifndef TRACY_TRACY_H
#define TRACY_TRACY_H

#include "trace/trace.h"

#include <stdio.h>

/*
 * What the other side has no place for, singular and plural. A tool prints "N TEXT" if N is not 0.
 */
#define TRACY_NOTES(X)                                                                          \
	X(FOLDED, "source location was merged into its function",                               \
	  "source locations were merged into their functions")                                  \
	X(OP_IDS, "op id of device zones was left out: no room for more source locations",      \
	  "op ids of device zones were left out: no room for more source locations")            \
	X(DEPTH, "zone was left out: nested more than 16,384 deep",                             \
	  "zones were left out: nested more than 16,384 deep")                                  \
	X(STRINGS, "text was left out: the format has room for 16 million",                     \
	  "texts were left out: the format has room for 16 million")                            \
	X(THREADS, "thread was left out: the format has room for 65,535",                       \
	  "threads were left out: the format has room for 65,535")                              \
	X(DEVICE_EXTRAS, "text of a device zone was left out",                                  \
	  "texts of device zones were left out")                                                \
	X(LOCK_THREADS, "lock event was left out: the format has room for 64 threads per lock", \
	  "lock events were left out: the format has room for 64 threads per lock")             \
	X(FREES, "free of memory that was never allocated was left out",                        \
	  "frees of memory that was never allocated were left out")                             \
	X(POINTS, "plot point that is not a number was left out",                               \
	  "plot points that are not numbers were left out")                                     \
	X(LOSSES, "record of a loss was left out", "records of losses were left out")           \
	X(CALLSTACKS, "call stack was left out", "call stacks were left out")                   \
	X(SAMPLES, "call stack sample was left out", "call stack samples were left out")        \
	X(IMAGES, "frame image was left out", "frame images were left out")                     \
	X(SOURCES, "source file was left out", "source files were left out")                    \
	X(SECTIONS, "section was left out", "sections were left out")                           \
	X(TIMELESS, "device zone without times was left out",                                   \
	  "device zones without times were left out")                                           \
	X(MISMATCHED, "zone end, text or the like outside of a zone was left out",              \
	  "zone ends, texts and the like outside of a zone were left out")                      \
	X(DISCARDS, "discard of a memory pool is incomplete",                                   \
	  "discards of memory pools are incomplete")                                            \
	X(VSYNCS, "vertical sync of a display was left out",                                    \
	  "vertical syncs of displays were left out")                                           \
	X(HW_SAMPLES, "hardware counter sample was left out",                                   \
	  "hardware counter samples were left out")                                             \
	X(LOCK_EVENTS, "lock event of an unknown kind was left out",                            \
	  "lock events of unknown kinds were left out")

enum tracy_note {
#define X(name, one, many) TRACY_NOTE_##name,
	TRACY_NOTES(X)
#undef X
		TRACY_NOTE_COUNT
};

struct tracy_notes {
	uint64_t n[TRACY_NOTE_COUNT];
};

const char *tracy_note_text(enum tracy_note note, uint64_t n);

/* -------------------------------------------------------------------- files */

/*
 * No file suits every viewer: Tenstorrent's 0.10 rejects files newer than 0.10.0, upstream's newest
 * rejects files older than 0.11.0. The file's name decides: tt-metal's tools expect TRACY_TT_FILE,
 * and they use Tenstorrent's viewer.
 */
enum tracy_file_version {
	TRACY_FILE_BY_NAME, /* TRACY_TT_FILE: 0.10.0, any other: 0.14.0 */
	TRACY_FILE_0_10,
	TRACY_FILE_0_14,
};
#define TRACY_TT_FILE "tracy_profile_log_host.tracy"
#define TRACY_FILE_VERSIONS                  \
	{                                    \
		"auto", "0.10", "0.14", NULL \
	} /* names of the above */

#define TRACY_LEVEL_LZ4 -1 /* faster, but several times larger */
#define TRACY_LEVEL_MAX 19

struct tracy_write_options {
	int version; /* enum tracy_file_version */
	int level; /* Zstd level, 1 to TRACY_LEVEL_MAX; 0: that of Tracy's capture; or the above */
};

/* Writes TRACE to FD; PATH is for messages and TRACY_FILE_BY_NAME. Adds to *NOTES. */
int tracy_write(struct trace *trace, int fd, const char *path,
		const struct tracy_write_options *options, struct tracy_notes *notes,
		struct tacho_error *err);

/*
 * Adds the contents of the .tracy file to W. FD is at its start. On TACHO_EDAMAGED everything
 * before the damage has been added, and W may be closed.
 */
int tracy_import(struct trace_writer *w, int fd, const char *path, struct tracy_notes *notes,
		 struct tacho_error *err);

/*
 * trace_open() for .tracy files too: those are converted to a temporary file that removes itself. A
 * damaged file opens up to the damage, described in trace->damage. NOTES may be NULL.
 */
int tracy_open_any(struct trace **trace, const char *path, struct tracy_notes *notes,
		   struct tacho_error *err);

/* ---------------------------------------------------------------------- csv */

/* The columns of a zone list differ between versions of csvexport. */
enum tracy_csv_layout {
	TRACY_CSV_TT,   /* Tenstorrent's, from 0.12.4 on: ... thread,value,special_parent_text */
	TRACY_CSV_TT10, /* Tenstorrent's 0.10: the same without value */
	TRACY_CSV_UPSTREAM, /* 0.14: name,src_file,src_line,ns_since_start,exec_time_ns,thread,value
			     */
};

struct tracy_csv_options {
	int layout;             /* enum tracy_csv_layout */
	const char *separator;  /* NULL = "," */
	const char *filter;     /* select names that contain it; NULL = all */
	bool case_sensitive;    /* of filter */
	bool self;              /* times without those of nested zones */
	bool unwrap;            /* a row per zone instead of a row per source location */
	bool plots;             /* with unwrap: points of plots and memory too */
	bool messages, devices; /* instead of zones */
	bool tid;               /* system thread ids instead of numbers */
	const char *special;    /* comma-separated names whose parent is wanted */
	const char *parent;     /* substring of the parent's name */
	const uint8_t
		*tracks; /* for messages and zones: one byte per track, 0 omits it; NULL: all */
};

/*
 * Writes a trace as csvexport does. Source locations are sorted by total time, zones by start. Text
 * that would break a row is quoted, except for messages, whose readers expect them raw.
 */
int tracy_csv(struct trace *trace, FILE *file, const struct tracy_csv_options *options,
	      struct tacho_error *err);

/* ------------------------------------------------------------------ clients */

/*
 * A hub records Tracy clients over TCP into a trace that the caller opens and closes. The client
 * listens; the hub retries until it can connect. Nothing blocks: call tracy_hub_round() in a loop.
 * One thread at a time.
 */
struct tracy_hub;

enum tracy_peer_state {
	TRACY_PEER_WAITING,  /* nothing listens yet */
	TRACY_PEER_GREETING, /* connected, no welcome yet */
	TRACY_PEER_RECORDING,
	TRACY_PEER_ENDED,         /* the client has ended, by itself or by force */
	TRACY_PEER_MISMATCH,      /* it supports none of our versions */
	TRACY_PEER_NOT_AVAILABLE, /* it has already served another recorder */
	TRACY_PEER_DROPPED,       /* gone before its welcome */
	TRACY_PEER_FAILED,        /* it sent malformed data; details in .error */
};

struct tracy_peer {
	const char *address;
	uint16_t port;
	enum tracy_peer_state state;
	uint32_t protocol, pid;
	char program[65];
	uint64_t zones, frames;
	double delay_ns, resolution_ns, span_ns;
	uint64_t received, raw; /* bytes of frames, packed and unpacked */
	bool crashed;
	char error[200]; /* one line; "" if there is none */
};

struct tracy_hub_options {
	/*
	 * The trace has no clock of its own: it uses the ticks of the first client. Otherwise it
	 * uses the ticks of this machine, as most clients do.
	 */
	bool own_clock;
	bool again;      /* after a client has ended, accept another one at the same port */
	bool no_samples; /* the trace has samples of its own: leave those of clients out */
};

int tracy_hub_open(struct tracy_hub **hub, struct trace_writer *w,
		   const struct tracy_hub_options *options, struct tacho_error *err);
/* Connects to ADDRESS ("127.0.0.1" if NULL) and PORT as soon as a client listens. */
int tracy_hub_add(struct tracy_hub *hub, const char *address, uint16_t port,
		  struct tacho_error *err);
/* Receives announcements on a UDP port and connects to clients on this machine as they start. */
int tracy_hub_listen(struct tracy_hub *hub, uint16_t port, struct tacho_error *err);

/*
 * Waits up to MS for events, then handles all of them. Returns the number of frames, or a write
 * error.
 */
int tracy_hub_round(struct tracy_hub *hub, int ms, struct tacho_error *err);
/* Sets a parameter of the client whose pid is PID, if it is being recorded. */
void tracy_hub_set_parameter(struct tracy_hub *hub, uint32_t pid, uint32_t number, int32_t value);
/* Asks clients to continue without us; data already sent is still recorded. */
void tracy_hub_stop(struct tracy_hub *hub);
size_t tracy_hub_recording(const struct tracy_hub *hub);
size_t tracy_hub_peers(const struct tracy_hub *hub);
void tracy_hub_peer(const struct tracy_hub *hub, size_t i, struct tracy_peer *peer);
/* Updates the ledgers; call before a checkpoint. */
void tracy_hub_count(struct tracy_hub *hub);
const struct tracy_notes *tracy_hub_notes(const struct tracy_hub *hub);
/*
 * Adds pending data; open zones become unfinished. Frees HUB. Returns the first write error, or 0.
 */
int tracy_hub_close(struct tracy_hub *hub);

/* ------------------------------------------------------------------ viewers */

/* Machines that may connect. Addresses are in host byte order. */
struct tracy_network {
	uint32_t address, mask;
};

/* "10.1.2.3" or "10.1.0.0/16". */
int tracy_network_parse(struct tracy_network *network, const char *text, struct tacho_error *err);

struct tracy_server_options {
	uint16_t port;   /* 0 picks one */
	bool everywhere; /* otherwise on the loopback only */
	const struct tracy_network
		*allowed; /* in addition to this machine; must outlive the server */
	size_t allowed_count;
	/* A viewer sets a parameter of a process; NULL: nobody can. */
	void (*set_parameter)(void *context, uint32_t pid, uint32_t number, int32_t value);
	void *context;
};

/*
 * Serves a saved trace to a Tracy viewer or capture tool as if it were a program (protocols 66 to
 * 82). A server has one viewer: tracy_server_accept() waits for one, tracy_server_take() passes it
 * to the server, tracy_server_round() serves it. To serve several at once, fork in between.
 */
struct tracy_server;
int tracy_server_open(struct tracy_server **server, struct trace *trace,
		      const struct tracy_server_options *options, struct tacho_error *err);
uint16_t tracy_server_port(const struct tracy_server *server);
/*
 * Returns a viewer's socket, or -1 if none came in MS milliseconds or it may not connect: then
 * REFUSED is its address (otherwise empty).
 */
int tracy_server_accept(struct tracy_server *server, int ms, char refused[16]);
/* Takes ownership of FD and stops listening. */
int tracy_server_take(struct tracy_server *server, int fd, struct tacho_error *err);
/* Waits up to MS for the viewer, then serves it. Call while tracy_server_is_watched(). */
int tracy_server_round(struct tracy_server *server, int ms, struct tacho_error *err);
/* Number of viewers that received everything. */
uint64_t tracy_server_served(const struct tracy_server *server);
/*
 * To serve a followed trace (trace_follow_settled()) instead of a saved one, call
 * tracy_server_set_live() before the first round. The trace may be refreshed while
 * tracy_server_is_ready(); after that, and once more with ENDED, call tracy_server_grown().
 */
void tracy_server_set_live(struct tracy_server *server);
bool tracy_server_is_ready(const struct tracy_server *server);
bool tracy_server_is_watched(const struct tracy_server *server); /* a viewer is connected */
int tracy_server_grown(struct tracy_server *server, bool ended, struct tacho_error *err);
void tracy_server_close(struct tracy_server *server);

#endif
