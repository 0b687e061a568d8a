/*
 * The markers of a trace's devices, as the device log has them: core by core in order of x and y,
 * RISC by RISC, each in order of time. They come out of the tracks of cores:
 *
 *	a zone			ZONE_START and ZONE_END
 *	its first VALUE		at depth 0: the op id; zones inside have that of their parent
 *	its second VALUE	at depth 0: trace id << 32 | number of the replay
 *	its TEXT		the log's meta data
 *	function of the source	"" for zones, else the kind of a marker without length, whose VALUEs
 *				are its data: TS_DATA, TS_EVENT, ZONE_TOTAL, NOC, COUNTER
 *
 * Tracks that came from Tracy carry ids only on the zones of the firmware ("OP ID:1024" as
 *function): what other RISCs of the core did meanwhile belongs to the same op. An id that comes
 *again is that of a replay. Their times are nanoseconds.
 */
#ifndef OPS_CORES_H
#define OPS_CORES_H

#include "base/buf.h"
#include "base/vec.h"
#include "clock/device.h"
#include "ops/issues.h"
#include "trace/trace.h"

#define OPS_ID_FUNCTION "OP ID:"

enum ops_marker_kind {
	OPS_MARK_START,
	OPS_MARK_END,
	OPS_MARK_TOTAL,
	OPS_MARK_DATA,
	OPS_MARK_EVENT,
	OPS_MARK_NOC,     /* TS_DATA in the log */
	OPS_MARK_COUNTER, /* likewise */
};

struct ops_marker {
	uint32_t risc; /* index into ops_cores.riscs */
	enum ops_marker_kind kind;
	uint32_t srcloc;
	uint64_t cycles;
	uint64_t data;          /* counters: the value */
	uint64_t ref;           /* counters: over so many cycles */
	uint64_t id;            /* of the op, 0: none */
	int64_t trace, session; /* OPS_NONE */
	const char *meta;       /* "" for none; until the next marker */
	size_t meta_len;
};

/* A RISC of a core: one track. */
struct ops_risc {
	uint32_t track, device; /* device: index into ops_cores.devices */
	uint32_t core;          /* number of its core */
	uint32_t x, y, order;   /* order: within the core */
	const char *name;       /* as the log spells it */
};

struct ops_trace_device {
	uint32_t process, number;
	char arch[32]; /* "unknown" when nothing tells */
	uint32_t mhz;
	int64_t max_cores; /* OPS_NONE: unknown */
	struct device_clock clock;
};

struct ops_cores {
	struct trace *trace;
	struct {
		VEC(struct ops_trace_device);
	} devices;
	struct {
		VEC(struct ops_risc);
	} riscs; /* by device, x, y and order */
	uint32_t core_count;
	uint32_t *timers; /* by source location: its hash + 1; 0: not computed yet */
	struct buf meta;  /* for lines */
	bool has_noc;
	bool tells_ids;        /* in functions of source locations, as Tracy does */
	bool walked, has_meta; /* has_meta: after a walk */
	/* What the runtime does not measure by itself, so that the raw log is needed: counters,
	 * sums, command queues, devices of other clients. */
	bool raw_only;
};

/* TRACKS: one byte per track, 0 leaves it out; NULL: all. CORES is zeroed, and freed by the caller.
 */
int ops_cores_open(struct ops_cores *cores, struct trace *trace, const uint8_t *tracks,
		   struct tacho_error *err);
void ops_cores_close(struct ops_cores *cores);

/* Calls FN for all markers; an error of it ends the walk. */
typedef int (*ops_marker_fn)(void *context, const struct ops_marker *m);
int ops_cores_walk(struct ops_cores *cores, ops_marker_fn fn, void *context);

/*
 * Numbers of ops are a process's own. The next process behind AFTER (TRACE_NONE: the first) that
 * has a device, or TRACE_NONE; and OUT, one byte per track, is IN (NULL: all) without the others'.
 */
uint32_t ops_device_process(const struct trace *trace, const uint8_t *in, uint32_t after);
void ops_process_tracks(const struct trace *trace, const uint8_t *in, uint32_t process,
			uint8_t *out);
bool ops_several_processes(const struct trace *trace, const uint8_t *in);
/* What it is called in names of files: its number, with ".2" behind it when it comes again. */
#define OPS_PROCESS_LABEL 32
void ops_process_label(const struct trace *trace, uint32_t process, char *out);

/* Has the trace points of this device's clock? Without any there is one that was made up. */
bool ops_cores_synced(const struct ops_cores *cores, uint32_t device);

/* An issue for each RISC whose markers found no room or were overwritten, if no message says so. */
int ops_cores_losses(struct ops_cores *cores, struct ops_issues *issues);

/* The first lines of the device log, and the line of a marker; each with its end. */
void ops_cores_header(const struct ops_cores *cores, struct buf *out);
void ops_cores_line(struct ops_cores *cores, const struct ops_marker *m, struct buf *out);

#endif
