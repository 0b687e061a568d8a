/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints of kernels (firmware/include/debug/dprint.h): read from the cores' buffers while a program
 * runs and printed line by line. TT_METAL_DPRINT_CORES and related variables enable them. Buffers
 * are not trusted: an invalid item empties its buffer.
 */
#include "base/arch.h"
#include "base/environ.h"
#include "device/debug.h"
#include "device/launch.h"
#include "tacho_layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct printer {
	struct buf line;
	bool hex;
	uint8_t width, precision;
};

struct dprint {
	FILE *out;
	bool prefix, own; /* own: we opened the file */
	struct debug_cores chosen;
	struct printer *printers; /* per core and RISC */
};

static uint32_t address_of(const struct tacho_device *d, unsigned risc)
{
	return d->shape.mailbox + M_DPRINT + risc * DPRINT_SIZE;
}

/* ---- switching on ---- */
static bool chip_chosen(const struct tacho_device *d)
{
	const char *text = environ_get("TT_METAL_DPRINT_CHIPS");
	char *end;

	if (!text || !*text || !strcmp(text, "all"))
		return true;
	for (; *text; text = *end ? end + 1 : end) {
		if (strtoul(text, &end, 10) == d->number && end != text)
			return true;
		if (end == text || (*end && *end != ',')) {
			env_warn("TT_METAL_DPRINT_CHIPS",
				 "wants numbers of devices with commas, or all, not '%s'",
				 environ_get("TT_METAL_DPRINT_CHIPS"));
			return false;
		}
	}
	return false;
}

static int dprint_choose(struct tacho_device *d, const char *variable, bool ethernet)
{
	const char *cores = environ_get(variable);

	return cores ? debug_cores_parse(d, &d->dprint->chosen, ethernet, variable, cores,
					 "TT_METAL_DPRINT_RISCVS")
		     : 0;
}

static int open_output(struct dprint *p)
{
	const char *file = environ_get("TT_METAL_DPRINT_FILE");
	const char *prefix = environ_get("TT_METAL_DPRINT_PREPEND_DEVICE_CORE_RISC");

	p->prefix = !prefix || strcmp(prefix, "0");
	p->out = stdout;
	if (!file || !*file)
		return 0;
	p->out = fopen(file, "ae");
	p->own = p->out != NULL;
	return p->own ? 0 : device_fail(TACHO_EWRITE, "cannot write TT_METAL_DPRINT_FILE %s", file);
}

int dprint_open(struct tacho_device *d)
{
	struct dprint *p;
	int r;

	if ((!environ_get("TT_METAL_DPRINT_CORES") && !environ_get("TT_METAL_DPRINT_ETH_CORES")) ||
	    !chip_chosen(d))
		return 0;
	p = d->dprint = calloc(1, sizeof(*p));
	if (!p)
		return device_fail(TACHO_ENOMEM, "no memory");
	p->printers = calloc((size_t)d->shape.cores * DEVICE_RISCS, sizeof(*p->printers));
	r = p->printers ? open_output(p) : device_fail(TACHO_ENOMEM, "no memory");
	if (r == 0)
		r = dprint_choose(d, "TT_METAL_DPRINT_CORES", false);
	return r == 0 ? dprint_choose(d, "TT_METAL_DPRINT_ETH_CORES", true) : r;
}

int dprint_start_core(struct tacho_device *d, unsigned core)
{
	int r = 0;

	for (unsigned k = 0; r == 0 && k < d->cores[core].info.riscs; k++) {
		bool on = d->dprint && d->dprint->chosen.riscs &&
			  (d->dprint->chosen.riscs[core] >> k & 1);
		uint32_t words[] = {0, on ? 0 : DPRINT_OFF};

		r = core_write(d, core, address_of(d, k), words, sizeof(words));
	}
	return r;
}

/* ---- printing ---- */
static void put_line(struct tacho_device *d, unsigned core, unsigned risc, struct buf *line)
{
	const struct tacho_device_core *c = &d->cores[core].info;
	FILE *out = d->dprint->out;

	if (d->dprint->prefix)
		fprintf(out, "%u:(x=%u,y=%u):%s: ", d->number, c->logical_x, c->logical_y,
			arch_risc_short_name(arch_risc_at(risc, c->ethernet)));
	fprintf(out, "%s\n", line->len ? line->data : "");
	line->len = 0;
}

static void put_text(struct tacho_device *d, unsigned core, unsigned risc, const char *text,
		     size_t len)
{
	struct buf *line = &d->dprint->printers[core * DEVICE_RISCS + risc].line;

	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\n')
			put_line(d, core, risc, line);
		else if (text[i])
			buf_add(line, &text[i], 1);
	}
}

static void put_number(struct tacho_device *d, unsigned core, unsigned risc, unsigned kind,
		       const uint8_t *bytes)
{
	struct printer *p = &d->dprint->printers[core * DEVICE_RISCS + risc];
	uint64_t wide = 0;
	char text[300];
	float real;
	int n;

	memcpy(&wide, bytes, kind == DPRINT_U64 || kind == DPRINT_I64 ? 8 : 4);
	if (kind == DPRINT_FLOAT) {
		memcpy(&real, bytes, 4);
		n = snprintf(text, sizeof(text), "%*.*g", p->width, p->precision ? p->precision : 6,
			     (double)real);
	} else if (p->hex) {
		n = snprintf(text, sizeof(text), "%*llx", p->width, (unsigned long long)wide);
	} else if (kind == DPRINT_I32 || kind == DPRINT_I64) {
		n = snprintf(text, sizeof(text), "%*lld", p->width,
			     kind == DPRINT_I32 ? (long long)(int32_t)wide : (long long)wide);
	} else {
		n = snprintf(text, sizeof(text), "%*llu", p->width, (unsigned long long)wide);
	}
	p->width = 0;
	put_text(d, core, risc, text, n < 0 ? 0 : (size_t)n < sizeof(text) ? (size_t)n : 0);
}

/* Size of one item in bytes, 0 when it is incomplete or unknown. */
static size_t put_item(struct tacho_device *d, unsigned core, unsigned risc, const uint8_t *item,
		       size_t left)
{
	static const uint8_t sizes[] = {
		[DPRINT_U32] = 4,   [DPRINT_I32] = 4,      [DPRINT_U64] = 8,    [DPRINT_I64] = 8,
		[DPRINT_FLOAT] = 4, [DPRINT_CHAR] = 1,     [DPRINT_HEX_ON] = 1, [DPRINT_DEC_ON] = 1,
		[DPRINT_WIDTH] = 1, [DPRINT_PRECISION] = 1};
	struct printer *p = &d->dprint->printers[core * DEVICE_RISCS + risc];
	unsigned kind = item[0];
	size_t size;

	if (kind == DPRINT_TEXT && left >= 2 && left - 2 >= item[1]) {
		put_text(d, core, risc, (const char *)item + 2, item[1]);
		return 2u + item[1];
	}
	size = kind < sizeof(sizes) ? sizes[kind] : 0;
	if (!size || left < 1 + size)
		return 0;
	if (kind == DPRINT_HEX_ON || kind == DPRINT_DEC_ON)
		p->hex = kind == DPRINT_HEX_ON;
	else if (kind == DPRINT_WIDTH)
		p->width = item[1];
	else if (kind == DPRINT_PRECISION)
		p->precision = item[1];
	else if (kind == DPRINT_CHAR)
		put_text(d, core, risc, (const char *)item + 1, 1);
	else
		put_number(d, core, risc, kind, item + 1);
	return 1 + size;
}

static bool poll_risc(struct tacho_device *d, unsigned core, unsigned risc)
{
	uint8_t data[DPRINT_DATA], item[DPRINT_DATA];
	uint32_t words[2], n;

	if (d->ops->read(d->self, core, address_of(d, risc), words, sizeof(words)) < 0 ||
	    words[0] == words[1] || words[1] == DPRINT_OFF)
		return false;
	n = words[0] - words[1];
	if (n > DPRINT_DATA ||
	    d->ops->read(d->self, core, address_of(d, risc) + 8, data, sizeof(data)) < 0)
		n = 0;
	for (uint32_t i = 0; i < n; i++)
		item[i] = data[(words[1] + i) % DPRINT_DATA];
	for (size_t at = 0, size; at < n; at += size) {
		size = put_item(d, core, risc, item + at, n - at);
		if (!size)
			break;
	}
	return core_write(d, core, address_of(d, risc) + 4, &words[0], 4) == 0;
}

bool dprint_poll(struct tacho_device *d)
{
	bool any = false;

	if (!d->dprint || !d->dprint->chosen.riscs)
		return false;
	for (unsigned i = 0; i < d->shape.cores; i++)
		for (unsigned k = 0; k < d->cores[i].info.riscs; k++)
			if (d->dprint->chosen.riscs[i] >> k & 1)
				any |= poll_risc(d, i, k);
	if (any)
		fflush(d->dprint->out);
	return any;
}

void dprint_settle(struct tacho_device *d)
{
	struct dprint *p = d->dprint;

	for (unsigned i = 0; p->printers && i < d->shape.cores * DEVICE_RISCS; i++)
		if (p->printers[i].line.len)
			put_line(d, i / DEVICE_RISCS, i % DEVICE_RISCS, &p->printers[i].line);
	if (p->out)
		fflush(p->out);
}

void dprint_close(struct tacho_device *d)
{
	struct dprint *p = d->dprint;

	if (!p)
		return;
	for (unsigned i = 0; p->printers && i < d->shape.cores * DEVICE_RISCS; i++)
		buf_free(&p->printers[i].line);
	if (p->own)
		fclose(p->out);
	free(p->printers);
	free(p->chosen.riscs);
	free(p);
	d->dprint = NULL;
}
