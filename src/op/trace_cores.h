/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The markers of a trace's devices, as the device log has them: core by core in order of x and y,
 * RISC by RISC, each in order of time. They are rows of the tracks of cores (trace/trace.h). Tracks
 * of earlier versions have only zones:
 *
 *	a zone			ZONE_START and ZONE_END
 *	its first VALUE		at depth 0: the op id; zones inside have that of their parent
 *	its second VALUE	at depth 0: trace id << 32 | number of the replay
 *	its TEXT		the log's meta data
 *	function of the source	"" for zones, else the kind of a marker without length, whose VALUEs
 *				are its data: TS_DATA, TS_EVENT, ZONE_TOTAL, NOC, COUNTER
 *
 * and their cycles come from ticks by the clock points. Tracks that came from Tracy carry ids only
 * on the zones of the firmware ("OP ID:1024" as function): what other RISCs of the core did
 * meanwhile belongs to the same op. An id that comes again is that of a replay. Their times are
 * nanoseconds.
 */
#ifndef OP_TRACE_CORES_H
#define OP_TRACE_CORES_H

#include "base/vec.h"
#include "clock/device.h"
#include "op/issues.h"
#include "op/marker.h"
#include "trace/trace.h"

#define OP_ID_FUNCTION "OP ID:"

/* Markers that a RISC lost because its buffers were full or a kernel overwrote them. */
struct op_losses {
	uint64_t full, markers, overwritten;
};

/* A RISC of a core: one track. */
struct op_risc {
	uint32_t track, device; /* device: index into op_cores.devices */
	uint32_t core;          /* number of its core */
	uint32_t x, y, order;   /* order: within the core */
	const char *name;       /* as the log spells it */
	uint8_t which;          /* enum arch_risc */
	struct op_losses lost;  /* after a walk */
};

struct op_trace_device {
	uint32_t process, number;
	char arch[32]; /* "unknown" if the trace does not say */
	uint32_t mhz;
	int64_t max_cores; /* OP_NONE: unknown */
	struct device_clock clock;
};

struct op_cores {
	struct trace *trace;
	struct {
		VEC(struct op_trace_device);
	} devices;
	struct {
		VEC(struct op_risc);
	} riscs; /* by device, x, y and order */
	uint32_t core_count;
	uint32_t *zones; /* by source location: bits of enum arch_zone */
	uint8_t *kinds;  /* the same of zones that are markers: enum trace_marker_kind */
	bool has_noc;
	bool has_ids;          /* in functions of source locations, as Tracy does */
	bool walked, has_meta; /* has_meta: after a walk */
	/*
	 * The trace has data that the runtime does not measure by itself, so that the raw log is
	 * needed: counters, sums, command queues, devices of other clients.
	 */
	bool raw_only;
};

/* TRACKS: one byte per track, 0 leaves it out; NULL: all. The caller zeroes CORES and frees it. */
int op_cores_open(struct op_cores *cores, struct trace *trace, const uint8_t *tracks,
		  struct tacho_error *err);
void op_cores_close(struct op_cores *cores);

/* Calls FN for all markers; an error of FN ends the walk. */
typedef int (*op_marker_fn)(void *context, const struct op_marker *m);
int op_cores_walk(struct op_cores *cores, op_marker_fn fn, void *context);

/*
 * Op numbers are per process. Returns the next process after AFTER (TRACE_NONE: the first) that has
 * a device, or TRACE_NONE; OUT, one byte per track, is IN (NULL: all) without the tracks of other
 * processes.
 */
uint32_t op_device_process(const struct trace *trace, const uint8_t *in, uint32_t after);
void op_process_tracks(const struct trace *trace, const uint8_t *in, uint32_t process,
		       uint8_t *out);
/*
 * For those who show one table of ops: if several processes used the same device, the one with the
 * most zones on it; TRACE_NONE: all processes can be in one table.
 */
uint32_t op_main_process(const struct trace *trace);
bool op_several_processes(const struct trace *trace, const uint8_t *in);
/* The first process with this device; TRACE_NONE: there is none. */
uint32_t op_device_user(const struct trace *trace, uint32_t device);
/* The device's name in file names: its number, followed by ".2" when the number occurs again. */
#define OP_PROCESS_LABEL 32
void op_process_label(const struct trace *trace, uint32_t process, char *out);

/* True if the trace has clock points of this device; otherwise one was invented. */
bool op_cores_synced(const struct op_cores *cores, uint32_t device);

/*
 * After a walk: adds an issue for each RISC that lost markers or had them overwritten, unless a
 * message reports it.
 */
void op_cores_losses(const struct op_cores *cores, struct op_issues *issues);

#endif
