/* SPDX-License-Identifier: Apache-2.0 */
/* Parse the core lists of the debugging variables, and delay transfers of these cores. */
#include "device/debug.h"
#include "device/device.h"

#include "base/environ.h"
#include "tacho_layout.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define RISCS_ALL 0x1fu

static int parse_riscs(const char *variable, const char *text, unsigned *out)
{
	static const struct {
		const char *name;
		unsigned bits;
	} names[] = {
		{"BR", 1},   {"B", 1}, /* B and R: a guide reads BR as boot and runtime */
		{"R", 1},    {"NC", 2},          {"TR0", 4},          {"TR1", 8},
		{"TR2", 16}, {"TR", 4 | 8 | 16}, {"TR*", 4 | 8 | 16}, {"ER", 1},
		{"ER0", 1},  {"all", RISCS_ALL},
	};
	size_t n, i;

	*out = text && *text ? 0 : RISCS_ALL;
	for (const char *at = text ? text : ""; *at; at += n) {
		n = strspn(at, "+, ");
		if (n)
			continue;
		n = strcspn(at, "+, ");
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (strlen(names[i].name) == n && !strncasecmp(names[i].name, at, n))
				break;
		if (i == sizeof(names) / sizeof(names[0]))
			return device_fail(TACHO_EUSAGE,
					   "%s: no RISC is called '%.*s': BR, NC, TR0, TR1, TR2",
					   variable, (int)n, at);
		*out |= names[i].bits;
	}
	return 0;
}

/* Parses "x,y" with or without brackets and returns the rest. NULL: no match. */
static const char *parse_core(const char *at, unsigned long *x, unsigned long *y)
{
	bool bracket;
	char *end;

	while (isspace((unsigned char)*at) || *at == ',')
		at++;
	bracket = *at == '(';
	at += bracket;
	if (!isdigit((unsigned char)*at))
		return NULL;
	*x = strtoul(at, &end, 10);
	if (*end != ',' || !isdigit((unsigned char)end[1]))
		return NULL;
	*y = strtoul(end + 1, &end, 10);
	if (bracket && *end != ')')
		return NULL;
	return end + bracket;
}

static void add_range(const struct tacho_device *d, struct debug_cores *out, bool ethernet,
		      const unsigned long *at, unsigned riscs)
{
	for (unsigned i = 0; i < d->shape.cores; i++) {
		const struct tacho_device_core *c = &d->cores[i].info;

		if (!c->ethernet == !ethernet && c->logical_x >= at[0] && c->logical_y >= at[1] &&
		    c->logical_x <= at[2] && c->logical_y <= at[3])
			out->riscs[i] |= (unsigned char)riscs;
	}
}

static int add_list(const struct tacho_device *d, struct debug_cores *out, bool ethernet,
		    const char *variable, const char *text, unsigned riscs)
{
	static const unsigned long everything[] = {0, 0, 255, 255};
	unsigned long at[4];
	unsigned long columns;
	unsigned long rows;

	if (!strcmp(text, "all") || !strcmp(text, "worker")) {
		add_range(d, out, ethernet, everything, riscs);
		return 0;
	}
	if (!strcmp(text, "none") || !strcmp(text, "dispatch") || !*text)
		return 0;
	while (*text) {
		text = parse_core(text, &at[0], &at[1]);
		if (!text)
			return TACHO_EUSAGE;
		at[2] = at[0];
		at[3] = at[1];
		if (*text == '-') {
			text = parse_core(text + 1, &at[2], &at[3]);
			if (!text)
				return TACHO_EUSAGE;
		}
		/* Nonexistent cores would be ignored silently: warn. */
		columns = ethernet ? d->shape.cores - d->workers : d->shape.columns;
		rows = ethernet ? 1 : d->shape.rows;
		if (at[0] > at[2] || at[1] > at[3])
			env_warn(variable, "names no core: (%lu,%lu) is after (%lu,%lu)", at[0],
				 at[1], at[2], at[3]);
		else if (at[2] >= columns || at[3] >= rows)
			env_warn(variable,
				 "names core %lu,%lu: device %u has %lu x %lu %scores, from 0,0",
				 at[2], at[3], d->number, columns, rows,
				 ethernet ? "Ethernet " : "");
		add_range(d, out, ethernet, at, riscs);
		text += strspn(text, ", ");
	}
	return 0;
}

int debug_cores_parse(const struct tacho_device *d, struct debug_cores *out, bool ethernet,
		      const char *variable, const char *cores, const char *riscs_variable)
{
	unsigned bits;
	int r = parse_riscs(riscs_variable, environ_get(riscs_variable), &bits);

	if (!out->riscs)
		out->riscs = calloc(d->shape.cores, 1);
	if (!out->riscs)
		return device_fail(TACHO_ENOMEM, "no memory");
	if (r == 0 && add_list(d, out, ethernet, variable, cores, bits) < 0)
		r = device_fail(TACHO_EUSAGE,
				"%s wants x,y or (x,y)-(x,y) or a list of them or all, not '%s'",
				variable, cores);
	return r;
}

/* ---- delays ---- */
static int delay_kind(struct tacho_device *d, const char *kind, unsigned number, uint32_t cycles)
{
	char variable[64], riscs[64];
	struct debug_cores chosen = {0};
	const char *text;
	int r;

	snprintf(variable, sizeof(variable), "TT_METAL_%s_DEBUG_DELAY_CORES", kind);
	snprintf(riscs, sizeof(riscs), "TT_METAL_%s_DEBUG_DELAY_RISCVS", kind);
	text = environ_get(variable);
	if (!text)
		return 0;
	r = debug_cores_parse(d, &chosen, false, variable, text, riscs);
	for (unsigned i = 0; r == 0 && i < d->shape.cores; i++)
		for (unsigned k = 0; k < DEVICE_RISCS; k++)
			if (chosen.riscs[i] >> k & 1)
				d->ops->delay(d->self, i, k, number, cycles);
	free(chosen.riscs);
	return r;
}

int delay_configure(struct tacho_device *d)
{
	static const char *const kinds[] = {"READ", "WRITE", "ATOMIC"};
	const char *text = environ_get("TT_METAL_WATCHER_DEBUG_DELAY");
	unsigned long cycles;
	char *end;
	int r = 0;

	if (!text || !*text)
		return 0;
	cycles = strtoul(text, &end, 0);
	if (*end || cycles > 100000000)
		return device_fail(TACHO_EUSAGE,
				   "TT_METAL_WATCHER_DEBUG_DELAY wants cycles, not '%s'", text);
	for (unsigned i = 0; r == 0 && cycles && d->ops->delay && i < 3; i++)
		r = delay_kind(d, kinds[i], i, (uint32_t)cycles);
	return r;
}
