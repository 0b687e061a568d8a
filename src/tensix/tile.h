/*
 * Tiles: 32 x 32 values in four faces of 16 x 16, face after face, row after row, as they lie in
 * memory. tile_unpack() and tile_pack() know the formats, the tile_* operations compute.
 *
 * Block formats (BFP8, BFP4): one exponent byte for each row of 16 values, 64 in all, first; then
 * sign and magnitude of 8 or 4 bits per value, two of the latter in a byte, the first one low.
 */
#ifndef TENSIX_TILE_H
#define TENSIX_TILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TILE_DIM    32
#define TILE_VALUES 1024

/* Numbers as the hardware's configuration has them. */
enum tile_format {
	TILE_FLOAT32 = 0,
	TILE_BFLOAT16 = 5,
	TILE_BFP8 = 6,
	TILE_BFP4 = 7,
	TILE_INT32 = 8,
	TILE_UINT32 = 24,
};

struct tile {
	bool integer; /* .i holds the values, else .f */
	union {
		float f[TILE_VALUES];
		int32_t i[TILE_VALUES];
	};
};

enum tile_binary { TILE_ADD, TILE_SUB, TILE_MUL, TILE_BINARIES };
enum tile_broadcast { TILE_BCAST_NONE, TILE_BCAST_COL, TILE_BCAST_ROW, TILE_BCAST_SCALAR };
enum tile_unary {
	TILE_RELU,
	TILE_GELU,
	TILE_EXP,
	TILE_SQRT,
	TILE_RECIP,
	TILE_SIGMOID,
	TILE_UNARIES
};
enum tile_reduce { TILE_SUM, TILE_AVG, TILE_MAX };
/* What is left: one column, one row, one value. */
enum tile_axis { TILE_ALONG_ROW, TILE_ALONG_COL, TILE_ALONG_BOTH };

/* Bytes of a tile in memory; 0 for a format that is not known. */
uint32_t tile_bytes(unsigned format);

/* BYTES holds tile_bytes(format); false for an unknown format. */
bool tile_unpack(struct tile *out, const uint8_t *bytes, unsigned format);
bool tile_pack(uint8_t *bytes, const struct tile *in, unsigned format);

/* Position in .f of row and column. */
static inline unsigned tile_at(unsigned row, unsigned column)
{
	return (row / 16 * 2 + column / 16) * 256 + row % 16 * 16 + column % 16;
}

/* dst += a x b */
void tile_matmul(struct tile *dst, const struct tile *a, const struct tile *b);
void tile_binary(struct tile *dst, const struct tile *a, const struct tile *b, enum tile_binary op,
		 enum tile_broadcast broadcast);
void tile_unary(struct tile *tile, enum tile_unary op);
void tile_transpose(struct tile *dst, const struct tile *a);
/* Each value is multiplied by the first value of SCALER, then reduced; dst keeps what it had for
 * SUM. */
void tile_reduce(struct tile *dst, const struct tile *a, const struct tile *scaler,
		 enum tile_reduce op, enum tile_axis axis);

#endif
