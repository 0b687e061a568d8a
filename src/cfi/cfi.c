/* SPDX-License-Identifier: Apache-2.0 */
/* Interprets .eh_frame: finds the entry of an address and runs its instructions; see cfi.h. */
#include "cfi/cfi.h"

#include "base/limits.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------- bytes */

struct in {
	const struct cfi_section *section;
	size_t at, end;
	bool bad;
};

static uint64_t in_word(struct in *in, size_t size)
{
	uint64_t v = 0;

	if (in->bad || in->end - in->at < size) {
		in->bad = true;
		return 0;
	}
	memcpy(&v, in->section->bytes + in->at, size);
	in->at += size;
	return v;
}

static uint8_t cfi_in_byte(struct in *in)
{
	return (uint8_t)in_word(in, 1);
}

static uint64_t in_uleb(struct in *in)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte = cfi_in_byte(in);

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	in->bad = true;
	return 0;
}

static int64_t in_sleb(struct in *in)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64;) {
		uint8_t byte = cfi_in_byte(in);

		v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (byte & 0x40 && shift < 64)
			v |= ~0ull << shift;
		return (int64_t)v;
	}
	in->bad = true;
	return 0;
}

static void cfi_in_skip(struct in *in, uint64_t n)
{
	if (n > in->end - in->at)
		in->bad = true;
	else
		in->at += (size_t)n;
}

/* A pointer in one of the encodings of .eh_frame. DATA: the base of DW_EH_PE_datarel. */
static uint64_t in_pointer(struct in *in, uint8_t encoding, uint64_t data)
{
	uint64_t base = 0, v;

	if (encoding == DW_EH_PE_omit)
		return 0;
	if ((encoding & 0x70) == DW_EH_PE_pcrel)
		base = in->section->address + in->at;
	else if ((encoding & 0x70) == DW_EH_PE_datarel)
		base = data;
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		v = in_word(in, 8);
		break;
	case DW_EH_PE_udata4:
		v = in_word(in, 4);
		break;
	case DW_EH_PE_sdata4:
		v = (uint64_t)(int64_t)(int32_t)in_word(in, 4);
		break;
	case DW_EH_PE_udata2:
		v = in_word(in, 2);
		break;
	case DW_EH_PE_sdata2:
		v = (uint64_t)(int64_t)(int16_t)in_word(in, 2);
		break;
	case DW_EH_PE_uleb128:
		v = in_uleb(in);
		break;
	case DW_EH_PE_sleb128:
		v = (uint64_t)in_sleb(in);
		break;
	default:
		in->bad = true;
		return 0;
	}
	return base + v;
}

/* ------------------------------------------------------------- entries */

/* An entry: the bytes after its length. False: none. */
static bool entry_open(const struct cfi_section *frame, size_t offset, struct in *in)
{
	uint64_t length;

	*in = (struct in){frame, offset, frame->size, false};
	if (offset > frame->size)
		return false;
	length = in_word(in, 4);
	if (length == 0xffffffff)
		length = in_word(in, 8);
	if (in->bad || length < 4 || length > in->end - in->at)
		return false;
	in->end = in->at + (size_t)length;
	return true;
}

struct cie {
	uint64_t code_align;
	int64_t data_align;
	uint8_t pointer, lsda;
	bool augmented, signal;
	struct in instructions;
};

static bool cie_read(const struct cfi_section *frame, size_t offset, struct cie *cie)
{
	const char *augmentation;
	struct in in;
	uint8_t version;

	memset(cie, 0, sizeof(*cie));
	if (!entry_open(frame, offset, &in) || in_word(&in, 4) != 0)
		return false;
	version = cfi_in_byte(&in);
	augmentation = (const char *)frame->bytes + in.at;
	while (cfi_in_byte(&in))
		;
	cie->code_align = in_uleb(&in);
	cie->data_align = in_sleb(&in);
	if ((version == 1 ? cfi_in_byte(&in) : in_uleb(&in)) != CFI_RA || in.bad ||
	    (version != 1 && version != 3))
		return false;
	cie->augmented = augmentation[0] == 'z';
	if (cie->augmented)
		in_uleb(&in);
	else if (augmentation[0])
		return false;
	for (const char *a = augmentation + cie->augmented; *a && !in.bad; a++) {
		if (*a == 'R')
			cie->pointer = cfi_in_byte(&in);
		else if (*a == 'L')
			cie->lsda = cfi_in_byte(&in);
		else if (*a == 'P')
			in_pointer(&in, cfi_in_byte(&in) & 0x7f, 0);
		else if (*a == 'S')
			cie->signal = true;
		else if (*a != 'B')
			return false;
	}
	cie->instructions = in;
	return !in.bad;
}

/* -------------------------------------------------------- instructions */

struct machine {
	struct cfi_row row, initial, saved[LIMIT_CFI_STATES];
	unsigned depth, steps;
	uint64_t location, pc;
	const struct cie *cie;
};

static void rule_set(struct machine *m, uint64_t reg, enum cfi_how how, int64_t value)
{
	if (reg >= CFI_REGS)
		return; /* vector registers: they hold no addresses */
	m->row.how[reg] = (uint8_t)how;
	m->row.value[reg] = (int32_t)value;
	m->row.ruled = how == CFI_SAME ? m->row.ruled & ~(1u << reg) : m->row.ruled | 1u << reg;
}

static void rule_expression(struct machine *m, struct in *in, enum cfi_how how)
{
	uint64_t reg = in_uleb(in);
	size_t at = in->at;

	cfi_in_skip(in, in_uleb(in));
	rule_set(m, reg, how, (int64_t)at);
}

static void rule_restore(struct machine *m, uint64_t reg)
{
	if (reg < CFI_REGS)
		rule_set(m, reg, (enum cfi_how)m->initial.how[reg], m->initial.value[reg]);
}

static void cfa_set(struct machine *m, uint64_t reg, int64_t value)
{
	m->row.cfa_computed = false;
	m->row.cfa_reg = reg < CFI_REGS ? (uint8_t)reg : CFI_REGS;
	m->row.cfa_value = (int32_t)value;
}

static bool machine_step_rare(struct machine *m, struct in *in, uint8_t op)
{
	int64_t align = m->cie->data_align;
	uint64_t reg;

	switch (op) {
	case DW_CFA_offset_extended:
		reg = in_uleb(in);
		rule_set(m, reg, CFI_OFFSET, (int64_t)in_uleb(in) * align);
		return true;
	case DW_CFA_offset_extended_sf:
		reg = in_uleb(in);
		rule_set(m, reg, CFI_OFFSET, in_sleb(in) * align);
		return true;
	case DW_CFA_restore_extended:
		rule_restore(m, in_uleb(in));
		return true;
	case DW_CFA_undefined:
		rule_set(m, in_uleb(in), CFI_UNDEFINED, 0);
		return true;
	case DW_CFA_same_value:
		rule_set(m, in_uleb(in), CFI_SAME, 0);
		return true;
	case DW_CFA_register:
		reg = in_uleb(in);
		rule_set(m, reg, CFI_REGISTER, (int64_t)(in_uleb(in) & 0xff));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = in_uleb(in);
		cfa_set(m, reg, in_sleb(in) * align);
		return true;
	case DW_CFA_def_cfa_offset_sf:
		m->row.cfa_value = (int32_t)(in_sleb(in) * align);
		return true;
	case DW_CFA_expression:
		rule_expression(m, in, CFI_AT_EXPRESSION);
		return true;
	case DW_CFA_val_expression:
		rule_expression(m, in, CFI_IS_EXPRESSION);
		return true;
	case DW_CFA_val_offset:
		reg = in_uleb(in);
		rule_set(m, reg, CFI_VALUE, (int64_t)in_uleb(in) * align);
		return true;
	case DW_CFA_val_offset_sf:
		reg = in_uleb(in);
		rule_set(m, reg, CFI_VALUE, in_sleb(in) * align);
		return true;
	case DW_CFA_GNU_args_size:
		in_uleb(in);
		return true;
	default:
		return false;
	}
}

/* An instruction below 0x40; false: unknown. */
static bool machine_step(struct machine *m, struct in *in, uint8_t op)
{
	uint64_t reg, len;

	switch (op) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_set_loc:
		m->location = in_pointer(in, m->cie->pointer, 0);
		return true;
	case DW_CFA_advance_loc1:
	case DW_CFA_advance_loc2:
	case DW_CFA_advance_loc4:
		m->location += in_word(in, 1u << (op - DW_CFA_advance_loc1)) * m->cie->code_align;
		return true;
	case DW_CFA_def_cfa:
		reg = in_uleb(in);
		cfa_set(m, reg, (int64_t)in_uleb(in));
		return true;
	case DW_CFA_def_cfa_register:
		reg = in_uleb(in);
		cfa_set(m, reg, m->row.cfa_value);
		return true;
	case DW_CFA_def_cfa_offset:
		m->row.cfa_value = (int32_t)in_uleb(in);
		return true;
	case DW_CFA_def_cfa_expression:
		len = in_uleb(in);
		m->row.cfa_computed = true;
		m->row.cfa_value = (int32_t)in->at;
		m->row.cfa_len = (uint32_t)len;
		cfi_in_skip(in, len);
		return true;
	case DW_CFA_remember_state:
		if (m->depth == LIMIT_CFI_STATES)
			return false;
		m->saved[m->depth++] = m->row;
		return true;
	case DW_CFA_restore_state:
		if (!m->depth)
			return false;
		m->row = m->saved[--m->depth];
		return true;
	default:
		return machine_step_rare(m, in, op);
	}
}

/* Runs instructions up to the row that applies at m->pc. */
static bool machine_run(struct machine *m, struct in *in)
{
	while (in->at < in->end && !in->bad) {
		uint8_t op = cfi_in_byte(in);
		uint64_t low = op & 0x3f;

		if (++m->steps > LIMIT_CFI_STEPS)
			return false;
		switch (op & 0xc0) {
		case DW_CFA_advance_loc:
			m->location += low * m->cie->code_align;
			break;
		case DW_CFA_offset:
			rule_set(m, low, CFI_OFFSET, (int64_t)in_uleb(in) * m->cie->data_align);
			break;
		case DW_CFA_restore:
			rule_restore(m, low);
			break;
		default:
			if (!machine_step(m, in, op))
				return false;
		}
		if (m->location > m->pc)
			return !in->bad;
	}
	return !in->bad;
}

/* The rules of the FDE at OFFSET, if it covers PC. */
static bool fde_row(const struct cfi_section *frame, size_t offset, uint64_t pc,
		    struct cfi_row *row)
{
	struct machine m = {.pc = UINT64_MAX};
	struct cie cie;
	struct in in, first;
	uint64_t back, start, length;
	size_t here;

	if (!entry_open(frame, offset, &in))
		return false;
	here = in.at;
	back = in_word(&in, 4);
	if (!back || back > here || !cie_read(frame, here - (size_t)back, &cie))
		return false;
	start = in_pointer(&in, cie.pointer, 0);
	length = in_pointer(&in, cie.pointer & 0x0f, 0);
	if (cie.augmented)
		cfi_in_skip(&in, in_uleb(&in));
	if (in.bad || pc - start >= length)
		return false;
	m.cie = &cie;
	m.row.cfa_reg = CFI_REGS;
	first = cie.instructions;
	if (!machine_run(&m, &first))
		return false;
	m.initial = m.row;
	m.location = start;
	m.pc = pc;
	if (!machine_run(&m, &in))
		return false;
	*row = m.row;
	row->start = start;
	row->length = length;
	row->signal = cie.signal;
	return true;
}

/* ---------------------------------------------------------------- find */

static int pair_compare(const void *a, const void *b)
{
	int32_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

size_t cfi_index(const struct cfi_section *frame, uint8_t *index, size_t room)
{
	static const uint8_t encodings[4] = {1, DW_EH_PE_omit, DW_EH_PE_udata4,
					     DW_EH_PE_datarel | DW_EH_PE_sdata4};
	size_t known = SIZE_MAX, at = 0, size = 8;
	struct cie cie = {0};
	uint32_t count = 0;
	struct in in;

	for (; at + 4 <= frame->size; at = in.end) {
		uint64_t back, start;
		int32_t pair[2];
		size_t here;

		if (!entry_open(frame, at, &in)) {
			uint32_t length;

			memcpy(&length, frame->bytes + at, sizeof(length));
			in.end = at + 4;
			if (length)
				break;
			continue; /* the end of one of the linked files */
		}
		here = in.at;
		back = in_word(&in, 4);
		if (!back)
			continue;
		if (back > here)
			continue;
		if (here - back != known) {
			known = SIZE_MAX; /* a failed read changes CIE, too */
			if (!cie_read(frame, here - back, &cie))
				continue;
		}
		known = here - (size_t)back;
		start = in_pointer(&in, cie.pointer, 0) - frame->address;
		if (in.bad || (int64_t)start != (int32_t)start || at > INT32_MAX ||
		    size + sizeof(pair) > room)
			continue;
		pair[0] = (int32_t)start;
		pair[1] = (int32_t)at;
		memcpy(index + size, pair, sizeof(pair));
		size += sizeof(pair);
		count++;
	}
	if (!count)
		return 0;
	memcpy(index, encodings, sizeof(encodings));
	memcpy(index + 4, &count, sizeof(count));
	qsort(index + 8, count, 8, pair_compare);
	return size;
}

/* Binary search in the table of .eh_frame_hdr: pairs of 32 bits, relative to its address. */
bool cfi_find(const struct cfi_file *file, uint64_t pc, struct cfi_row *row)
{
	struct in in = {&file->header, 0, file->header.size, false};
	uint64_t base = file->header.address, count;
	size_t table, low = 0, high;
	uint8_t encodings[4];
	int32_t pair[2];

	for (int i = 0; i < 4; i++)
		encodings[i] = cfi_in_byte(&in);
	if (in.bad || encodings[0] != 1 || encodings[3] != (DW_EH_PE_datarel | DW_EH_PE_sdata4))
		return false;
	in_pointer(&in, encodings[1], base);
	count = in_pointer(&in, encodings[2], base);
	table = in.at;
	if (in.bad || count > (in.end - in.at) / 8)
		return false;
	high = (size_t)count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		memcpy(pair, file->header.bytes + table + middle * 8, sizeof(pair));
		if (base + (uint64_t)(int64_t)pair[0] <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	memcpy(pair, file->header.bytes + table + (low - 1) * 8, sizeof(pair));
	return fde_row(&file->frame,
		       (size_t)(base + (uint64_t)(int64_t)pair[1] - file->frame.address), pc, row);
}
