/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tacho devices: open one, give it data and kernels, run them.
 *
 *	#include <tacho/device.h>
 *
 *	struct tacho_device *device;
 *	struct tacho_program *program;
 *
 *	tacho_device_open(&device, NULL);
 *	tacho_program_new(&program, device);
 *	tacho_program_kernel(program, &(struct tacho_kernel){
 *		.source = "hello.c", .risc = TACHO_BRISC, .cores = {{0, 0}, {7, 7}}});
 *	tacho_enqueue(device, program);
 *	if (tacho_finish(device) < 0)
 *		fprintf(stderr, "%s\n", tacho_device_error());
 *
 *	$ cc prog.c -ltacho_device -ltacho && tacho run -- ./a.out
 *
 * The device is the built-in software one: it runs kernels on a model of a grid of Tensix cores,
 * and its times are the model's (docs/device.md). Kernels are C or C++ files, compiled by
 * riscv64-unknown-elf-gcc when a program is first run and then cached.
 *
 * Rules for everything here:
 *
 *  - Functions return 0 (or a nonnegative number), or a negative value; then tacho_device_error()
 *    has the reason, for the calling thread.
 *  - Any thread may make any call. A device does one thing at a time: a second thread waits for
 *    the first; linked devices count as one. No thread may use what another one destroys.
 *  - Destructors accept NULL. A device must outlive its buffers and programs.
 *  - A program that returns from main() or calls exit() without closing a device loses nothing:
 *    exit() waits for running programs and writes the logs. Everything up to tacho_finish() is in
 *    the recording however the program ends; and if SIGINT, SIGTERM or SIGHUP end it while it
 *    waits for a kernel, so is everything that the kernel has recorded so far.
 *  - Each call that uses the device itself, and does not only describe a program, is a zone of its
 *    thread while recording (tacho/tacho.h).
 */
#ifndef TACHO_DEVICE_H
#define TACHO_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TACHO_DEVICE_API __attribute__((visibility("default")))

struct tacho_device;
struct tacho_buffer;
struct tacho_program;

/* Why the last call of this thread failed; several lines when a kernel stopped or does not compile.
 */
TACHO_DEVICE_API const char *tacho_device_error(void);

/*
 * With 1, for all threads: SIGINT ends a wait for a kernel even if the program handles it. The
 * handler is called as usual; then the waiting call fails, and the device can only be closed. For
 * interpreters, whose handlers only take note until such a call returns.
 */
TACHO_DEVICE_API void tacho_device_interruptible(int on);

/* ---------------------------------------------------------------- devices */

struct tacho_device_options {
	const char
		*arch; /* "wormhole_b0" (when NULL), "blackhole", "tiny"; $TACHO_ARCH before that */
	unsigned cores;      /* Tensix cores, in whole rows: 80, 72, 64, 56 (Blackhole columns: 140,
				130, 120, 110); 0: $TACHO_CORES, else all */
	uint64_t seed;       /* of the model's DRAM jitter */
	uint64_t max_cycles; /* a program that runs longer fails; 0: 10^10 */
	int profile;         /* record zones of kernels; also when TT_METAL_DEVICE_PROFILER is 1 */
	unsigned program_count; /* keep at most so many programs until they are read, and drop the
				   rest; 0: markers are taken as programs run, and nothing is
				   dropped */
	const char *simulator;  /* path of a libttsim.so that runs the kernels in place of the
				   software device; $TT_METAL_SIMULATOR when NULL */
};

/* OPTIONS may be NULL. Starts the firmware on all cores. */
TACHO_DEVICE_API int tacho_device_open(struct tacho_device **device,
				       const struct tacho_device_options *options);
/* Waits for running programs, flushes the profiler, frees everything. */
TACHO_DEVICE_API void tacho_device_close(struct tacho_device *device);

struct tacho_device_info {
	const char *arch;
	unsigned number; /* the lowest that is free, from 0; a device that is opened again has
			    the number it had, and its clock goes on */
	unsigned columns, rows; /* of the grid of Tensix cores */
	unsigned cores, ethernet_cores;
	unsigned dram_banks;
	uint64_t dram_bank_size;
	uint32_t l1_size, l1_free; /* bytes of L1, and of them for buffers */
	uint32_t mhz;
	double dram_gbs; /* peak of all banks, GB/s */
};
TACHO_DEVICE_API void tacho_device_info(const struct tacho_device *device,
					struct tacho_device_info *info);

/* Logical coordinates: columns and rows of the grid, from 0. */
struct tacho_core {
	uint16_t x, y;
};
struct tacho_core_range {
	struct tacho_core first, last; /* both included */
};

/* NoC coordinates of a core, as kernels need them for addresses. */
TACHO_DEVICE_API int tacho_core_noc(const struct tacho_device *device, struct tacho_core core,
				    struct tacho_core *noc);

/* Likewise of the port of a DRAM bank; OFFSET is added to addresses in the bank. */
TACHO_DEVICE_API int tacho_bank_noc(const struct tacho_device *device, unsigned bank,
				    struct tacho_core *noc, uint64_t *offset);

/*
 * Connects Ethernet core A_CORE of one device with B_CORE of another by a cable; both are numbered
 * as for kernels of TACHO_ERISC, and each can have one. Linked devices run together: a program may
 * wait for data of the other device, so start the programs of both before waiting for one.
 */
TACHO_DEVICE_API int tacho_device_link(struct tacho_device *a, unsigned a_core,
				       struct tacho_device *b, unsigned b_core);

enum tacho_fidelity { TACHO_HIFI4, TACHO_LOFI, TACHO_HIFI2, TACHO_HIFI3 };

/*
 * Cycles that the tile engine takes to do OP with one tile: matmul, add, sub, mul, copy, transpose,
 * reduce; functions of the vector unit, relu to mac, by the names of tacho_engine.h. 0: unknown op.
 */
TACHO_DEVICE_API unsigned tacho_tile_cycles(const char *op, enum tacho_fidelity fidelity);

/* Cycles that have passed on the device. */
TACHO_DEVICE_API uint64_t tacho_device_cycles(const struct tacho_device *device);

/* ---------------------------------------------------------------- buffers */

enum tacho_memory { TACHO_DRAM, TACHO_L1 };

/*
 * SIZE bytes in pages, round-robin over all banks: DRAM banks, or L1 of the Tensix cores in row
 * order. Pages are a multiple of 4 bytes; page i is at tacho_buffer_address() + i / banks *
 * tacho_buffer_stride() of bank i % banks.
 */
TACHO_DEVICE_API int tacho_buffer_new(struct tacho_buffer **buffer, struct tacho_device *device,
				      enum tacho_memory memory, uint64_t size, uint32_t page_size);
TACHO_DEVICE_API void tacho_buffer_free(struct tacho_buffer *buffer);
TACHO_DEVICE_API uint32_t tacho_buffer_address(const struct tacho_buffer *buffer);
/*
 * Bytes from one page of a bank to the next: the page size, rounded up to the alignment of the
 * memory (16 bytes of L1, 32 of DRAM, 64 of Blackhole's DRAM).
 */
TACHO_DEVICE_API uint32_t tacho_buffer_stride(const struct tacho_buffer *buffer);

/*
 * A matrix of pages, ROWS x COLUMNS, cut into shards of SHARD_ROWS x SHARD_COLUMNS that are spread
 * round-robin over BANKS, in row order. Pages of a shard are consecutive in their bank, row by row;
 * all shards of a bank are consecutive from the buffer's address. Callers write and read the
 * matrix, row by row.
 */
struct tacho_shards {
	uint32_t rows, columns;             /* of the matrix, in pages */
	uint32_t shard_rows, shard_columns; /* of a shard, in pages */
	const struct tacho_core *banks;     /* L1: logical cores; DRAM: x is the bank */
	unsigned bank_count;
};

struct tacho_buffer_options {
	enum tacho_memory memory;
	uint64_t size;
	uint32_t page_size;
	const struct tacho_shards *shards; /* NULL: interleaved */
	uint32_t address; /* where it has to be, for those who lay memory out themselves; 0: where
			     there is room. Nothing is kept from using the same memory then. */
	int from_top;     /* 1: the highest room, -1: the lowest; 0: DRAM lowest, L1 highest */
};
TACHO_DEVICE_API int tacho_buffer_make(struct tacho_buffer **buffer, struct tacho_device *device,
				       const struct tacho_buffer_options *options);

/* Wait for running programs, then copy. */
TACHO_DEVICE_API int tacho_buffer_write(struct tacho_buffer *buffer, uint64_t offset,
					const void *data, uint64_t len);
TACHO_DEVICE_API int tacho_buffer_read(struct tacho_buffer *buffer, uint64_t offset, void *data,
				       uint64_t len);

/* L1 of one core, for callers that lay it out themselves. */
TACHO_DEVICE_API int tacho_core_write(struct tacho_device *device, struct tacho_core core,
				      uint32_t address, const void *data, size_t len);
TACHO_DEVICE_API int tacho_core_read(struct tacho_device *device, struct tacho_core core,
				     uint32_t address, void *data, size_t len);
/* And of one DRAM bank. */
TACHO_DEVICE_API int tacho_dram_write(struct tacho_device *device, unsigned bank, uint64_t address,
				      const void *data, size_t len);
TACHO_DEVICE_API int tacho_dram_read(struct tacho_device *device, unsigned bank, uint64_t address,
				     void *data, size_t len);

/* --------------------------------------------------------------- programs */

enum tacho_risc { TACHO_BRISC, TACHO_NCRISC, TACHO_COMPUTE, TACHO_ERISC };
enum tacho_format {
	TACHO_FLOAT32 = 0,
	TACHO_BFLOAT16 = 5,
	TACHO_BFP8_B = 6,
	TACHO_BFP4_B = 7,
	TACHO_INT32 = 8,
	TACHO_UINT32 = 24
};

/* The NoC of a data mover: by default 0 for BRISC and 1 for NCRISC. Those of one core must differ.
 */
enum tacho_noc { TACHO_NOC_DEFAULT, TACHO_NOC_0, TACHO_NOC_1 };

struct tacho_named_arg {
	const char *name;
	uint32_t value;
};

struct tacho_kernel {
	const char *source;            /* path of a .c or C++ file that has kernel_main() */
	enum tacho_risc risc;          /* TACHO_COMPUTE: all three TRISCs */
	struct tacho_core_range cores; /* ERISC: Ethernet cores, numbered in x */
	const uint32_t *compile_args;  /* get_compile_time_arg_val(i) */
	unsigned compile_arg_count;
	const char *const *defines; /* "NAME" or "NAME=VALUE", NULL at the end; may be NULL */
	enum tacho_fidelity fidelity;
	const struct tacho_core_range *ranges; /* not NULL: in place of CORES */
	unsigned range_count;
	enum tacho_noc noc;
	const char *const *include_paths; /* folders for #include, NULL at the end; may be NULL */
	const struct tacho_named_arg *named_args; /* get_named_compile_time_arg_val("name") */
	unsigned named_arg_count;
	const char *prologue; /* C++: text between the kernel API and the source; may be NULL */
	const char *text; /* the source itself, instead of the file, which is only its name then;
			     may be NULL */
};

/*
 * A circular buffer is placed in L1 above those of the program on the same cores, or in the memory
 * of another one, or on a buffer.
 */
struct tacho_cb {
	unsigned index; /* 0 to 31; by custom inputs from 0, outputs from 16 */
	struct tacho_core_range cores;
	uint32_t pages, page_size; /* pages of a multiple of 4 bytes; of 16 for compute kernels */
	enum tacho_format format;
	const struct tacho_core_range *ranges; /* not NULL: in place of CORES */
	unsigned range_count;
	unsigned shares; /* 1 + the number of a circular buffer whose memory it shares */
	const struct tacho_buffer *buffer; /* not NULL: it lies on this L1 buffer ... */
	uint32_t offset;                   /* ... that many bytes from its address */
	/* Of its tiles: 1, 2, 4, 8, 16 or 32 by 16 or 32; 0: 32. For kernels in C++. */
	unsigned tile_height, tile_width;
};

TACHO_DEVICE_API int tacho_program_new(struct tacho_program **program, struct tacho_device *device);
TACHO_DEVICE_API void tacho_program_free(struct tacho_program *program);

/* Copies strings and arrays. Returns the kernel's number. */
TACHO_DEVICE_API int tacho_program_kernel(struct tacho_program *program,
					  const struct tacho_kernel *kernel);
/* Returns the circular buffer's number, for tacho_cb.shares and to change it. */
TACHO_DEVICE_API int tacho_program_cb(struct tacho_program *program, const struct tacho_cb *cb);
/* Changes pages, buffer or offset of a circular buffer from the next run on. */
TACHO_DEVICE_API int tacho_program_cb_change(struct tacho_program *program, int number,
					     const struct tacho_cb *cb);
/*
 * Returns the semaphore's number, for get_semaphore(): the lowest that is free on all these cores.
 * Each run starts with its initial value.
 */
TACHO_DEVICE_API int tacho_program_semaphore(struct tacho_program *program,
					     struct tacho_core_range cores, uint32_t value);
TACHO_DEVICE_API int tacho_program_semaphore_on(struct tacho_program *program,
						const struct tacho_core_range *ranges,
						unsigned range_count, uint32_t value);
/* get_arg_val() on one core; get_common_arg_val() on all cores of the kernel. At most 341 words. */
TACHO_DEVICE_API int tacho_program_args(struct tacho_program *program, int kernel,
					struct tacho_core core, const uint32_t *args, unsigned n);
TACHO_DEVICE_API int tacho_program_common_args(struct tacho_program *program, int kernel,
					       const uint32_t *args, unsigned n);

/*
 * Path of a kernel of firmware/ops, such as "matmul.cpp", in the installation or the source tree.
 * These kernels take shapes as run-time arguments; their files describe the arguments.
 */
TACHO_DEVICE_API int tacho_op_kernel(const char *name, char *path, size_t size);

/* Compiles and links now instead of at the first run. */
TACHO_DEVICE_API int tacho_program_compile(struct tacho_program *program);

/* Starts a program; waits only for the previous one. A program may be run any number of times. */
TACHO_DEVICE_API int tacho_enqueue(struct tacho_device *device, struct tacho_program *program);

/* Waits until everything is done. Fails when a kernel stopped, waits forever, or runs too long. */
TACHO_DEVICE_API int tacho_finish(struct tacho_device *device);

/*
 * --------------------------------------------------------------------- ops
 *
 * Each run of a program is an op: a row in the ops report, once on each device. An op without a
 * description has the name of its compute kernel's file (else of its first kernel's).
 *
 *	tacho_op_describe(program, &(struct tacho_op){
 *		.name = "Matmul",
 *		.inputs = (struct tacho_tensor[]){{.shape = {1, 1, 256, 128}, .layout = TACHO_TILE,
 *						   .format = TACHO_BFLOAT16}, ...},
 *		.input_count = 2,
 *		.ideal_ns = 5000,
 *	});
 *
 * Kernels, their sizes and fidelity are known from the program. Without a recording these calls
 * only count ops.
 */
enum tacho_layout { TACHO_ROW_MAJOR, TACHO_TILE };
enum tacho_sharding {
	TACHO_INTERLEAVED,
	TACHO_HEIGHT_SHARDED,
	TACHO_WIDTH_SHARDED,
	TACHO_BLOCK_SHARDED,
	TACHO_SINGLE_BANK
};

struct tacho_tensor {
	uint32_t shape[4];  /* W, Z, Y, X; 0 counts as 1 */
	uint32_t padded[4]; /* as it is stored; all 0: shape, in layout TACHO_TILE whole tiles */
	enum tacho_layout layout;
	enum tacho_format format;
	enum tacho_memory memory;
	enum tacho_sharding sharding;
	int on_host; /* in the program's memory: memory and sharding do not count */
};

struct tacho_attribute {
	const char *name, *value;
};

/* Fields that are 0 or NULL are unknown. */
struct tacho_op {
	const char *name;
	const char *type; /* "tt_dnn_device" */
	const struct tacho_attribute *attributes;
	unsigned attribute_count;
	const struct tacho_tensor *inputs;
	unsigned input_count;
	const struct tacho_tensor *outputs;
	unsigned output_count;
	const char *fidelity; /* "HiFi2"; NULL: that of each compute kernel */
	/* The ideal time of the op: by its arithmetic, by its memory, by both. */
	uint64_t compute_ns, bandwidth_ns, ideal_ns;
	const double *input_bws, *output_bws; /* bytes per ns that it needs for each tensor */
	unsigned input_bw_count, output_bw_count;
};

/* Describes runs of PROGRAM from now on. OP is copied; NULL: removes the description. */
TACHO_DEVICE_API int tacho_op_describe(struct tacho_program *program, const struct tacho_op *op);
/* Runs of PROGRAM are not ops (HIDDEN 1), or are again (0). Its zones then have no op either. */
TACHO_DEVICE_API void tacho_op_hide(struct tacho_program *program, int hidden);

/*
 * From begin to end all runs on these devices are one op, with one number on all of them: several
 * programs that form one step, or one step over a mesh. OP may be NULL: named after the first
 * kernel. A device is in one group at a time; the thread that began the group ends it for all its
 * devices together.
 */
TACHO_DEVICE_API int tacho_op_begin(struct tacho_device *const *devices, unsigned count,
				    const struct tacho_op *op);
TACHO_DEVICE_API int tacho_op_end(struct tacho_device *device);

/*
 * An op that the program computes itself instead of a device: the time between the two calls, in
 * one thread. They nest. Kernels and outputs are ignored.
 */
struct tacho_op_host {
	uint32_t id, session;
};
TACHO_DEVICE_API struct tacho_op_host tacho_op_host_begin(const struct tacho_op *op);
TACHO_DEVICE_API void tacho_op_host_end(struct tacho_op_host host);

/* Runs of PROGRAM have this number in logs and reports from now on, and several runs may have the
 * same; 0: each run gets a new one. */
TACHO_DEVICE_API int tacho_op_number(struct tacho_program *program, uint32_t number);

/* The number of the last enqueued op in logs and zones of DEVICE; 0: none. */
TACHO_DEVICE_API uint64_t tacho_op_last(const struct tacho_device *device);

/*
 * ------------------------------------------------------------------ traces
 *
 * A trace is a list of programs that one call runs again. Between begin and end tacho_enqueue()
 * captures programs and does not run them; they must outlive the trace.
 */
struct tacho_trace;

TACHO_DEVICE_API int tacho_trace_begin(struct tacho_device *device);
TACHO_DEVICE_API int tacho_trace_end(struct tacho_device *device, struct tacho_trace **trace);
TACHO_DEVICE_API int tacho_trace_replay(struct tacho_trace *trace);
TACHO_DEVICE_API void tacho_trace_free(struct tacho_trace *trace);

/* ---------------------------------------------------------------- profiler */

enum tacho_device_event_kind {
	TACHO_DEVICE_ZONE,
	TACHO_DEVICE_TOTAL,  /* DeviceZoneScopedSum: data[0] cycles */
	TACHO_DEVICE_DATA,   /* DeviceTimestampedData, NoC events: data[0] */
	TACHO_DEVICE_EVENT,  /* DeviceRecordEvent: id is the number */
	TACHO_DEVICE_DATA16, /* performance counters: data[0] and data[1] */
};

/* One item that a RISC recorded. Strings live as long as the device. */
struct tacho_device_event {
	enum tacho_device_event_kind kind;
	unsigned device;
	struct tacho_core core, noc;
	const char *risc;        /* "BRISC" ... */
	const char *name, *file; /* "" when unknown */
	uint32_t line;
	uint32_t id;
	uint32_t op;            /* the number of the op, from 1 (see below), 0: none */
	uint32_t trace, replay; /* the trace that ran it, which of its replays (of those in a
				   recording, when there is one); from 1, 0: none */
	uint64_t start, end;    /* cycles of the core's wall clock */
	uint64_t data[2];
	int damaged; /* one of its markers was missing */
};
typedef void (*tacho_device_event_fn)(void *context, const struct tacho_device_event *event);

/*
 * Waits, then hands over everything that kernels recorded since the last call, ordered only within
 * each RISC. May be called in the middle of a run of many programs. FN may use the device.
 */
TACHO_DEVICE_API int tacho_profiler_read(struct tacho_device *device, tacho_device_event_fn fn,
					 void *context);

/*
 * Waits, reads everything that kernels recorded and appends it to the logs in the profiler's folder
 * (docs/device.md). Closing a device does that too; this is for the middle of a long run. The items
 * for tacho_profiler_read() stay. Does nothing when no logs are written.
 */
TACHO_DEVICE_API int tacho_profiler_dump(struct tacho_device *device);

/*
 * Reads names of zones that are known by a hash (kernels built elsewhere, TACHO_ZONE_HASH=1) from a
 * log with lines "... #pragma message: NAME,FILE,LINE,KERNEL_PROFILER". Names of several logs add
 * up; if two zones have the same hash the name is "A or B".
 */
TACHO_DEVICE_API int tacho_profiler_names(struct tacho_device *device, const char *path);

/* Markers of a RISC (0 to 4) that found no room in its L1 buffer; and in RUNS_CUT (may be NULL) how
 * often its area in DRAM was full when it was read. */
TACHO_DEVICE_API uint64_t tacho_profiler_lost(const struct tacho_device *device,
					      struct tacho_core core, unsigned risc,
					      uint64_t *runs_cut);

/* All of them together, so far; a run that was cut counts as one. */
TACHO_DEVICE_API uint64_t tacho_profiler_lost_all(const struct tacho_device *device);

/* Those of them that a kernel has overwritten: figures of its runs cannot be trusted. */
TACHO_DEVICE_API uint64_t tacho_profiler_damaged(const struct tacho_device *device);

#ifdef __cplusplus
}
#endif
#endif
