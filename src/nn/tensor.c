/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors: their pages, and values on the way to the device and back. */
#include "nn/call.h"
#include "tensix/tile.h"

#include <stdlib.h>
#include <string.h>

static uint32_t tiles_across(uint32_t n)
{
	return (n + TILE_DIM - 1) / TILE_DIM;
}

uint32_t nn_value_size(enum tacho_format format)
{
	return tile_value_bytes(format);
}

uint32_t nn_tile_size(enum tacho_format format)
{
	return tile_bytes(format);
}

uint32_t nn_clear_code(enum tacho_format format)
{
	/* A value of bfloat8_b is 0 if its byte is; the exponents come first. */
	return format == TACHO_BFP8_B ? 1u << 16 | 64 : nn_value_size(format) << 16;
}

uint64_t nn_volume(const struct nn_tensor *t)
{
	return (uint64_t)t->shape[0] * t->shape[1] * t->shape[2] * t->shape[3];
}

uint32_t nn_rows(const struct nn_tensor *t)
{
	return t->shape[0] * t->shape[1] * tiles_across(t->shape[2]);
}

uint32_t nn_columns(const struct nn_tensor *t)
{
	return tiles_across(t->shape[3]);
}

uint32_t nn_page_columns(const struct nn_tensor *t)
{
	return t->layout == TACHO_ROW_MAJOR ? 1 : nn_columns(t);
}

uint32_t nn_page_size(const struct nn_tensor *t)
{
	if (t->layout == TACHO_ROW_MAJOR)
		return (t->shape[3] * nn_value_size(t->format) + 3) / 4 * 4;
	return nn_tile_size(t->format);
}

uint32_t nn_pages(const struct nn_tensor *t)
{
	return t->layout == TACHO_ROW_MAJOR ? t->shape[0] * t->shape[1] * t->shape[2]
					    : nn_rows(t) * nn_columns(t);
}

int nn_tensor_make(struct nn *nn, struct nn_tensor *t)
{
	struct tacho_buffer_options options = {.memory = t->memory,
					       .size = (uint64_t)nn_pages(t) * nn_page_size(t),
					       .page_size = nn_page_size(t)};
	struct tacho_shards shards;

	if (t->shards) {
		uint32_t columns = nn_page_columns(t);

		shards = (struct tacho_shards){.rows = nn_pages(t) / columns,
					       .columns = columns,
					       .shard_rows = t->shards->rows,
					       .shard_columns = t->shards->columns,
					       .banks = t->shards->banks,
					       .bank_count = t->shards->bank_count};
		options.shards = &shards;
	}
	return nn_result(nn, tacho_buffer_make(&t->buffer, nn->device, &options));
}

int nn_tensor_new(struct nn *nn, struct nn_tensor *t, uint32_t batch, uint32_t heads, uint32_t rows,
		  uint32_t columns, enum tacho_format format)
{
	*t = (struct nn_tensor){.shape = {batch, heads, rows, columns},
				.format = format,
				.memory = nn->l1 ? TACHO_L1 : TACHO_DRAM,
				.layout = format == TACHO_UINT32 ? TACHO_ROW_MAJOR : TACHO_TILE};
	nn->bytes += (uint64_t)nn_pages(t) * nn_page_size(t);
	return nn_tensor_make(nn, t);
}

void nn_tensor_free(struct nn_tensor *t)
{
	tacho_buffer_free(t->buffer);
	*t = (struct nn_tensor){0};
}

/* ---- values ---- */
static bool format_is_integer(enum tacho_format format)
{
	return format != TACHO_FLOAT32 && format != TACHO_BFLOAT16 && format != TACHO_BFP8_B &&
	       format != TACHO_BFP4_B;
}

/* Tile TILE of T, from VALUES or to OUT. */
static void tile_values(const struct nn_tensor *t, uint32_t at, struct tile *tile,
			const uint32_t *values, uint32_t *out)
{
	uint32_t across = nn_columns(t), down = tiles_across(t->shape[2]);
	uint32_t row = at / across % down * TILE_DIM, column = at % across * TILE_DIM;
	uint32_t rows = t->shape[2] - row < TILE_DIM ? t->shape[2] - row : TILE_DIM;
	uint32_t columns = t->shape[3] - column < TILE_DIM ? t->shape[3] - column : TILE_DIM;
	size_t first = ((size_t)(at / across / down) * t->shape[2] + row) * t->shape[3] + column;

	for (uint32_t r = 0; r < rows; r++)
		for (uint32_t c = 0; c < columns; c += 16) {
			uint32_t n = columns - c < 16 ? columns - c : 16;
			size_t from = first + (size_t)r * t->shape[3] + c;

			if (out)
				memcpy(out + from, &tile->i[tile_at(r, c)], n * 4);
			else
				memcpy(&tile->i[tile_at(r, c)], values + from, n * 4);
		}
}

static void tiles_copy(const struct nn_tensor *t, uint8_t *pages, const uint32_t *values,
		       uint32_t *out, uint32_t pad)
{
	bool integer = format_is_integer(t->format);
	uint32_t size = nn_page_size(t);
	struct tile tile;

	for (uint32_t i = 0; i < nn_pages(t); i++) {
		tile.integer = integer;
		if (out) {
			tile_unpack(&tile, pages + (size_t)i * size, t->format);
			tile_values(t, i, &tile, NULL, out);
			continue;
		}
		for (unsigned k = 0; k < TILE_VALUES; k++)
			tile.i[k] = (int32_t)pad;
		tile_values(t, i, &tile, values, NULL);
		tile_pack(pages + (size_t)i * size, &tile, t->format);
	}
}

/* A tile's worth of a row at a time; its values are in the order of memory. */
static void rows_copy(const struct nn_tensor *t, uint8_t *pages, const uint32_t *values,
		      uint32_t *out)
{
	uint32_t bytes = nn_value_size(t->format), width = t->shape[3];
	uint8_t packed[TILE_VALUES * 4] = {0};
	struct tile tile = {.integer = format_is_integer(t->format)};

	for (uint32_t i = 0; i < nn_pages(t); i++)
		for (uint32_t c = 0; c < width; c += TILE_VALUES) {
			uint32_t n = width - c < TILE_VALUES ? width - c : TILE_VALUES;
			uint8_t *page = pages + (size_t)i * nn_page_size(t) + (size_t)c * bytes;

			if (out) {
				memcpy(packed, page, (size_t)n * bytes);
				tile_unpack(&tile, packed, t->format);
				memcpy(out + (size_t)i * width + c, tile.i, (size_t)n * 4);
				continue;
			}
			tile.integer = format_is_integer(t->format);
			memcpy(tile.i, values + (size_t)i * width + c, (size_t)n * 4);
			tile_pack(packed, &tile, t->format);
			memcpy(page, packed, (size_t)n * bytes);
		}
}

static void values_copy(const struct nn_tensor *t, uint8_t *pages, const uint32_t *values,
			uint32_t *out, uint32_t pad)
{
	if (t->layout == TACHO_TILE)
		tiles_copy(t, pages, values, out, pad);
	else
		rows_copy(t, pages, values, out);
}

int nn_write_cells(struct nn *nn, struct nn_tensor *t, const uint32_t *values, uint32_t pad)
{
	size_t size = (size_t)nn_pages(t) * nn_page_size(t);
	uint8_t *pages = calloc(1, size);
	int r;

	if (!pages)
		return nn_fail(nn, "no memory");
	values_copy(t, pages, values, NULL, pad);
	r = nn_result(nn, tacho_buffer_write(t->buffer, 0, pages, size));
	free(pages);
	return r;
}

int nn_read_cells(struct nn *nn, const struct nn_tensor *t, uint32_t *values)
{
	size_t size = (size_t)nn_pages(t) * nn_page_size(t);
	uint8_t *pages = calloc(1, size);
	int r;

	if (!pages)
		return nn_fail(nn, "no memory");
	r = nn_result(nn, tacho_buffer_read(t->buffer, 0, pages, size));
	if (r >= 0)
		values_copy(t, pages, NULL, values, 0);
	free(pages);
	return r;
}

int nn_round(struct nn *nn, const struct nn_tensor *t, uint32_t *values)
{
	size_t size = (size_t)nn_pages(t) * nn_page_size(t);
	uint8_t *pages = calloc(1, size);

	if (!pages)
		return nn_fail(nn, "no memory");
	values_copy(t, pages, values, NULL, 0);
	values_copy(t, pages, NULL, values, 0);
	free(pages);
	return 0;
}

int nn_write(struct nn *nn, struct nn_tensor *t, const float *values)
{
	return nn_write_cells(nn, t, (const uint32_t *)(const void *)values, 0);
}

int nn_read(struct nn *nn, const struct nn_tensor *t, float *values)
{
	return nn_read_cells(nn, t, (uint32_t *)(void *)values);
}
