/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads perf.data files of "perf record": samples with call chains, mappings and names. Addresses
 * are resolved by the files of this machine.
 */
#include "import/perf.h"

#include "base/limits.h"
#include "sample/module.h"
#include "sample/symbols.h"

#include <endian.h>
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

enum {
	RECORD_MMAP = 1,
	RECORD_COMM = 3,
	RECORD_FORK = 7,
	RECORD_SAMPLE = 9,
	RECORD_MMAP2 = 10,
	RECORD_COMPRESSED = 81,
	RECORD_COMPRESSED2 = 83
};
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
	WITH_IDENTIFIER = 1 << 16
};
enum { READ_ENABLED = 1, READ_RUNNING = 2, READ_ID = 4, READ_GROUP = 8, READ_LOST = 16 };

/* Bytes of a record or of the file's head; values beyond the end are 0 and set BAD. */
struct data_bytes {
	const uint8_t *at, *end;
	bool bad;
};

struct data_mapping {
	uint64_t start, end, offset;
	struct module *module;
	uint32_t number; /* of the module in the trace */
};

struct data_process {
	uint32_t generation; /* of its mappings */
	struct {
		VEC(struct data_mapping);
	} maps; /* later ones take precedence */
};

/* An address that was looked up. */
struct data_known {
	uint64_t ip, key;
	uint32_t process, generation;
};

struct perf_data {
	struct perf_samples out;
	const char *path;
	FILE *in;
	uint64_t attr_size, attrs, attrs_size, data, data_size;
	uint64_t sample_type, read_format, period;
	char event[64];
	bool several;                   /* events */
	struct map ids;                 /* of the event that is taken */
	struct map process_of, name_of; /* by pid; by tid, to names */
	struct {
		VEC(struct data_process);
	} processes;
	struct {
		VEC(char *);
	} names;
	struct modules modules;
	struct map known_at;
	struct {
		VEC(struct data_known);
	} known;
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
	if (offset > INT64_MAX || fseeko(d->in, (off_t)offset, SEEK_SET) < 0 ||
	    fread(to, 1, len, d->in) != len)
		return TACHO_EDAMAGED;
	return 0;
}

/* The event whose samples are taken: the first that is no dummy; and the ids of its samples. */
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

static struct data_process *data_process(struct perf_data *d, uint32_t pid, uint32_t *index)
{
	static const struct data_process new;
	uint32_t *at = map_get(&d->process_of, pid);

	if (!at) {
		if (d->processes.n >= LIMIT_SAMPLED ||
		    map_set(&d->process_of, pid, (uint32_t)d->processes.n) < 0 ||
		    vec_push(&d->processes, new) < 0)
			return NULL;
		at = map_get(&d->process_of, pid);
	}
	if (index)
		*index = *at;
	return &d->processes.v[*at];
}

/* A mapping of code; MMAP2 says which file it was, unless it has a build id instead. */
static int data_mmap(struct perf_data *d, struct data_bytes *b, bool second, unsigned misc)
{
	uint32_t pid = (uint32_t)data_word(b, 4);
	struct data_mapping m;
	uint64_t device = 0, inode = 0;
	struct data_process *p;
	const char *path;
	struct stat st;
	bool added;

	data_word(b, 4);
	m.start = data_word(b, 8);
	m.end = m.start + data_word(b, 8);
	m.offset = data_word(b, 8);
	m.number = 0;
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
	p = pid == UINT32_MAX || b->bad || m.end <= m.start ? NULL : data_process(d, pid, NULL);
	if (!p || p->maps.n >= LIMIT_MAPPINGS)
		return 0;
	if ((!second || (misc & MISC_BUILD_ID)) && path[0] == '/' && stat(path, &st) == 0)
		inode = st.st_ino;
	m.module = modules_get(&d->modules, path[0] == '/' ? MODULE_FILE : MODULE_MEMORY, path,
			       device, inode, &added);
	p->generation++;
	return m.module ? vec_push(&p->maps, m) : TACHO_ENOMEM;
}

/* The key of an address: its file's own one where the file can be read. */
static int data_key(struct perf_data *d, uint32_t pid, uint64_t ip, uint64_t time, uint64_t *key)
{
	uint32_t process = UINT32_MAX, *at, module;
	struct data_process *p = data_process(d, pid, &process);
	struct data_known new = {ip, 0, process, p ? p->generation : 0};
	uint64_t h = (ip ^ (uint64_t)process << 40) * 0x9e3779b97f4a7c15ull, address = ip;
	const char *path = ip >> 63 ? "[kernel]" : "[unknown]";
	int r;

	at = map_get(&d->known_at, h);
	if (at && d->known.v[*at].ip == ip && d->known.v[*at].process == process &&
	    d->known.v[*at].generation == new.generation) {
		*key = d->known.v[*at].key;
		return 0;
	}
	for (size_t i = p ? p->maps.n : 0; i-- > 0;) {
		const struct data_mapping *m = &p->maps.v[i];

		if (ip < m->start || ip >= m->end)
			continue;
		module_load(m->module, getpid());
		path = m->module->path;
		if (!m->module->readable ||
		    !module_address(m->module, ip - m->start + m->offset, &address))
			address = ip - m->start + m->offset;
		break;
	}
	r = perf_module(&d->out, path, time, &module);
	*key = new.key = TREE_KEY(module, address);
	if (r < 0)
		return r;
	if (at) {
		d->known.v[*at] = new;
		return 0;
	}
	if (map_set(&d->known_at, h, (uint32_t)d->known.n) < 0)
		return TACHO_ENOMEM;
	return vec_push(&d->known, new);
}

/* Frames of a call chain, innermost first, as a stack. */
static int data_chain(struct perf_data *d, uint32_t pid, uint64_t time, const uint64_t *chain,
		      uint64_t count, uint32_t *stack)
{
	int r = 0;

	*stack = 0;
	for (uint64_t i = count; r == 0 && i-- > 0;) {
		uint64_t key;
		bool added;

		/* The return address may belong to the next line or function. */
		r = data_key(d, pid, chain[i] - (i > 0 && chain[i]), time, &key);
		if (r == 0)
			r = perf_stack(&d->out, *stack, key, time, stack, &added);
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
	uint32_t stack;
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
	d->out.notes->copied += (type & WITH_STACK) && frames <= 1;
	name = map_get(&d->name_of, tid);
	r = perf_thread(&d->out, pid, tid, name ? d->names.v[*name] : "", time, &track);
	if (r == 0)
		r = data_chain(d, pid, time, chain, frames, &stack);
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
	struct data_process *p = data_process(d, pid, NULL);
	char *name = strndup(data_text(b), 64);

	if (p && (misc & MISC_COMM_EXEC)) {
		p->maps.n = 0;
		p->generation++;
	}
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
	struct data_process *child, *p;

	if (name && !b->bad) {
		own = *name;
		if (map_set(&d->name_of, tid, own) < 0)
			return TACHO_ENOMEM;
	}
	if (b->bad || pid == parent || !data_process(d, pid, NULL) ||
	    !data_process(d, parent, NULL))
		return 0;
	child = data_process(d, pid, NULL);
	p = data_process(d, parent, NULL);
	child->maps.n = 0;
	child->generation++;
	for (size_t i = 0; i < p->maps.n; i++)
		if (vec_push(&child->maps, p->maps.v[i]) < 0)
			return TACHO_ENOMEM;
	return 0;
}

static int data_record(struct perf_data *d, uint32_t kind, unsigned misc, size_t len,
		       struct tacho_error *err)
{
	struct data_bytes b = {d->record, d->record + len, false};

	switch (kind) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
		return data_mmap(d, &b, kind == RECORD_MMAP2, misc);
	case RECORD_COMM:
		return data_comm(d, &b, misc);
	case RECORD_FORK:
		return data_fork(d, &b);
	case RECORD_SAMPLE:
		return data_sample(d, &b);
	case RECORD_COMPRESSED:
	case RECORD_COMPRESSED2:
		return err_set(err, TACHO_EDAMAGED,
			       "%s is compressed: import what perf script prints", d->path);
	default:
		return 0;
	}
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
	int r = data_at(d, 0, head, sizeof(head));

	b.at += 8;
	if (r < 0 || memcmp(head, MAGIC, 8) || data_word(&b, 8) < sizeof(head))
		return err_set(err, TACHO_EDAMAGED, "%s is no file of perf record", d->path);
	d->attr_size = data_word(&b, 8);
	d->attrs = data_word(&b, 8);
	d->attrs_size = data_word(&b, 8);
	d->data = data_word(&b, 8);
	d->data_size = data_word(&b, 8);
	r = data_attrs_read(d);
	if (r == 0)
		r = perf_begin(&d->out, d->path, d->event);
	if (r < 0 || d->data > INT64_MAX || fseeko(d->in, (off_t)d->data, SEEK_SET) < 0)
		return err_set(err, r < 0 ? r : TACHO_EDAMAGED, "%s: its head is damaged", d->path);
	while (r == 0 && done < d->data_size) {
		uint8_t header[8];
		struct data_bytes h = {header, header + 8, false};
		uint32_t kind;
		unsigned misc, len;

		if (fread(header, 1, 8, d->in) != 8)
			return err_set(err, TACHO_EDAMAGED, "%s is cut", d->path);
		kind = (uint32_t)data_word(&h, 4);
		misc = (unsigned)data_word(&h, 2);
		len = (unsigned)data_word(&h, 2);
		if (len < 8 || fread(d->record, 1, len - 8, d->in) != len - 8)
			return err_set(err, TACHO_EDAMAGED, "%s is cut", d->path);
		done += len;
		r = data_record(d, kind, misc, len - 8, err);
		if (r == TACHO_EDAMAGED && !(err && err->text[0]))
			err_set(err, r, "%s: a record is damaged", d->path);
	}
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
		d->out = (struct perf_samples){.w = w, .notes = notes, .stacks = TRACE_NONE};
		d->out.symbols = symbols_new();
		r = d->out.symbols ? data_read(d, err) : TACHO_ENOMEM;
		if (d->out.stacks != TRACE_NONE && NAMES)
			ended = symbols_resolve(d->out.symbols, PERF_TIME(d->out.last),
						data_symbol_add, d);
		r = r < 0 ? r : ended;
		symbols_free(d->out.symbols);
		ended = perf_end(&d->out);
	}
	if (d) {
		for (size_t i = 0; i < d->processes.n; i++)
			vec_free(&d->processes.v[i].maps);
		for (size_t i = 0; i < d->names.n; i++)
			free(d->names.v[i]);
		vec_free(&d->processes);
		vec_free(&d->names);
		vec_free(&d->known);
		map_free(&d->known_at);
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
