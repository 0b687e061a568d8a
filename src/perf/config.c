/* SPDX-License-Identifier: Apache-2.0 */
/* The table of program configs, and the parser of their settings in an op's attributes. */
#include "perf/config.h"

#include "perf/input.h"

#include <stdlib.h>
#include <string.h>

#define BIT(field) (1u << FIELD_##field)

#define BLOCKS       (BIT(IN0_BLOCK_W) | BIT(PER_CORE_M) | BIT(PER_CORE_N))
#define SUBBLOCK     (BIT(OUT_SUBBLOCK_H) | BIT(OUT_SUBBLOCK_W))
#define OUT_BLOCK    (BIT(OUT_BLOCK_H) | BIT(OUT_BLOCK_W))
#define SHARDED_NORM (BIT(GRID) | BIT(SUBBLOCK_W) | BIT(BLOCK_H) | BIT(BLOCK_W))

/*
 * A new config is one more line. Configs without a setting that advice covers are listed too, and
 * get no advice.
 */
static const struct {
	const char *name;
	uint32_t has;
} types[] = {
	{"MatmulMultiCoreProgramConfig", 0},
	{"MatmulMultiCoreReuseProgramConfig", BLOCKS | SUBBLOCK | BIT(GRID)},
	{"MatmulMultiCoreReuseMultiCastProgramConfig", BLOCKS | SUBBLOCK | OUT_BLOCK | BIT(GRID)},
	{"MatmulMultiCoreReuseMultiCast1DProgramConfig", BLOCKS | SUBBLOCK | OUT_BLOCK | BIT(GRID)},
	{"MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig", BLOCKS},
	{"MatmulMultiCoreReuseMultiCastBatchedDRAMShardedProgramConfig", BLOCKS},
	{"MinimalMatmulConfig", BIT(M_BLOCK_SIZE) | BIT(K_BLOCK_SIZE) | BIT(N_BLOCK_SIZE) |
					BIT(SUBBLOCK_H) | BIT(SUBBLOCK_W) | BIT(GRID)},
	{"Conv2dBlockConfig",
	 BIT(ACT_BLOCK_H) | BIT(OUT_SUBBLOCK_H_NTILES) | BIT(OUT_SUBBLOCK_W_NTILES)},
	{"OptimizedConvBlockConfig",
	 BIT(ACT_BLOCK_H) | BIT(OUT_SUBBLOCK_H_NTILES) | BIT(OUT_SUBBLOCK_W_NTILES)},
	{"SDPAProgramConfig", BIT(GRID) | BIT(Q_CHUNK_SIZE) | BIT(K_CHUNK_SIZE)},
	{"LayerNormDefaultProgramConfig", 0},
	{"LayerNormShardedMultiCoreProgramConfig", SHARDED_NORM},
	{"SoftmaxDefaultProgramConfig", 0},
	{"SoftmaxShardedMultiCoreProgramConfig", SHARDED_NORM},
	{"GroupNormMultiCoreProgramConfig", BIT(GRID)},
	{"GroupNormShardedMultiCoreProgramConfig", BIT(GRID)},
};

/* Settings of an op outside a config, in its attributes. */
#define ATTRIBUTES_ALONE (BIT(ACT_DOUBLE_BUFFER) | BIT(WEIGHTS_DOUBLE_BUFFER) | BIT(NUM_LINKS))

static const char *const names[FIELD_COUNT] = {
#define X(id, name) [FIELD_##id] = (name),
	PERF_FIELDS(X)
#undef X
};

const char *perf_field_name(enum perf_field field)
{
	return names[field];
}

/* The text after the first NAME that does not continue another word; NULL: none. */
static const char *name_after(struct csv_cell text, const char *name)
{
	size_t len = strlen(name);
	const char *p = text.text, *end = text.text + text.len;

	while ((p = memmem(p, (size_t)(end - p), name, len))) {
		char before = p > text.text ? p[-1] : ' ';
		char after = p + len < end ? p[len] : ' ';

		p += len;
		if (strchr("'\"(;, :", before) && strchr("='\": (", after))
			return p;
	}
	return NULL;
}

static bool digits_read(const char **p, const char *end, int64_t *n)
{
	const char *from = *p;

	for (*n = 0; *p < end && **p >= '0' && **p <= '9' && *n < INT64_MAX / 16; (*p)++)
		*n = *n * 10 + (**p - '0');
	return *p > from;
}

/* "=4", "': '2'", "=true", "=(x=8;y=8)": the last is the number of cores. */
static int64_t value_read(const char *p, const char *end)
{
	int64_t n, m;

	while (p < end && strchr("=': \"", *p))
		p++;
	if (end - p >= 4 && !memcmp(p, "true", 4))
		return 1;
	if (end - p >= 5 && !memcmp(p, "false", 5))
		return 0;
	if (end - p > 3 && !memcmp(p, "(x=", 3)) {
		p += 3;
		if (!digits_read(&p, end, &n) || end - p < 4 || memcmp(p, ";y=", 3))
			return PERF_NO_FIELD;
		p += 3;
		return digits_read(&p, end, &m) ? perf_times(n, m) : PERF_NO_FIELD;
	}
	return digits_read(&p, end, &n) ? n : PERF_NO_FIELD;
}

/* The settings FIELDS in TEXT, the inside of a config or all attributes. */
static uint32_t fields_read(struct perf_config_fields *out, struct csv_cell text, uint32_t fields)
{
	uint32_t found = 0;

	for (int i = 0; i < FIELD_COUNT; i++) {
		const char *p = fields & 1u << i ? name_after(text, names[i]) : NULL;

		if (!p)
			continue;
		found |= 1u << i;
		out->value[i] = value_read(p, text.text + text.len);
	}
	return found;
}

/* From P to the quote that ends the attribute's value. */
static struct csv_cell value_rest(struct csv_cell attributes, const char *p)
{
	const char *end = attributes.text + attributes.len;
	const char *quote = memchr(p, '\'', (size_t)(end - p));

	return (struct csv_cell){p, (size_t)((quote ? quote : end) - p)};
}

/* A program config of a type that is not in the table has the settings that its text names. */
static void unknown_read(struct perf_config_fields *out, struct csv_cell attributes)
{
	const char *p = name_after(attributes, "program_config");

	if (!p)
		return;
	while (p < attributes.text + attributes.len && strchr("': =\"", *p))
		p++;
	out->has |= fields_read(out, value_rest(attributes, p), UINT32_MAX & ~ATTRIBUTES_ALONE);
}

void perf_config_read(struct perf_config_fields *out, struct csv_cell attributes)
{
	memset(out, 0, sizeof(*out));
	for (int i = 0; i < FIELD_COUNT; i++)
		out->value[i] = PERF_NO_FIELD;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const char *p = name_after(attributes, types[i].name);

		if (!p)
			continue;
		out->name = types[i].name;
		out->has |= fields_read(out, value_rest(attributes, p), types[i].has);
	}
	if (!out->name)
		unknown_read(out, attributes);
	out->has |= fields_read(out, attributes, ATTRIBUTES_ALONE);
}
