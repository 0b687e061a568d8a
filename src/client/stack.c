/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call stacks of events: a thread walks its own stack by the rules of .eh_frame. Nothing is
 * guessed: code without rules ends the walk. Rules of addresses are cached, and a stack is sent
 * once: the events that have it carry its hash. There is no lock, so signal handlers may do the
 * same.
 */
#include "cfi/cfi.h"
#include "client/client.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <tacho/tacho.h>
#include <unistd.h>

/* How a stack ends: numbers of enum stack_end, which the file format has. */
enum { WHOLE = 0, CUT = 1, DEEP = 2, NO_MAP = 3, NO_RULES = 4, BROKEN = 5 };

#define SKIPPED 8 /* most frames of this library above the caller's */

#if defined(__x86_64__) && defined(DLFO_STRUCT_HAS_EH_DBASE)

/* glibc 2.35; lock-free, and may be called in signal handlers. */
extern __typeof__(_dl_find_object) _dl_find_object __attribute__((weak));

struct frame {
	uint64_t pc, sp, bp;
	bool exact; /* pc is an instruction, not a return address */
};

/* ---------------------------------------------------------------- rules */

/*
 * A cached rule is one word, so that it is read and written at once: the upper bits of the address,
 * whose lower bits select the entry, and where the caller's registers are.
 */
#define RULES         8192u
#define RULE_KIND(r)  ((unsigned)((r)&3))
#define RULE_BP(r)    ((unsigned)((r) >> 2) & 0x1ff)    /* saved at CFA - 8 * n; 0: unchanged */
#define RULE_CFA(r)   ((unsigned)((r) >> 11) & 0x7ffff) /* register + 8 * n */
#define RULE_TAG(pc)  ((pc) >> 13 << 30)
#define RULE_TAGS     (~0ull << 30)
#define RULE_CFA_MOST 0x7ffffu
#define RULE_BP_MOST  0x1ffu
#define ADDRESS_BITS  47
enum { RULE_NONE, RULE_BY_SP, RULE_BY_BP, RULE_OUTERMOST };

static _Atomic uint64_t rules[RULES];

static _Atomic uint64_t *rule_at(uint64_t pc)
{
	return &rules[(pc ^ pc >> 13) % RULES];
}

/*
 * Libraries that may be unloaded: another one may get the address. It is recognised by its build
 * id; rules of libraries without one are not cached.
 */
#define LIBRARIES 64

struct library {
	_Atomic uint64_t start; /* written last; 0: free */
	uint64_t end;
	const uint64_t *id; /* in its memory */
	uint64_t id_value;
};
static struct library libraries[LIBRARIES];

/* The program, libc and this library are never unloaded. */
static struct {
	uint64_t start, end;
} permanent[3];
static _Atomic bool permanent_known;

static void permanent_find(void)
{
	uint64_t at[3] = {getauxval(AT_ENTRY), (uintptr_t)&memcpy, (uintptr_t)&stack_capture};
	struct dl_find_object o;

	for (unsigned i = 0; i < 3; i++)
		if (_dl_find_object((void *)at[i], &o) == 0) {
			permanent[i].start = (uint64_t)(uintptr_t)o.dlfo_map_start;
			permanent[i].end = (uint64_t)(uintptr_t)o.dlfo_map_end;
		}
	atomic_store_explicit(&permanent_known, true, memory_order_release);
}

static bool is_permanent(uint64_t pc)
{
	for (unsigned i = 0; i < 3; i++)
		if (pc - permanent[i].start < permanent[i].end - permanent[i].start)
			return true;
	return false;
}

/* The first bytes of a library's build id in its first page; NULL: not there. */
static const uint64_t *library_id(const char *start, size_t size)
{
	const ElfW(Ehdr) *file = (const void *)start;
	const ElfW(Phdr) * p;

	if (size < sizeof(*file) || memcmp(start, ELFMAG, SELFMAG) != 0 ||
	    file->e_phoff + file->e_phnum * sizeof(*p) > RING_PAGE_SIZE)
		return NULL;
	p = (const void *)(start + file->e_phoff);
	for (unsigned i = 0; i < file->e_phnum; i++) {
		size_t at = 0, len = p[i].p_type == PT_NOTE ? p[i].p_memsz : 0;

		if (p[i].p_vaddr > size || len > size - p[i].p_vaddr)
			continue;
		while (at + sizeof(ElfW(Nhdr)) + 4 <= len) {
			const ElfW(Nhdr) *n = (const void *)(start + p[i].p_vaddr + at);
			const char *name = (const char *)(n + 1);
			size_t name_size = (n->n_namesz + 3u) & ~3u;

			if (n->n_type == NT_GNU_BUILD_ID && n->n_descsz >= 8 && n->n_namesz == 4 &&
			    memcmp(name, "GNU", 4) == 0 && name + 12 <= start + RING_PAGE_SIZE)
				return (const void *)(name + 4);
			at += sizeof(*n) + name_size + ((n->n_descsz + 3u) & ~3u);
		}
	}
	return NULL;
}

static uint64_t id_load(const uint64_t *id)
{
	uint64_t v;

	memcpy(&v, id, sizeof(v));
	return v;
}

/* Whether rules of the library at O may be taken from the cache, and added to it. */
static bool library_is_known(const struct dl_find_object *o)
{
	uint64_t start = (uint64_t)(uintptr_t)o->dlfo_map_start;
	uint64_t end = (uint64_t)(uintptr_t)o->dlfo_map_end, none = 0;
	struct library *l = libraries;

	for (; l < libraries + LIBRARIES; l++) {
		uint64_t at = atomic_load_explicit(&l->start, memory_order_acquire);

		if (at == start && l->end == end && (!l->id || id_load(l->id) == l->id_value))
			return l->id != NULL;
		if (!at)
			break;
		if (at == 1) /* being replaced: its rules may still be in the cache */
			return false;
		if (at >= end || l->end <= start)
			continue;
		/* Another one was here. */
		if (atomic_compare_exchange_strong(&l->start, &at, 1)) {
			for (unsigned i = 0; i < RULES; i++)
				atomic_store_explicit(&rules[i], 0, memory_order_relaxed);
			none = 1;
			break;
		}
		return false;
	}
	if (l == libraries + LIBRARIES ||
	    (!none && !atomic_compare_exchange_strong(&l->start, &none, 1)))
		return false;
	l->id = library_id(o->dlfo_map_start, end - start);
	l->end = end;
	l->id_value = l->id ? id_load(l->id) : 0;
	atomic_store_explicit(&l->start, start, memory_order_release);
	return l->id != NULL;
}

static struct cfi_file library_file(const struct dl_find_object *o)
{
	const uint8_t *start = o->dlfo_map_start, *header = o->dlfo_eh_frame;
	size_t size = (size_t)((const uint8_t *)o->dlfo_map_end - start);
	struct cfi_file file = {
		{header, size - (size_t)(header - start), (uint64_t)(uintptr_t)header},
		{start, size, (uint64_t)(uintptr_t)start}};

	return file;
}

/* The cached form of a row; 0: it has none. */
static uint64_t rule_make(const struct cfi_row *row, uint64_t pc)
{
	uint64_t rule = RULE_TAG(pc);
	int32_t bp = row->how[CFI_RBP] == CFI_OFFSET ? row->value[CFI_RBP] : 0;

	if (row->how[CFI_RA] == CFI_UNDEFINED)
		return rule | RULE_OUTERMOST;
	if (row->cfa_computed || row->signal || row->how[CFI_RA] != CFI_OFFSET ||
	    row->value[CFI_RA] != -8 || row->how[CFI_RSP] != CFI_SAME || row->cfa_value < 8 ||
	    row->cfa_value % 8 || (uint32_t)row->cfa_value / 8 > RULE_CFA_MOST || bp > 0 ||
	    bp % 8 || (uint32_t)-bp / 8 > RULE_BP_MOST ||
	    (row->how[CFI_RBP] != CFI_OFFSET && row->how[CFI_RBP] != CFI_SAME))
		return 0;
	rule |= (uint64_t)((uint32_t)row->cfa_value / 8) << 11 | (uint64_t)((uint32_t)-bp / 8) << 2;
	if (row->cfa_reg == CFI_RSP)
		return rule | RULE_BY_SP;
	return row->cfa_reg == CFI_RBP ? rule | RULE_BY_BP : 0;
}

/* ----------------------------------------------------------------- walk */

/*
 * Whether the memory can be read. The rules of correct programs never lead out of the stack, but
 * assembler may have wrong ones. What a thread's stack was found to have is remembered.
 */
static bool stack_readable(struct thread *t, uint64_t from, uint64_t to)
{
	int error = errno;
	uint64_t page;

	if (from >= t->stack_low && to <= t->stack_high)
		return true;
	if (from < t->stack_low || from > t->stack_high) {
		t->stack_low = t->stack_high = from & ~(uint64_t)(RING_PAGE_SIZE - 1);
	} else if (to <= t->stack_high) {
		return true;
	}
	if (client_is_sealed() || to - t->stack_high > 64u << 20)
		return false;
	/* An invalid request that reads the memory first: EFAULT or EINVAL. */
	for (page = t->stack_high; page < to; page += RING_PAGE_SIZE) {
		if (syscall(SYS_rt_sigprocmask, -1, page, NULL, 8) == 0 || errno != EINVAL)
			break;
		t->stack_high = page + RING_PAGE_SIZE;
	}
	errno = error;
	return to <= t->stack_high;
}

static uint64_t own_stack_word(uint64_t address)
{
	return *(const uint64_t *)(uintptr_t)address;
}

static bool expression_read(const void *context, uint64_t address, uint64_t *value)
{
	struct thread *t = (struct thread *)(uintptr_t)context;

	if (address % 8 || address >> ADDRESS_BITS || !stack_readable(t, address, address + 8))
		return false;
	*value = own_stack_word(address);
	return true;
}

/* A step by rules that have no cached form: realigned functions, signal frames. */
static bool step_by_row(struct thread *t, struct frame *f, const struct cfi_file *file,
			const struct cfi_row *row)
{
	struct cfi_memory memory = {expression_read, t};
	uint64_t regs[CFI_REGS] = {[CFI_RBP] = f->bp, [CFI_RSP] = f->sp}, cfa, found[CFI_REGS];
	uint32_t known = 1u << CFI_RBP | 1u << CFI_RSP;
	static const uint8_t wanted[3] = {CFI_RBP, CFI_RSP, CFI_RA};

	if (!row->cfa_computed && row->cfa_reg != CFI_RSP && row->cfa_reg != CFI_RBP)
		return false;
	if (!row->cfa_computed)
		cfa = regs[row->cfa_reg] + (uint64_t)(int64_t)row->cfa_value;
	else if (!cfi_evaluate(&file->frame, (uint32_t)row->cfa_value, row->cfa_len, regs, known,
			       &memory, NULL, &cfa))
		return false;
	regs[CFI_RA] = 0;
	found[CFI_RBP] = f->bp;
	found[CFI_RSP] = cfa;
	for (unsigned i = 0; i < 3; i++) {
		unsigned reg = wanted[i];
		uint64_t at = cfa + (uint64_t)(int64_t)row->value[reg];

		switch (row->how[reg]) {
		case CFI_SAME:
			if (reg == CFI_RA)
				return false;
			break;
		case CFI_OFFSET:
			if (!expression_read(t, at, &found[reg]))
				return false;
			break;
		case CFI_VALUE:
			found[reg] = at;
			break;
		case CFI_AT_EXPRESSION:
		case CFI_IS_EXPRESSION:
			if (!cfi_evaluate_rule(&file->frame, (uint32_t)row->value[reg], cfa, regs,
					       known, &memory, &at))
				return false;
			found[reg] = at;
			if (row->how[reg] == CFI_AT_EXPRESSION &&
			    !expression_read(t, at, &found[reg]))
				return false;
			break;
		default:
			return false;
		}
	}
	f->exact = row->signal;
	f->pc = found[CFI_RA];
	f->sp = found[CFI_RSP];
	f->bp = found[CFI_RBP];
	return true;
}

/* Goes to the caller. 1: done, 0: this was the outermost frame, else -reason. */
static int frame_step(struct thread *t, struct frame *f)
{
	uint64_t pc = f->pc - !f->exact, rule, cfa;
	struct dl_find_object o;
	bool permanently = is_permanent(pc), known;

	if (pc >> ADDRESS_BITS)
		return -NO_MAP;
	if (!permanently && _dl_find_object((void *)(uintptr_t)pc, &o) < 0)
		return -NO_MAP;
	known = permanently || library_is_known(&o);
	rule = known ? atomic_load_explicit(rule_at(pc), memory_order_relaxed) : 0;
	if ((rule & RULE_TAGS) != RULE_TAG(pc) || RULE_KIND(rule) == RULE_NONE) {
		struct cfi_row row;
		struct cfi_file file;

		if (permanently && _dl_find_object((void *)(uintptr_t)pc, &o) < 0)
			return -NO_MAP;
		if (!o.dlfo_eh_frame)
			return -NO_RULES;
		file = library_file(&o);
		if (!cfi_find(&file, pc, &row))
			return -NO_RULES;
		rule = rule_make(&row, pc);
		if (!rule)
			return step_by_row(t, f, &file, &row) ? 1 : -NO_RULES;
		if (known)
			atomic_store_explicit(rule_at(pc), rule, memory_order_relaxed);
	}
	if (RULE_KIND(rule) == RULE_OUTERMOST)
		return 0;
	cfa = (RULE_KIND(rule) == RULE_BY_SP ? f->sp : f->bp) + RULE_CFA(rule) * 8;
	if (cfa <= f->sp || cfa % 8)
		return -BROKEN;
	if (!stack_readable(t, f->sp, cfa))
		return client_is_sealed() ? -CUT : -BROKEN;
	if (RULE_BP(rule))
		f->bp = own_stack_word(cfa - RULE_BP(rule) * 8);
	f->pc = own_stack_word(cfa - 8);
	f->sp = cfa;
	f->exact = false;
	return f->pc ? 1 : 0;
}

/* ----------------------------------------------------------------- send */

struct stack_found {
	uint64_t pcs[TACHO_STACK_MAX + SKIPPED]; /* of instructions: inside of calls */
	unsigned first, count;                   /* of the caller's */
	unsigned end;
};

/*
 * Marks what this thread has sent, in this recording: each stream has all that its events refer to.
 * A flight recorder may lose what is in older segments.
 */
static uint64_t *sent_slot(struct thread *t, uint64_t id, uint64_t *mark)
{
	uint64_t salt = atomic_load_explicit(&client_process->incarnation, memory_order_relaxed);

	if (client_control->policy == RING_OVERWRITE && t->segment)
		salt += t->segment->sequence << 32;
	*mark = id ^ salt * 0x9e3779b97f4a7c15ull;
	return &t->sent[id % (sizeof(t->sent) / sizeof(t->sent[0]))];
}

static uint64_t hash_mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * 0xff51afd7ed558ccdull;
	return h ^ h >> 32;
}

/* The path of the program itself, which the linker does not know. */
static const char *program_path(void)
{
	static char path[4096];
	static _Atomic bool known;
	const char *executed = (const char *)getauxval(AT_EXECFN);
	struct guard guard;

	if (atomic_load_explicit(&known, memory_order_acquire))
		return path;
	if (client_is_sealed() || !client_lock(&guard))
		return executed ? executed : "";
	if (!atomic_load_explicit(&known, memory_order_relaxed)) {
		ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

		path[n > 0 ? n : 0] = 0;
		atomic_store_explicit(&known, n > 0, memory_order_release);
	}
	client_unlock(&guard);
	return path[0] ? path : executed ? executed : "";
}

/* The id of the library of PC, after sending it; *BASE is where it is loaded. 0: lost, or none. */
static uint64_t library_send(struct thread *t, uint64_t pc, uint64_t *base)
{
	struct dl_find_object o;
	const char *path;
	uint64_t id = 1, mark, *slot;
	size_t len;

	if (_dl_find_object((void *)(uintptr_t)pc, &o) < 0)
		return 0;
	*base = o.dlfo_link_map->l_addr;
	path = o.dlfo_link_map->l_name;
	if (!path || !path[0])
		path = program_path();
	len = strlen(path);
	for (size_t i = 0; i < len; i++)
		id = hash_mix(id, (uint8_t)path[i]);
	id |= 1;
	slot = sent_slot(t, id, &mark);
	if (*slot == mark)
		return id;
	if (len > RING_PART || !record_emit(t, RING_MODULE, &id, 1, path, len))
		return 0;
	*slot = mark;
	return id;
}

static bool stack_send(struct thread *t, uint64_t id, const struct stack_found *s)
{
	uint64_t words[2 + 2 * TACHO_STACK_MAX], base;

	words[0] = id;
	words[1] = s->end;
	for (unsigned i = 0; i < s->count; i++) {
		uint64_t pc = s->pcs[s->first + i];

		words[2 + 2 * i] = library_send(t, pc, &base);
		if (!words[2 + 2 * i])
			return false;
		words[3 + 2 * i] = pc - base;
	}
	return record_emit(t, RING_STACK, words, 2 + 2 * s->count, NULL, 0);
}

static void stack_walk(struct thread *t, struct frame *f, unsigned depth, uint64_t caller,
		       struct stack_found *s)
{
	unsigned n = 0, most = depth + SKIPPED;
	bool found = false;
	int r = 1;

	s->first = 0;
	s->end = DEEP;
	while (n < most && n - s->first < depth) {
		r = frame_step(t, f);
		if (r <= 0) {
			s->end = (unsigned)-r;
			/* Code of no library, such as of a JIT compiler, has no name: END says so.
			 */
			n -= r == -NO_MAP && found && n > s->first + 1;
			break;
		}
		if (!found && f->pc == caller) {
			found = true;
			s->first = n;
		}
		if (!found && n == SKIPPED)
			break;
		s->pcs[n++] = f->pc - !f->exact;
	}
	/* The outermost function may be the last that was asked for. */
	if (r > 0 && found && frame_step(t, f) == 0)
		s->end = WHOLE;
	s->count = found ? n - s->first : 0;
}

uint64_t stack_capture(struct thread *t, unsigned depth, const void *caller)
{
	const struct ring_segment *segment;
	struct stack_found s;
	struct frame f = {.exact = true};
	uint64_t id = 0x5ca1ab1e, mark, *slot;

	if (!depth || !_dl_find_object)
		return 0;
	if (!atomic_load_explicit(&permanent_known, memory_order_acquire))
		permanent_find();
	__asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"
			 : "=r"(f.pc), "=r"(f.sp), "=r"(f.bp));
	stack_walk(t, &f, depth < TACHO_STACK_MAX ? depth : TACHO_STACK_MAX,
		   (uint64_t)(uintptr_t)caller, &s);
	if (!s.count)
		return 0;
	for (unsigned i = 0; i < s.count; i++)
		id = hash_mix(id, s.pcs[s.first + i]);
	id = hash_mix(id, s.end) | 1;
	slot = sent_slot(t, id, &mark);
	if (*slot == mark)
		return id;
	segment = t->segment;
	if (!stack_send(t, id, &s))
		return 0;
	/* A flight recorder may lose the modules in the previous segment: send all with the next.
	 */
	if (segment == t->segment || client_control->policy != RING_OVERWRITE) {
		slot = sent_slot(t, id, &mark);
		*slot = mark;
	}
	return id;
}

#else

uint64_t stack_capture(struct thread *t, unsigned depth, const void *caller)
{
	(void)t;
	(void)depth;
	(void)caller;
	return 0;
}

#endif
