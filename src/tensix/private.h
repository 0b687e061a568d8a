/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private: the inside of the software device. Reading order: arch.c (architectures), core.c (a
 * tile: memory, reset, sleeping RISCs), interp.c (instructions), mmio.c (registers), niu.c and
 * noc.c (transfers), engine.c and tile.c (tiles), sched.c (time).
 *
 * Time. Each RISC has its own cycle counter and runs ahead of the others of its core by at most one
 * window (TENSIX_WINDOW cycles); its writes to shared memory happen before the window's end. The
 * same holds for cores: transfers between them take longer than a window, or almost, so that each
 * sees the effects of the others in time. While the NoC is idle the cores' window grows to
 * TENSIX_QUIET, since switching between many cores costs more than running them; the first packet
 * after an idle period may therefore arrive late, by less than that.
 *
 * Sleep. A RISC in a loop that writes nothing and changes no register waits for memory: it sleeps
 * until a word that it reads is written, and then continues in the state that it would have had if
 * it had polled all the time.
 */
#ifndef TENSIX_PRIVATE_H
#define TENSIX_PRIVATE_H

#include "base/map.h"
#include "base/vec.h"
#include "tensix/rv32.h"
#include "tensix/tensix.h"
#include "tensix/tile.h"

#define TENSIX_WINDOW  32u  /* cycles that RISCs of a core, or cores with traffic, may differ */
#define TENSIX_QUIET   256u /* of cores without traffic */
#define TENSIX_NEVER   UINT64_MAX
#define TENSIX_WATCHES 4
#define TENSIX_NODES   (17 * 12)
#define TENSIX_PORTS   2 /* links that leave a router: x and y */
#define STREAM_WORDS   (64u * 1024u)

/* Latencies in cycles until a loaded value can be used. */
enum {
	LATENCY_LOCAL = 2,
	LATENCY_FIFO = 3,   /* mailboxes, PCBuf, semaphores */
	LATENCY_CONFIG = 4, /* GPRs, configuration */
	LATENCY_REG = 7,    /* registers, NIU, streams */
	LATENCY_L1 = 8,
	L1_STORE_CYCLES = 5,
	MISPREDICT = 2,
};

struct tensix_core;

struct tensix_hart {
	uint32_t x[RV32_REGS];
	uint32_t pc;
	uint64_t cycle;
	uint64_t ready[RV32_REGS]; /* when a register's value is available; 0 for x0 and the sink */
	uint64_t load_slot[4];     /* pending loads */
	uint64_t store_free;       /* when L1 accepts the next store */
	uint64_t instructions;
	struct tensix_core *core;
	uint8_t *local;
	uint32_t local_size;
	uint32_t stack_end; /* sp below it is a fault; 0: no check */
	uint32_t load_n;
	uint8_t risc;  /* enum tensix_risc */
	uint8_t state; /* enum tensix_state */
	/* the loop it may be spinning in */
	uint32_t effects; /* counts actions that a spin must not do */
	uint32_t spin_effects;
	int32_t spin_n;
	const struct rv32_insn *spin_head; /* compared only */
	uint64_t spin_cycle;
	uint32_t spin_x[32];
	/* while asleep */
	uint32_t watch[TENSIX_WATCHES];
	uint8_t watches;
	bool watch_registers;
	uint32_t watch_register;          /* one of them */
	uint32_t delay[TENSIX_TRANSFERS]; /* before each transfer */
	bool delayed;                     /* this transfer has already waited */
	uint32_t period, loop; /* cycles and instructions of one iteration; 0: a blocked access */
};

/* ---- NoC ---- */
enum packet_kind {
	PACKET_READ,        /* at the target: read the data and send it back */
	PACKET_READ_DATA,   /* at the requester */
	PACKET_WRITE,       /* at the target */
	PACKET_WRITE_ACK,   /* at the requester */
	PACKET_ATOMIC,      /* at the target */
	PACKET_ATOMIC_DATA, /* at the requester */
	PACKET_ETHERNET,    /* at the other end of a link */
	PACKET_ETHERNET_WORD,
};

struct packet {
	uint8_t kind, noc;
	uint8_t trid;
	uint8_t risc;    /* of the requester's */
	bool answer;     /* a write or atomic that needs a response */
	uint16_t source; /* core */
	uint32_t from;   /* node of the requester */
	uint32_t node;   /* its destination */
	uint64_t remote; /* address at the target */
	uint32_t local;  /* address at the requester */
	uint32_t len;
	uint32_t operation, operand; /* atomics */
	uint32_t counter;            /* NIU counter that the response increments */
	struct packet *next;
	uint32_t cap;
	uint8_t *data;
};

struct event {
	uint64_t time, order;
	struct packet *packet;
};

struct events {
	VEC(struct event); /* a heap: the earliest first */
};

#define ETH_QUEUES   3
#define ETH_REGS     64
#define NIU_BUFFERS  4
#define NIU_REGS     16
#define NIU_COUNTERS 64

struct niu {
	uint32_t buffer[NIU_BUFFERS][NIU_REGS];
	uint64_t busy[NIU_BUFFERS]; /* until when a command buffer is busy */
	uint32_t counter[NIU_COUNTERS];
	uint32_t config[64];
	uint64_t out_free;            /* when the next packet can leave */
	uint64_t flits_in, flits_out; /* of data */
};

/* ---- tile engine ---- */
#define ENGINE_QUEUE 32
#define ENGINE_SEMS  8
#define DST_TILES    32

enum engine_unit { UNIT_UNPACK0, UNIT_UNPACK1, UNIT_FPU, UNIT_SFPU, UNIT_PACK, ENGINE_UNITS };

/* Counters: cycles, unless stated otherwise; those of threads one each. */
enum engine_count {
	COUNT_BUSY, /* by unit */
	COUNT_INSTRUCTIONS = COUNT_BUSY + ENGINE_UNITS,
	COUNT_STALLS = COUNT_INSTRUCTIONS + 3,
	COUNT_NONZERO = COUNT_STALLS + 3, /* waits for a semaphore that is 0 */
	COUNT_NONFULL = COUNT_NONZERO + 3,
	COUNT_CLEAR = COUNT_NONFULL + 3, /* by src: an unpacker waits for math */
	COUNT_VALID = COUNT_CLEAR + 2,   /* by src: math waits for an unpacker */
	COUNT_CFG = COUNT_VALID + 2,     /* an instruction of this kind is the next */
	COUNT_SYNC = COUNT_CFG + 3,
	COUNT_MATH = COUNT_SYNC + 3,
	COUNT_UNPACK = COUNT_MATH + 3,
	COUNT_PACK = COUNT_UNPACK + 3,
	COUNT_STARTED = COUNT_PACK + 3, /* math instructions */
	ENGINE_COUNTS,
};

struct engine_queue {
	uint32_t word[ENGINE_QUEUE];
	uint64_t time[ENGINE_QUEUE];
	uint32_t head, count;
	uint64_t issued[ENGINE_QUEUE]; /* when the last ones left the queue */
	uint32_t issues;
	uint64_t last; /* when the last one left */
	uint64_t done; /* when all executed instructions have ended */
};

struct engine_src {
	struct tile_shape shape;
	struct tile tile;
	uint64_t at; /* full: when valid; empty: since when free */
	bool full;
};

struct engine {
	struct engine_queue queue[3];
	struct engine_src src[2][2]; /* A and B, two banks each */
	uint8_t fill[2], drain[2];   /* banks that the unpacker fills and math uses */
	uint8_t format[3];           /* of A, B, the packer */
	struct tile_shape shape[3];
	uint8_t fidelity;
	uint8_t pack_dst, pack_mode;
	uint8_t half[2];          /* halves of dst that math and the packer use */
	uint32_t parameter[3][8]; /* by thread */
	uint32_t written;         /* bit per tile of dst that is not cleared */
	struct tile dst[DST_TILES];
	struct tile_state state;
	uint64_t unit_free[ENGINE_UNITS];
	uint64_t count[ENGINE_COUNTS];
	uint32_t sem[ENGINE_SEMS], sem_max[ENGINE_SEMS];
	uint64_t sem_time[ENGINE_SEMS];
};

/* ---- performance counters ---- */
enum { PERF_INSTRN, PERF_UNPACK, PERF_FPU, PERF_L1, PERF_PACK, PERF_GROUPS };
/* Counters of a group: those of the engine, and flits that leave and arrive by each NoC. */
enum { PERF_NOC = ENGINE_COUNTS, PERF_SOURCES = PERF_NOC + 4 };

struct perf_group {
	uint32_t period, mode;
	bool running;
	uint64_t since, cycles; /* start time; cycles run so far */
	uint64_t base[PERF_SOURCES], value[PERF_SOURCES];
};

/* ---- core ---- */
struct mailbox {
	uint32_t value[4];
	uint32_t head, count;
};

struct clock_rate {
	uint64_t from;
	double rate;
};

struct tensix_core {
	struct tensix *dev;
	struct tensix_place place;
	uint16_t number;
	uint8_t harts;
	uint32_t awake; /* bit per RISC that runs */
	uint8_t *l1;
	uint32_t l1_size;
	struct rv32_page **pages; /* decoded L1, NULL = not yet decoded */
	uint8_t *iram;
	struct rv32_page *iram_pages[16];
	uint64_t watch_bits; /* words that sleepers wait for: bit (address / 4) % 64 */
	uint32_t reset;      /* soft reset register */
	uint32_t reset_pc[5];
	int64_t clock_offset;
	struct {
		VEC(struct clock_rate);
	} clock_rates;
	uint32_t clock_latch;
	struct events events;
	uint64_t next_event;
	struct niu niu[2];
	uint32_t *streams;
	struct mailbox mailbox[4][4]; /* [writer][reader] among B, T0, T1, T2 */
	uint32_t gpr[3][64];
	uint32_t *config; /* Tensix configuration: plain storage */
	uint32_t debug[1024];
	uint32_t tdma[64];
	struct engine *engine;    /* allocated on first use */
	struct tensix_core *peer; /* Ethernet: the other end of the link, or NULL */
	uint32_t eth[ETH_QUEUES][ETH_REGS];
	uint64_t eth_free; /* when the next frame can leave */
	struct perf_group perf[PERF_GROUPS];
	struct tensix_hart hart[TENSIX_RISCS];
};

struct dram_bank {
	uint8_t *bytes; /* mapped on first use */
	uint64_t free;  /* when the bank can serve the next request */
};

/* Blocks of registers begin and end at pages from here to the end of the address space. */
#define MMIO_BASE  0xFFB00000u
#define MMIO_PAGE  0x1000u
#define MMIO_PAGES ((0u - MMIO_BASE) / MMIO_PAGE)

struct tensix {
	const struct arch *arch;
	struct tensix_config config;
	unsigned columns, rows;
	unsigned ncores;
	struct tensix_core *cores;
	uint8_t *memory; /* L1 of all cores, one mapping */
	size_t memory_size;
	int16_t node_core[TENSIX_NODES];  /* core at a NoC node, or -1 */
	int16_t node_group[TENSIX_NODES]; /* DRAM group at a node, or -1 */
	struct dram_bank banks[TENSIX_MAX_BANKS];
	struct events dram_events;
	uint64_t link_free[2][TENSIX_NODES][TENSIX_PORTS];
	uint64_t order;     /* orders events with the same time */
	uint32_t under_way; /* packets */
	uint64_t now, window;
	uint64_t random;
	uint8_t mmio[2][MMIO_PAGES]; /* of workers, of Ethernet cores: 1 + number of the block */
	struct tensix_bus bus;
	uint64_t bus_random;
	struct tensix *mesh_next; /* a ring of linked devices; itself when not linked */
	uint64_t step_start;      /* while linked devices run: start of this step */
	bool stepping;
	struct tensix_fault fault;
	struct packet *free_packets;
	struct rv32_page **buckets;
	size_t page_count;
	struct map unknown_index;
	struct {
		VEC(struct tensix_unknown);
	} unknown;
	struct tensix_stats stats;
	tensix_trace_fn trace;
	void *trace_context;
};

/* ---- core.c ---- */
int core_init(struct tensix *t, struct tensix_core *c);
void core_free(struct tensix_core *c);
void core_reset_write(struct tensix_core *c, uint32_t value, uint64_t cycle);
uint64_t core_clock(const struct tensix_core *c, uint64_t cycle);
/* A word of L1 was written at CYCLE: wakes the RISCs that wait for it, discards decoded text. */
void core_touched(struct tensix_core *c, uint32_t address, uint32_t len, uint64_t cycle);
/* A register changed: wakes all RISCs that wait for registers. */
void core_registers_changed(struct tensix_core *c, uint64_t cycle);
void core_wake(struct tensix_hart *h, uint64_t cycle);
void hart_sleep(struct tensix_hart *h);
void hart_fault(struct tensix_hart *h, enum tensix_fault_kind kind, uint32_t address);

static inline uint64_t watch_bit(uint32_t address)
{
	return 1ull << (address >> 2 & 63);
}

/* ---- code.c ---- */
struct rv32_page *code_page(struct tensix_hart *h, uint32_t pc);
void code_free(struct tensix *t);
/* Frees decoded pages when there are too many; no RISC may be running. */
void code_trim(struct tensix *t);
/* Bytes that a RISC would execute at PC, or NULL. */
const uint8_t *code_text(const struct tensix_hart *h, uint32_t pc);

/* ---- interp.c ---- */
void rv32_run(struct tensix_hart *h, uint64_t limit);

/* ---- step.c: one instruction, plainly; the oracle of interp.c, and the spin detector ---- */
struct step_bus {
	void *context;
	/* a nonzero result stops there */
	int (*load)(void *context, uint32_t address, unsigned size, uint32_t *value);
	int (*store)(void *context, uint32_t address, unsigned size, uint32_t value);
};
enum step_result { STEP_OK, STEP_ILLEGAL, STEP_BREAK, STEP_BUS };
enum step_result rv32_step(uint32_t x[RV32_REGS], uint32_t *pc, uint32_t word,
			   const struct step_bus *bus);
/* Called at the head of a loop that did not store: puts the RISC to sleep at a fixed point. */
bool spin_try(struct tensix_hart *h);

/* ---- mmio.c ---- */
void mmio_init(struct tensix *t);
enum mmio_result { MMIO_OK, MMIO_BLOCK, MMIO_LATER, MMIO_WILD };
/* H may be NULL (host, NoC). LATENCY: cycles until the value can be used. */
enum mmio_result mmio_load(struct tensix_core *c, struct tensix_hart *h, uint32_t address,
			   unsigned size, uint64_t *cycle, uint32_t *value, unsigned *latency);
enum mmio_result mmio_store(struct tensix_core *c, struct tensix_hart *h, uint32_t address,
			    unsigned size, uint64_t *cycle, uint32_t value);
/* True if a spinning RISC may read it repeatedly: false for clocks and FIFOs. */
bool mmio_peek(struct tensix_core *c, struct tensix_hart *h, uint32_t address, uint32_t *value);

/* ---- niu.c, noc.c ---- */
void niu_init(struct tensix_core *c);
uint32_t niu_read(struct tensix_core *c, unsigned noc, uint32_t offset, uint64_t *cycle);
/* MMIO_LATER: the RISC must wait; it retries at CYCLE. */
enum mmio_result niu_write(struct tensix_core *c, struct tensix_hart *h, unsigned noc,
			   uint32_t offset, uint32_t value, uint64_t *cycle);
uint32_t noc_node(const struct tensix *t, uint32_t x, uint32_t y);
/* When a packet of FLITS that leaves at CYCLE has fully arrived; occupies the links. */
uint64_t noc_travel(struct tensix *t, unsigned noc, uint32_t from, uint32_t to, uint32_t flits,
		    uint64_t cycle);
struct packet *packet_new(struct tensix *t, uint32_t len);
void packet_free(struct tensix *t, struct packet *p);
void noc_send(struct tensix *t, struct packet *p, uint32_t node, uint64_t time);
/* The packet has arrived at its node. */
void noc_arrive(struct tensix *t, struct packet *p, uint64_t time);
struct event events_pop(struct events *e);

/* ---- sched.c: one device alone ---- */
enum tensix_stop sched_run(struct tensix *t, uint64_t cycles);
/* The time of the next event, TENSIX_NEVER when there is none. */
uint64_t sched_next(const struct tensix *t);

/* ---- link.c: OFFSET is into the transmit queues. False: not one of their registers. ---- */
bool link_read(struct tensix_core *c, uint32_t offset, uint64_t *cycle, uint32_t *value);
bool link_write(struct tensix_core *c, struct tensix_hart *h, uint32_t offset, uint32_t value,
		uint64_t *cycle);
void link_arrive(struct tensix *t, struct packet *p, uint64_t time);
enum tensix_stop link_run(struct tensix *t, uint64_t cycles);
void link_leave(struct tensix *t);

/* ---- dram.c ---- */
uint8_t *dram_bytes(struct tensix *t, uint32_t node, uint64_t address, uint32_t len,
		    unsigned *bank);
uint8_t *dram_bank_bytes(struct tensix *t, unsigned bank);
uint64_t dram_serve(struct tensix *t, unsigned bank, uint32_t len, uint64_t time);
void dram_free(struct tensix *t);

/* ---- engine.c ---- */
struct engine *engine_get(struct tensix_core *c);
void engine_free(struct engine *e);
/*
 * False: the queue of this thread is full of blocked instructions. CYCLE grows by the wait for
 * room.
 */
bool engine_push(struct tensix_core *c, unsigned thread, uint32_t word, uint64_t *cycle);
/* Runs every instruction that can run. */
void engine_advance(struct tensix_core *c);
/* When the thread's last instruction ended; TENSIX_NEVER while one is still blocked. */
uint64_t engine_idle(struct tensix_core *c, unsigned thread);

/* ---- perf.c: OFFSET is into the debug registers. False: not one of its registers. ---- */
bool perf_read(struct tensix_core *c, uint32_t offset, uint64_t cycle, uint32_t *value);
bool perf_write(struct tensix_core *c, uint32_t offset, uint32_t value, uint64_t cycle);

#endif
