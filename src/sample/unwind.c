/* SPDX-License-Identifier: Apache-2.0 */
/* Walks a copied stack by .eh_frame rules; see unwind.h. */
#include "sample/unwind.h"

#include "base/limits.h"
#include "sample/depth.h"

#include <stdlib.h>
#include <string.h>

const char *const stack_end_names[STACK_ENDS] = {
	"[whole]",
	"[cut]",
	"[too deep]",
	"[unknown code]",
	"[no unwinding rules]",
	"[broken stack]",
	"[unwinder]",
	"[no registers]",
	"[too many stacks]",
	"[unknown frame size]",
};

/* --------------------------------------------------------------- cache */

#define CACHE_SLOTS (1u << 14)

struct cached {
	const struct module *module; /* NULL: free */
	uint64_t address;
	bool found;
	struct cfi_row row;
};

/* Depths at which threads wait. */
#define WAITED_SLOTS 1024u

struct waited {
	const struct module *module; /* NULL: free */
	uint64_t address;
	bool called, found;
	struct depth depth;
};

struct unwind_cache {
	struct cached slots[CACHE_SLOTS];
	struct waited waited[WAITED_SLOTS];
	uint8_t *code; /* of one function */
};

struct unwind_cache *unwind_cache_new(void)
{
	return calloc(1, sizeof(struct unwind_cache));
}

void unwind_cache_free(struct unwind_cache *cache)
{
	if (cache)
		free(cache->code);
	free(cache);
}

/* Direct mapped: an evicted entry costs a lookup in .eh_frame, a microsecond. */
static const struct cfi_row *cache_row(struct unwind_cache *cache, const struct module *m,
				       uint64_t address)
{
	uint64_t h = (address + (uint64_t)m->id * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;
	struct cached *c = &cache->slots[h >> 50];

	if (c->module != m || c->address != address) {
		c->module = m;
		c->address = address;
		c->found = cfi_find(&m->cfi, address, &c->row);
	}
	return c->found ? &c->row : NULL;
}

/* ---------------------------------------------------------------- walk */

struct walk {
	struct unwind_cache *cache;
	const struct space *space;
	const struct unwind_input *in;
	uint64_t base; /* address of the first copied byte */
	uint64_t regs[CFI_REGS];
	uint32_t known;
	uint64_t address; /* of the frame, in its module */
	bool called;      /* the frame has called the one before; address is inside the call */
	bool beyond;      /* a read was outside the copy */
};

static bool stack_word(const void *context, uint64_t address, uint64_t *value)
{
	const struct walk *w = context;
	uint64_t at = address - w->base;

	if (w->in->size < 8 || at > w->in->size - 8)
		return false;
	memcpy(value, w->in->stack + at, sizeof(*value));
	return true;
}

static bool walk_read(struct walk *w, uint64_t address, uint64_t *value)
{
	bool found = stack_word(w, address, value);

	w->beyond |= !found && address >= w->base;
	return found;
}

static bool code_read(const struct walk *w, uint64_t address, void *to, size_t len)
{
	return w->in->code(w->in->context, address, to, len);
}

/*
 * Whether RA can be a return address: after a call instruction (E8 and 4 bytes, or FF /2 with 2 to
 * 7 bytes), or the start of a signal's trampoline (mov $15, %rax; syscall).
 */
static bool is_return_address(const struct walk *w, uint64_t ra)
{
	static const uint8_t trampoline[] = {0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05};
	uint8_t b[7], next[sizeof(trampoline)];

	if (!space_find(w->space, ra) || !code_read(w, ra - sizeof(b), b, sizeof(b)))
		return false;
	if (b[2] == 0xe8)
		return true;
	for (unsigned len = 2; len <= 7; len++)
		if (b[7 - len] == 0xff && (b[8 - len] >> 3 & 7) == 2)
			return true;
	return code_read(w, ra, next, sizeof(next)) && !memcmp(next, trampoline, sizeof(next));
}

/* The module and address of PC; false: in no known code. */
static bool frame_locate(const struct walk *w, uint64_t pc, struct stack_frame *frame)
{
	const struct mapping *map = space_find(w->space, pc);

	if (!map)
		return false;
	module_load(map->module, w->space->pid);
	frame->module = map->module;
	if (!map->module->readable ||
	    !module_address(map->module, pc - map->start + map->offset, &frame->address))
		frame->address =
			map->module->kind == MODULE_MEMORY ? pc : pc - map->start + map->offset;
	return true;
}

/* True if the call before RA is a direct one, to the start of another function than that of ROW. */
static bool calls_other(const struct walk *w, uint64_t ra, const struct module *m,
			const struct cfi_row *row)
{
	struct stack_frame f;
	struct cfi_row called;
	int32_t distance;
	uint8_t b[5];

	if (!code_read(w, ra - sizeof(b), b, sizeof(b)) || b[0] != 0xe8)
		return false;
	memcpy(&distance, b + 1, sizeof(distance));
	ra += (uint64_t)(int64_t)distance;
	return frame_locate(w, ra, &f) && (f.module != m || f.address != row->start) &&
	       cfi_find(&f.module->cfi, f.address, &called) && called.start == f.address;
}

/* The depth of RSP below RBP in the function of ROW; cached, since programs wait in few places. */
static bool walk_depth(struct walk *w, const struct module *m, const struct cfi_row *row,
		       struct depth *depth)
{
	struct unwind_cache *cache = w->cache;
	uint64_t ra = w->regs[CFI_RA], at = w->address - row->start + w->called;
	struct waited *c = &cache->waited[(ra ^ ra >> 12) % WAITED_SLOTS];

	if (c->module != m || c->address != w->address || c->called != w->called) {
		c->module = m;
		c->address = w->address;
		c->called = w->called;
		if (!cache->code)
			cache->code = malloc(DEPTH_CODE_MOST);
		c->found = cache->code && row->length <= DEPTH_CODE_MOST && at <= row->length &&
			   code_read(w, ra - at, cache->code, row->length) &&
			   depth_find(cache->code, row->length, at, w->called, &c->depth);
	}
	*depth = c->depth;
	return c->found;
}

/*
 * RBP is needed but unknown. It is not searched for on the stack: frames of earlier calls are
 * there too, with chains as whole as the real one. If the function aligned its stack, a few
 * distances are possible: the real one is below a return address of a call to the function.
 */
static bool rbp_restore(struct walk *w, const struct module *m, const struct cfi_row *row)
{
	uint64_t first = w->regs[CFI_RSP], ra;
	unsigned fits = 0;
	struct depth depth;

	if (!w->in->code || !walk_depth(w, m, row, &depth))
		return false;
	first += depth.least;
	for (uint64_t at = first; at <= first + depth.slack; at += 8) {
		if (!stack_word(w, at + 8, &ra) || !is_return_address(w, ra) ||
		    (depth.slack && calls_other(w, ra, m, row)))
			continue;
		w->regs[CFI_RBP] = at;
		fits++;
	}
	if (fits != 1)
		return false;
	w->known |= 1u << CFI_RBP;
	return true;
}

static bool cfa_find(struct walk *w, const struct module *m, const struct cfi_row *row,
		     uint64_t *cfa)
{
	struct cfi_memory memory = {stack_word, w};

	if (!(w->known >> CFI_RBP & 1) && (row->cfa_computed || row->cfa_reg == CFI_RBP))
		rbp_restore(w, m, row);
	if (row->cfa_computed)
		return cfi_evaluate(&m->cfi.frame, (uint32_t)row->cfa_value, row->cfa_len, w->regs,
				    w->known, &memory, NULL, cfa);
	if (row->cfa_reg >= CFI_REGS || !(w->known >> row->cfa_reg & 1))
		return false;
	*cfa = w->regs[row->cfa_reg] + (uint64_t)(int64_t)row->cfa_value;
	return true;
}

/* One register of the caller. False: unknown. */
static bool register_find(struct walk *w, const struct module *m, const struct cfi_row *row,
			  unsigned reg, uint64_t cfa, uint64_t *value)
{
	struct cfi_memory memory = {stack_word, w};
	uint64_t offset = (uint64_t)(int64_t)row->value[reg];

	switch ((enum cfi_how)row->how[reg]) {
	case CFI_OFFSET:
		/*
		 * In epilogues compilers leave the rule in force after the register was popped. The
		 * slot is then below the stack pointer, and the register already has its value.
		 */
		if (reg != CFI_RA && cfa + offset < w->regs[CFI_RSP]) {
			*value = w->regs[reg];
			return w->known >> reg & 1;
		}
		return walk_read(w, cfa + offset, value);
	case CFI_VALUE:
		*value = cfa + offset;
		return true;
	case CFI_REGISTER:
		if (offset >= CFI_REGS || !(w->known >> offset & 1))
			return false;
		*value = w->regs[offset];
		return true;
	case CFI_AT_EXPRESSION:
		return cfi_evaluate_rule(&m->cfi.frame, (uint32_t)offset, cfa, w->regs, w->known,
					 &memory, value) &&
		       walk_read(w, *value, value);
	case CFI_IS_EXPRESSION:
		return cfi_evaluate_rule(&m->cfi.frame, (uint32_t)offset, cfa, w->regs, w->known,
					 &memory, value);
	default:
		return false;
	}
}

/* Registers that a call may change: their values in the caller are unknown. */
#define VOLATILE \
	(1u << 0 | 1u << 1 | 1u << 2 | 1u << 4 | 1u << 5 | 1u << 8 | 1u << 9 | 1u << 10 | 1u << 11)

/* Steps to the caller by ROW. False: *END has the reason. */
static bool walk_step(struct walk *w, const struct module *m, const struct cfi_row *row,
		      bool innermost, enum stack_end *end)
{
	uint64_t regs[CFI_REGS], cfa, sp = w->regs[CFI_RSP];
	uint32_t known = row->signal ? w->known : w->known & ~VOLATILE;

	if (row->how[CFI_RA] == CFI_UNDEFINED && row->ruled >> CFI_RA & 1) {
		*end = STACK_WHOLE;
		return false;
	}
	*end = STACK_BROKEN;
	if (!cfa_find(w, m, row, &cfa)) {
		if (w->in->code && !(w->known >> CFI_RBP & 1))
			*end = STACK_NO_FRAME;
		return false;
	}
	/* Only the run-time's jump into a handler shares its caller's stack. */
	if (!row->cfa_computed && row->cfa_reg == CFI_RSP && row->cfa_value == 0) {
		*end = STACK_UNWINDER;
		return false;
	}
	/* Stacks grow down: a caller's is further up. A signal may run on another stack. */
	if (!row->signal && (cfa < sp || (cfa == sp && !innermost)))
		return false;
	memcpy(regs, w->regs, sizeof(regs));
	regs[CFI_RSP] = cfa;
	known |= 1u << CFI_RSP;
	w->beyond = false;
	for (uint32_t left = row->ruled; left; left &= left - 1) {
		unsigned reg = (unsigned)__builtin_ctz(left);

		if (register_find(w, m, row, reg, cfa, &regs[reg])) {
			known |= 1u << reg;
		} else {
			known &= ~(1u << reg);
			if (reg == CFI_RA || reg == CFI_RSP) {
				*end = w->beyond ? STACK_CUT : STACK_BROKEN;
				return false;
			}
		}
	}
	if (!(row->ruled >> CFI_RA & 1))
		return false;
	memcpy(w->regs, regs, sizeof(regs));
	w->known = known;
	if (!w->regs[CFI_RA]) { /* a start routine without a caller */
		*end = STACK_WHOLE;
		return false;
	}
	return true;
}

/*
 * Code without rules: compiled at run time, or assembler. Such code uses frame pointers, or this is
 * its first instruction and the return address is on top. Trusted only if it leads into code.
 */
static bool walk_guess(struct walk *w, bool innermost, enum stack_end *end)
{
	uint64_t rbp = w->regs[CFI_RBP], next, ra;

	*end = STACK_NO_ROW;
	w->beyond = false;
	if (w->known >> CFI_RBP & 1 && rbp >= w->regs[CFI_RSP] && walk_read(w, rbp, &next) &&
	    walk_read(w, rbp + 8, &ra) && space_find(w->space, ra)) {
		w->regs[CFI_RSP] = rbp + 16;
		w->regs[CFI_RBP] = next;
	} else if (innermost && walk_read(w, w->regs[CFI_RSP], &ra) && space_find(w->space, ra)) {
		w->regs[CFI_RSP] += 8;
	} else {
		if (w->beyond)
			*end = STACK_CUT;
		return false;
	}
	w->regs[CFI_RA] = ra;
	w->known &= ~VOLATILE;
	return true;
}

/* An address in the first instructions of the dynamic loader, which have no rules. */
#define ENTRY_BYTES 64

enum stack_end unwind(struct unwind_cache *cache, const struct space *space,
		      const struct unwind_input *input, struct stack_frame *frames, uint64_t *pcs,
		      unsigned *count)
{
	struct walk w = {.cache = cache,
			 .space = space,
			 .in = input,
			 .base = input->regs[CFI_RSP],
			 .known = input->known};
	bool innermost = true, exact = true;
	enum stack_end end;

	memcpy(w.regs, input->regs, sizeof(w.regs));
	*count = 0;
	for (;;) {
		struct stack_frame *f = &frames[*count];
		const struct cfi_row *row = NULL;
		uint64_t pc = w.regs[CFI_RA] - !exact;

		if (*count == LIMIT_STACK_FRAMES)
			return STACK_DEEP;
		f->guessed = false;
		if (!frame_locate(&w, pc, f))
			return STACK_NO_MAP;
		pcs[(*count)++] = pc;
		if (f->module->cfi.frame.bytes)
			row = cache_row(w.cache, f->module, f->address);
		/* The kernel returns to the first byte of a signal's trampoline. */
		if (row && row->signal && !exact)
			f->address++;
		w.address = f->address;
		w.called = !exact;
		if (row ? !walk_step(&w, f->module, row, innermost, &end)
			: !walk_guess(&w, innermost, &end)) {
			if (end == STACK_NO_ROW && f->address - f->module->entry < ENTRY_BYTES)
				end = STACK_WHOLE;
			return end;
		}
		f->guessed = !row;
		exact = row && row->signal;
		innermost = false;
	}
}
