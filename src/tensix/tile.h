/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiles: 32 x 32 values in four faces of 16 x 16, face after face, row after row, as in memory.
 * tile_unpack() and tile_pack() know the formats (tile.c); the others compute: tile_math.c for the
 * matrix unit, tile_sfpu.c for the vector unit.
 *
 * Block formats (BFP8, BFP4, BFP2): first one exponent byte for each row of 16 values, 64 in all;
 * then sign and magnitude of 8, 4 or 2 bits per value, several of the latter in a byte, the first
 * one in the low bits.
 */
#ifndef TENSIX_TILE_H
#define TENSIX_TILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TILE_DIM    32
#define TILE_VALUES 1024

/* The hardware's configuration numbers. */
enum tile_format {
	TILE_FLOAT32 = 0,
	TILE_FLOAT16 = 1,
	TILE_TF32 = 4, /* a float32 in memory */
	TILE_BFLOAT16 = 5,
	TILE_BFP8 = 6,
	TILE_BFP4 = 7,
	TILE_INT32 = 8,
	TILE_UINT16 = 9,
	TILE_INT8 = 14,
	TILE_BFP2 = 15,
	TILE_UINT32 = 24,
	TILE_UINT8 = 30,
};

/* Height and width of a tile in memory; a smaller tile is the top left of one of 32 x 32, with
 * zeros outside. */
struct tile_shape {
	uint8_t rows, columns;
};
#define TILE_WHOLE ((struct tile_shape){TILE_DIM, TILE_DIM})

struct tile {
	bool integer; /* .i holds the values, else .f */
	union {
		float f[TILE_VALUES];
		int32_t i[TILE_VALUES];
	};
};

enum tile_binary { TILE_ADD, TILE_SUB, TILE_MUL, TILE_BINARIES };
enum tile_broadcast { TILE_BCAST_NONE, TILE_BCAST_COL, TILE_BCAST_ROW, TILE_BCAST_SCALAR };
enum tile_reduce { TILE_SUM, TILE_AVG, TILE_MAX, TILE_MIN };
/* The result: one column, one row, one value. */
enum tile_axis { TILE_ALONG_ROW, TILE_ALONG_COL, TILE_ALONG_BOTH };

/* State of the vector unit between tiles. */
struct tile_state {
	uint64_t random;
	float column[TILE_DIM]; /* sums of columns so far */
	/* of Welford's algorithm: mean of each column, sum of squared distances from it */
	float mean[TILE_DIM], squares[TILE_DIM];
};

/* Bytes of a tile in memory; 0 for an unknown format. */
uint32_t tile_bytes(unsigned format);
/*
 * The same for other shapes: faces of at most 16 rows, in order; the exponents of block formats
 * take a multiple of 16 bytes. 0 for a shape that the hardware does not have.
 */
uint32_t tile_shape_bytes(unsigned format, struct tile_shape shape);
/* Bytes of one value; 0 for a block format or an unknown one. */
uint32_t tile_value_bytes(unsigned format);

/* BYTES holds tile_bytes(format); false for an unknown format. */
bool tile_unpack(struct tile *out, const uint8_t *bytes, unsigned format);
bool tile_pack(uint8_t *bytes, const struct tile *in, unsigned format);
/* BYTES holds tile_shape_bytes(). */
bool tile_unpack_shape(struct tile *out, const uint8_t *bytes, unsigned format,
		       struct tile_shape shape);
bool tile_pack_shape(uint8_t *bytes, const struct tile *in, unsigned format,
		     struct tile_shape shape);
/* Rows of values that lie STRIDE bytes apart; no block formats. */
void tile_unpack_rows(struct tile *out, const uint8_t *bytes, unsigned format, size_t stride,
		      struct tile_shape shape);
void tile_pack_rows(uint8_t *bytes, const struct tile *in, unsigned format, size_t stride,
		    struct tile_shape shape);

/* Convert the values to floats; to integers (nearest); each to the nearest bfloat16. */
void tile_make_float(struct tile *t);
void tile_make_integer(struct tile *t);
void tile_round_bfloat16(struct tile *t);

/* Position in .f of row and column. */
static inline unsigned tile_at(unsigned row, unsigned column)
{
	return (row / 16 * 2 + column / 16) * 256 + row % 16 * 16 + column % 16;
}

/* dst += a x b, each transposed if asked */
void tile_matmul(struct tile *dst, const struct tile *a, const struct tile *b, bool transpose_a,
		 bool transpose_b);
/* ROW: the row for TILE_BCAST_ROW. DST may be A or B. */
void tile_binary(struct tile *dst, const struct tile *a, const struct tile *b, enum tile_binary op,
		 enum tile_broadcast broadcast, unsigned row);
void tile_broadcast(struct tile *dst, const struct tile *a, enum tile_broadcast broadcast);
void tile_transpose(struct tile *dst, const struct tile *a);
/*
 * Multiplies each value by the first value of SCALER, then reduces; SUM adds to the previous dst.
 * FRESH: dst holds nothing yet. SHAPE: of A; a maximum must not include the zeros outside of it.
 */
void tile_reduce(struct tile *dst, const struct tile *a, const struct tile *scaler,
		 enum tile_reduce op, enum tile_axis axis, bool fresh, struct tile_shape shape);

/* Operations and flags of tacho_engine.h; P: its parameters. OUT may be one of the others. */
void tile_unary(struct tile *t, unsigned op, unsigned flags, const uint32_t *p,
		struct tile_state *state);
/* TE_U_WELFORD*. False: not one of them. */
bool tile_welford(struct tile *t, unsigned op, const uint32_t *p, struct tile_state *state);
/*
 * TE_U_TOPK_*: each column of the first two tiles is 64 values; those of the other two, their
 * indices, move with them.
 */
void tile_topk(struct tile *const t[4], unsigned op, const uint32_t *p);
void tile_pair(struct tile *out, const struct tile *a, const struct tile *b, unsigned op,
	       unsigned flags, const uint32_t *p);
void tile_triple(struct tile *out, const struct tile *a, const struct tile *b, const struct tile *c,
		 unsigned op, const uint32_t *p);

#endif
