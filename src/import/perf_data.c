/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads perf.data files of "perf record": samples with call chains, mappings and names. Addresses
 * are resolved by the files of this machine.
 *
 * perf writes the buffer of one processor after the other: a sample may come before the mapping
 * that its addresses are in. Records with times are sorted within rounds: after a record
 * FINISHED_ROUND nothing is older than what had been read at the round before.
 */
#include "import/perf.h"

#include "base/limits.h"
#include "sample/record.h"
#include "sample/unwind.h"

#include <endian.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define MAGIC "PERFILE2"
/* A fuzzer would start a process for each input. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define NAMES 0
#else
#define NAMES 1
#endif
#define RECORD_MOST    65535u
#define CONTEXTS       ((uint64_t)-4095) /* marks in call chains from here on */
#define DUMMY          9u                /* a software event that has no samples */
#define MISC_COMM_EXEC (1u << 13)
#define MISC_BUILD_ID  (1u << 14)
#define SAMPLE_ID_ALL  (1u << 18) /* a flag of events: all records have times */
#define PENDING_MOST   (1u << 22) /* records of a round */

enum { RECORD_ROUND = 68, RECORD_COMPRESSED = 81, RECORD_COMPRESSED2 = 83 }; /* of perf's own */
enum {
	WITH_IP = 1,
	WITH_TID = 2,
	WITH_TIME = 4,
	WITH_ADDR = 8,
	WITH_READ = 16,
	WITH_CHAIN = 32,
	WITH_ID = 64,
	WITH_CPU = 128,
	WITH_PERIOD = 256,
	WITH_STREAM = 512,
	WITH_STACK = 1 << 13,
	WITH_IDENTIFIER = 1 << 16,
	WITH_OTHERS = 3 << 10 /* raw data, branches */
};
enum { READ_ENABLED = 1, READ_RUNNING = 2, READ_ID = 4, READ_GROUP = 8, READ_LOST = 16 };

/* Bytes of a record or of the file's head; values beyond the end are 0 and set BAD. */
struct data_bytes {
	const uint8_t *at, *end;
	bool bad;
};

struct data_place {
	uint64_t time, offset;
};

struct perf_data {
	struct perf_samples out;
	const char *path;
	FILE *in;
	uint64_t position; /* of IN */
	bool sorted;       /* by time */
	struct {
		VEC(struct data_place);
	} pending;                /* records that older ones may follow */
	uint64_t newest, settled; /* times: of all records; at the end of the previous round */
	uint64_t attr_size, attrs, attrs_size, data, data_size;
	uint64_t sample_type, read_format, period;
	char event[64];
	bool several;                   /* events */
	struct map ids;                 /* of the selected event */
	struct map process_of, name_of; /* by pid; by tid, to names */
	struct {
		VEC(struct space *);
	} processes;
	struct {
		VEC(char *);
	} names;
	struct modules modules;
	struct unwind_cache *rules;
	uint64_t registers; /* of a sample: a bit each */
	struct stack_frame frames[LIMIT_STACK_FRAMES];
	uint64_t pcs[LIMIT_STACK_FRAMES];
	uint8_t record[RECORD_MOST + 1];
};

static uint64_t data_word(struct data_bytes *b, unsigned bytes)
{
	uint64_t value = 0;

	if (b->bad || (size_t)(b->end - b->at) < bytes) {
		b->bad = true;
		return 0;
	}
	memcpy(&value, b->at, bytes);
	b->at += bytes;
	return le64toh(value);
}

/* A string to the end of the record or its NUL. */
static const char *data_text(struct data_bytes *b)
{
	const uint8_t *nul = b->bad ? NULL : memchr(b->at, 0, (size_t)(b->end - b->at));

	b->bad |= !nul;
	return nul ? (const char *)b->at : "";
}

static int data_at(struct perf_data *d, uint64_t offset, void *to, size_t len)
{
	if (offset > INT64_MAX ||
	    (offset != d->position && fseeko(d->in, (off_t)offset, SEEK_SET) < 0))
		return TACHO_EDAMAGED;
	d->position = offset + fread(to, 1, len, d->in);
	return d->position == offset + len ? 0 : TACHO_EDAMAGED;
}

/* The event whose samples are taken: the first that is not a dummy; and the ids of its samples. */
static int data_attrs_read(struct perf_data *d)
{
	static const char *const software[] = {"cpu-clock", "task-clock", "page-faults"};
	static const char *const hardware[] = {"cycles",       "instructions", "cache-references",
					       "cache-misses", "branches",     "branch-misses"};
	uint64_t count = d->attr_size ? d->attrs_size / d->attr_size : 0;
	uint8_t bytes[256];

	if (!count || count > 4096 || d->attr_size < 64 + 16 || d->attr_size > sizeof(bytes))
		return TACHO_EDAMAGED;
	for (uint64_t i = 0; i < count; i++) {
		struct data_bytes b = {bytes, bytes + d->attr_size, false};
		uint64_t type, config, ids, ids_size;
		int r = data_at(d, d->attrs + i * d->attr_size, bytes, d->attr_size);

		if (r < 0)
			return r;
		type = data_word(&b, 4);
		data_word(&b, 4);
		config = data_word(&b, 8);
		if (type == 1 && config == DUMMY)
			continue;
		if (d->event[0]) {
			d->several = true;
			continue;
		}
		d->period = data_word(&b, 8);
		d->sample_type = data_word(&b, 8);
		d->read_format = data_word(&b, 8);
		d->sorted = (data_word(&b, 8) & SAMPLE_ID_ALL) && (d->sample_type & WITH_TIME);
		b.at = bytes + 80;
		d->registers = d->attr_size - 16 >= 88 ? data_word(&b, 8) : 0;
		b.at = bytes + d->attr_size - 16;
		ids = data_word(&b, 8);
		ids_size = data_word(&b, 8);
		if (type == 1 && config < 3)
			snprintf(d->event, sizeof(d->event), "%s", software[config]);
		else if (type == 0 && config < 6)
			snprintf(d->event, sizeof(d->event), "%s", hardware[config]);
		else
			snprintf(d->event, sizeof(d->event), "event %u:%llu", (unsigned)type,
				 (unsigned long long)config);
		for (uint64_t k = 0; k < ids_size / 8 && k < 1u << 20; k++) {
			uint64_t id;

			if (data_at(d, ids + 8 * k, &id, sizeof(id)) < 0)
				return TACHO_EDAMAGED;
			if (map_set(&d->ids, le64toh(id), 1) < 0)
				return TACHO_ENOMEM;
		}
	}
	return d->event[0] ? 0 : TACHO_EDAMAGED;
}

static struct space *data_process(struct perf_data *d, uint32_t pid)
{
	uint32_t *at = map_get(&d->process_of, pid);
	struct space *new;

	if (at)
		return d->processes.v[*at];
	new = d->processes.n < LIMIT_SAMPLED ? calloc(1, sizeof(*new)) : NULL;
	if (!new || map_set(&d->process_of, pid, (uint32_t)d->processes.n) < 0 ||
	    vec_push(&d->processes, new) < 0) {
		free(new);
		return NULL;
	}
	new->pid = getpid(); /* whose files are read */
	return new;
}

/* A mapping of code; MMAP2 says which file it was, unless it has a build id instead. */
static int data_mmap(struct perf_data *d, struct data_bytes *b, bool second, unsigned misc)
{
	uint32_t pid = (uint32_t)data_word(b, 4);
	struct mapping m = {0};
	uint64_t device = 0, inode = 0;
	struct space *p;
	const char *path;
	struct stat st;
	bool added;

	data_word(b, 4);
	m.start = data_word(b, 8);
	m.end = m.start + data_word(b, 8);
	m.offset = data_word(b, 8);
	if (second) {
		unsigned major = (unsigned)data_word(b, 4), minor = (unsigned)data_word(b, 4);

		device = makedev(major, minor);
		inode = data_word(b, 8);
		data_word(b, 8);
		if (!(data_word(b, 4) & 4)) /* not executable */
			return 0;
		data_word(b, 4);
	}
	path = data_text(b);
	p = pid == UINT32_MAX || b->bad || m.end <= m.start ? NULL : data_process(d, pid);
	if (!p || p->mappings.n >= LIMIT_MAPPINGS)
		return 0;
	if ((!second || (misc & MISC_BUILD_ID)) && path[0] == '/' && stat(path, &st) == 0)
		inode = st.st_ino;
	m.module = modules_get(&d->modules, path[0] == '/' ? MODULE_FILE : MODULE_MEMORY, path,
			       device, inode, &added);
	return m.module ? space_map(p, &m) : TACHO_ENOMEM;
}

/* The key of an address: its file's own one where the file can be read. */
static int data_key(struct perf_data *d, const struct space *p, uint64_t ip, uint64_t time,
		    uint64_t *key)
{
	const struct mapping *m = p ? space_find(p, ip) : NULL;
	const char *path = ip >> 63 ? "[kernel]" : "[unknown]";
	uint64_t address = ip;
	uint32_t module;
	int r;

	if (m) {
		module_load(m->module, getpid());
		path = m->module->path;
		if (!m->module->readable ||
		    !module_address(m->module, ip - m->start + m->offset, &address))
			address = ip - m->start + m->offset;
	}
	r = perf_module(&d->out, path, time, &module);
	*key = TREE_KEY(module, address);
	return r;
}

/* Frames of a call chain, innermost first, called from stack *STACK. */
static int data_chain(struct perf_data *d, const struct space *p, uint64_t time,
		      const uint64_t *chain, uint64_t count, uint32_t *stack)
{
	int r = 0;

	for (uint64_t i = count; r == 0 && i-- > 0;) {
		uint64_t key;
		bool added;

		/* The return address may belong to the next line or function. */
		r = data_key(d, p, chain[i] - (i > 0 && chain[i]), time, &key);
		if (r == 0)
			r = perf_stack(&d->out, *stack, key, time, stack, &added);
	}
	return r;
}

/*
 * The rest of a sample has registers and a copy of the stack: walks it. *STACK is 0 if there is
 * none.
 */
static int data_unwind(struct perf_data *d, struct data_bytes *b, const struct space *p,
		       uint64_t time, uint32_t *stack)
{
	static const uint8_t place[CFI_REGS] = {0,  3,  2,  1,  4,  5,  6,  7, 12,
						13, 14, 15, 16, 17, 18, 19, 8};
	struct unwind_input in = {.known = (1u << CFI_REGS) - 1};
	uint64_t regs[RECORD_REG_COUNT], size;
	enum stack_end end;
	unsigned count;
	bool added;
	int r = 0;

	if (data_word(b, 8) != PERF_SAMPLE_REGS_ABI_64)
		return 0;
	for (unsigned i = 0; i < RECORD_REG_COUNT; i++)
		regs[i] = data_word(b, 8);
	for (unsigned i = 0; i < CFI_REGS; i++)
		in.regs[i] = regs[place[i]];
	size = data_word(b, 8);
	if (b->bad || size > (uint64_t)(b->end - b->at))
		return TACHO_EDAMAGED;
	in.stack = b->at;
	b->at += size;
	in.size = size ? data_word(b, 8) : 0; /* the bytes that the kernel copied */
	in.size = in.size < size ? in.size : size;
	if (b->bad || !in.size)
		return 0;
	end = unwind(d->rules, p, &in, d->frames, d->pcs, &count);
	if (end != STACK_WHOLE)
		r = perf_stack(&d->out, 0, TREE_KEY(0, end), time, stack, &added);
	while (r == 0 && count-- > 0) {
		const struct stack_frame *f = &d->frames[count];
		uint32_t module;

		r = perf_module(&d->out, f->module ? f->module->path : "[unknown]", time, &module);
		if (r == 0)
			r = perf_stack(&d->out, *stack, TREE_KEY(module, f->address), time, stack,
				       &added);
	}
	return r;
}

static void data_read_skip(const struct perf_data *d, struct data_bytes *b)
{
	unsigned f = (unsigned)d->read_format;
	unsigned times = !!(f & READ_ENABLED) + !!(f & READ_RUNNING);
	unsigned each = 1 + !!(f & READ_ID) + !!(f & READ_LOST);
	uint64_t count = f & READ_GROUP ? data_word(b, 8) : 1;

	if (count > RECORD_MOST)
		b->bad = true;
	for (uint64_t i = 0; !b->bad && i < times + count * each; i++)
		data_word(b, 8);
}

static int data_sample(struct perf_data *d, struct data_bytes *b)
{
	uint64_t type = d->sample_type, ip = 0, time = 0, id = 0, count = 0, period = d->period;
	uint64_t chain[LIMIT_STACK_FRAMES], frames = 0;
	uint32_t pid = 0, tid = 0, cpu = 0, track, *name;
	struct trace_row row = {.kind = TRACE_ROW_SAMPLE, .thread = TRACE_NONE};
	struct space *process;
	uint32_t stack = 0;
	int r;

	if (type & WITH_IDENTIFIER)
		id = data_word(b, 8);
	if (d->several && (type & WITH_IDENTIFIER) && !map_get(&d->ids, id)) {
		d->out.notes->left_out++;
		return 0;
	}
	if (type & WITH_IP)
		ip = data_word(b, 8);
	if (type & WITH_TID) {
		pid = (uint32_t)data_word(b, 4);
		tid = (uint32_t)data_word(b, 4);
	}
	if (type & WITH_TIME)
		time = data_word(b, 8);
	for (unsigned bit = 0; bit < 3; bit++)
		if (type & (const unsigned[]){WITH_ADDR, WITH_ID, WITH_STREAM}[bit])
			data_word(b, 8);
	if (type & WITH_CPU) {
		cpu = (uint32_t)data_word(b, 4);
		data_word(b, 4);
	}
	if (type & WITH_PERIOD)
		period = data_word(b, 8);
	if (type & WITH_READ)
		data_read_skip(d, b);
	if (type & WITH_CHAIN)
		count = data_word(b, 8);
	if (count > (uint64_t)(b->end - b->at) / 8)
		b->bad = true;
	for (uint64_t i = 0; !b->bad && i < count; i++) {
		uint64_t address = data_word(b, 8);

		if (address < CONTEXTS && frames < LIMIT_STACK_FRAMES)
			chain[frames++] = address;
	}
	if (b->bad || time > INT64_MAX)
		return TACHO_EDAMAGED;
	if (!frames && ip)
		chain[frames++] = ip;
	name = map_get(&d->name_of, tid);
	r = perf_thread(&d->out, pid, tid, name ? d->names.v[*name] : "", time, &track);
	process = data_process(d, pid);
	/* The chain then has the kernel's frames, and of the others the innermost alone. */
	if (r == 0 && process && (type & WITH_STACK) && !(type & WITH_OTHERS) &&
	    d->registers == RECORD_REGS)
		r = data_unwind(d, b, process, time, &stack);
	while (r == 0 && stack && frames && !(chain[frames - 1] >> 63))
		frames--;
	d->out.notes->copied += (type & WITH_STACK) && !stack;
	if (r == 0)
		r = data_chain(d, process, time, chain, frames, &stack);
	row.time = PERF_TIME(time);
	row.a = r == 0 ? stack : 0;
	row.b = cpu;
	row.c = period && period < INT64_MAX ? period : 1;
	d->out.last = time > d->out.last ? time : d->out.last;
	d->out.notes->samples++;
	return r < 0 ? r : perf_row(&d->out, track, &row);
}

static int data_comm(struct perf_data *d, struct data_bytes *b, unsigned misc)
{
	uint32_t pid = (uint32_t)data_word(b, 4), tid = (uint32_t)data_word(b, 4);
	struct space *p = data_process(d, pid);
	char *name = strndup(data_text(b), 64);

	if (p && (misc & MISC_COMM_EXEC))
		space_clear(p);
	if (!name || d->names.n >= LIMIT_TRACKS ||
	    map_set(&d->name_of, tid, (uint32_t)d->names.n) < 0 || vec_push(&d->names, name) < 0) {
		free(name);
		return TACHO_ENOMEM;
	}
	return 0;
}

static int data_fork(struct perf_data *d, struct data_bytes *b)
{
	uint32_t pid = (uint32_t)data_word(b, 4), parent = (uint32_t)data_word(b, 4);
	uint32_t tid = (uint32_t)data_word(b, 4), from = (uint32_t)data_word(b, 4);
	uint32_t *name = map_get(&d->name_of, from), own;
	struct space *child, *p;

	if (name && !b->bad) {
		own = *name;
		if (map_set(&d->name_of, tid, own) < 0)
			return TACHO_ENOMEM;
	}
	child = b->bad || pid == parent ? NULL : data_process(d, pid);
	p = child ? data_process(d, parent) : NULL;
	return p ? space_copy(child, p) : 0;
}

static int data_record(struct perf_data *d, uint32_t kind, unsigned misc, size_t len,
		       struct tacho_error *err)
{
	struct data_bytes b = {d->record, d->record + len, false};

	switch (kind) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return data_mmap(d, &b, kind == PERF_RECORD_MMAP2, misc);
	case PERF_RECORD_COMM:
		return data_comm(d, &b, misc);
	case PERF_RECORD_FORK:
		return data_fork(d, &b);
	case PERF_RECORD_SAMPLE:
		return data_sample(d, &b);
	case RECORD_COMPRESSED:
	case RECORD_COMPRESSED2:
		return err_set(err, TACHO_EDAMAGED,
			       "%s is compressed: import what perf script prints", d->path);
	default:
		return 0;
	}
}

/* Reads the record at OFFSET of the file into d->record, without its head. */
static int data_load(struct perf_data *d, uint64_t offset, uint32_t *kind, unsigned *misc,
		     size_t *len)
{
	uint8_t header[8];
	struct data_bytes h = {header, header + 8, false};
	int r = data_at(d, offset, header, sizeof(header));

	*kind = (uint32_t)data_word(&h, 4);
	*misc = (unsigned)data_word(&h, 2);
	*len = (size_t)data_word(&h, 2) - 8;
	return r == 0 && *len <= RECORD_MOST - 8 ? data_at(d, offset + 8, d->record, *len)
						 : TACHO_EDAMAGED;
}

/* When a record was written; 0: it has no time, since perf made it up at the beginning. */
static uint64_t data_time(struct perf_data *d, uint32_t kind, size_t len)
{
	uint64_t type = d->sample_type, time;
	size_t at =
		8 * (size_t)(!!(type & WITH_IDENTIFIER) + !!(type & WITH_IP) + !!(type & WITH_TID));

	if (kind != PERF_RECORD_SAMPLE)
		at = len - 8 -
		     8 * (size_t)(!!(type & WITH_ID) + !!(type & WITH_STREAM) +
				  !!(type & WITH_CPU) + !!(type & WITH_IDENTIFIER));
	if (at > len || len - at < 8)
		return 0;
	time = data_word(&(struct data_bytes){d->record + at, d->record + len, false}, 8);
	return time == UINT64_MAX ? 0 : time;
}

static int data_place_compare(const void *x, const void *y)
{
	const struct data_place *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Takes the pending records until a time, the oldest first. */
static int data_flush(struct perf_data *d, uint64_t until, struct tacho_error *err)
{
	size_t n = 0;
	int r = 0;

	if (d->pending.n)
		qsort(d->pending.v, d->pending.n, sizeof(*d->pending.v), data_place_compare);
	for (; r == 0 && n < d->pending.n && d->pending.v[n].time <= until; n++) {
		uint32_t kind;
		unsigned misc;
		size_t len;

		r = data_load(d, d->pending.v[n].offset, &kind, &misc, &len);
		if (r == 0)
			r = data_record(d, kind, misc, len, err);
	}
	if (n)
		memmove(d->pending.v, d->pending.v + n, (d->pending.n - n) * sizeof(*d->pending.v));
	d->pending.n -= n;
	return r;
}

/* The record in d->record, which is at OFFSET: takes it, now or when all older ones are known. */
static int data_take(struct perf_data *d, uint64_t offset, uint32_t kind, unsigned misc, size_t len,
		     struct tacho_error *err)
{
	struct data_place place = {0, offset};
	int r = 0;

	if (d->sorted && kind == RECORD_ROUND) {
		r = data_flush(d, d->settled, err);
		d->settled = d->newest;
		return r;
	}
	if (d->sorted && kind < 64)
		place.time = data_time(d, kind, len);
	if (!place.time)
		return data_record(d, kind, misc, len, err);
	d->newest = place.time > d->newest ? place.time : d->newest;
	if (d->pending.n >= PENDING_MOST)
		r = data_flush(d, UINT64_MAX, err);
	return r < 0 ? r : vec_push(&d->pending, place);
}

static int data_symbol_add(void *context, const struct trace_row *row)
{
	struct perf_data *d = context;

	return perf_row(&d->out, d->out.stacks, row);
}

static int data_read(struct perf_data *d, struct tacho_error *err)
{
	uint8_t head[8 * 9];
	struct data_bytes b = {head, head + sizeof(head), false};
	uint64_t done = 0;
	int r = data_at(d, 0, head, sizeof(head)), ended;

	b.at += 8;
	if (r < 0 || memcmp(head, MAGIC, 8) || data_word(&b, 8) < sizeof(head))
		return err_set(err, TACHO_EDAMAGED, "%s is not a file of perf record", d->path);
	d->attr_size = data_word(&b, 8);
	d->attrs = data_word(&b, 8);
	d->attrs_size = data_word(&b, 8);
	d->data = data_word(&b, 8);
	d->data_size = data_word(&b, 8);
	r = data_attrs_read(d);
	if (r == 0)
		r = perf_begin(&d->out, d->path, d->event);
	if (r < 0 || d->data > INT64_MAX)
		return err_set(err, r < 0 ? r : TACHO_EDAMAGED, "%s: its head is damaged", d->path);
	while (r == 0 && done < d->data_size) {
		uint64_t offset = d->data + done;
		uint32_t kind;
		unsigned misc;
		size_t len;

		r = data_load(d, offset, &kind, &misc, &len);
		if (r < 0) {
			err_set(err, r, "%s is cut", d->path);
			break;
		}
		done += 8 + len;
		r = data_take(d, offset, kind, misc, len, err);
	}
	ended = data_flush(d, UINT64_MAX, err);
	r = r < 0 ? r : ended;
	if (r == TACHO_EDAMAGED && !(err && err->text[0]))
		err_set(err, r, "%s: a record is damaged", d->path);
	return r;
}

int import_perf_data(struct trace_writer *w, int fd, const char *path, struct import_notes *notes,
		     struct tacho_error *err)
{
	struct perf_data *d = calloc(1, sizeof(*d));
	int copy = d ? dup(fd) : -1, r = TACHO_ENOMEM, ended = 0;

	if (copy >= 0)
		d->in = fdopen(copy, "r");
	if (d && d->in && modules_init(&d->modules) == 0) {
		d->path = path;
		d->position = UINT64_MAX; /* unknown */
		d->out = (struct perf_samples){.w = w, .notes = notes, .stacks = TRACE_NONE};
		d->out.symbols = symbols_new();
		d->rules = unwind_cache_new();
		r = d->out.symbols && d->rules ? data_read(d, err) : TACHO_ENOMEM;
		if (d->out.stacks != TRACE_NONE && NAMES)
			ended = symbols_resolve(d->out.symbols, PERF_TIME(d->out.last),
						data_symbol_add, d);
		r = r < 0 ? r : ended;
		symbols_free(d->out.symbols);
		ended = perf_end(&d->out);
	}
	if (d) {
		for (size_t i = 0; i < d->processes.n; i++) {
			vec_free(&d->processes.v[i]->mappings);
			free(d->processes.v[i]);
		}
		for (size_t i = 0; i < d->names.n; i++)
			free(d->names.v[i]);
		vec_free(&d->processes);
		vec_free(&d->names);
		vec_free(&d->pending);
		unwind_cache_free(d->rules);
		map_free(&d->ids);
		map_free(&d->process_of);
		map_free(&d->name_of);
		modules_free(&d->modules);
	}
	if (d && d->in)
		fclose(d->in);
	else if (copy >= 0)
		close(copy);
	free(d);
	return r < 0 ? r : ended;
}

bool import_perf_data_is(const char *path)
{
	FILE *in = fopen(path, "re");
	char magic[8];
	bool is = in && fread(magic, 1, 8, in) == 8 && !memcmp(magic, MAGIC, 8);

	if (in)
		fclose(in);
	return is;
}
