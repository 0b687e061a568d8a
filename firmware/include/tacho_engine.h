/*
 * Instructions of the tile engine as kernels push them and as the model knows them
 * (src/tensix/engine.c): a tile at a time. Plain #defines and enums, so that both can include it.
 */
#ifndef TACHO_ENGINE_H
#define TACHO_ENGINE_H

enum {
	TE_SEMPOST = 0xA4,
	TE_SEMGET,
	TE_SEMWAIT,
	TE_FORMAT = 0xE0, /* which (0 A, 1 B, 2 packer) << 16 | format */
	TE_UNPACK_A,      /* address / 16 */
	TE_UNPACK_B,
	TE_FIDELITY, /* 0 LoFi, 1 HiFi2, 2 HiFi3, 3 HiFi4 */
	TE_MATH,     /* how << 16 | operation << 8 | dst */
	TE_PACK_DST, /* dst */
	TE_PACK,     /* address / 16 */
	TE_FLIP, /* 0: math takes the other half of dst, 1: the packer, which clears its old one */
	TE_SFPU, /* operation << 8 | dst */
	TE_PARAM_LOW, /* parameter << 16 | low half of its value; each thread has its own */
	TE_PARAM_HIGH,
	TE_SFPU2,       /* operation << 12 | dst << 8 | dst << 4 | result */
	TE_SFPU3,       /* operation << 16 | dst << 12 | dst << 8 | dst << 4 | result */
	TE_PACK_MODE,   /* bit 0: add to what is in memory */
	TE_UNPACK_ROWS, /* address / 16: 32 rows whose distance is parameter 0, into A */
	TE_PACK_ROWS,   /* address / 16: the same way back */
};

/* Operations of TE_MATH. */
enum { TE_MATMUL, TE_ADD, TE_SUB, TE_MUL, TE_COPY, TE_TRANSPOSE, TE_REDUCE };

/* How of TE_MATH: bits 0-1 broadcast, and for a broadcast row which one; of a reduction kind and
 * axis. */
#define TE_HOW_ACCUMULATE 4u  /* the result is added to dst */
#define TE_HOW_DST_A      8u  /* dst is the first operand, the tile the second */
#define TE_HOW_DST_B      16u /* dst is the second operand */
#define TE_HOW_TRANSPOSE  32u /* of a product: the second operand is transposed */
#define TE_HOW_ROW(row)   0u

#define TE_PUSH(op, operand) (REG32(0xFFE40000) = (uint32_t)(op) << 24 | (operand))
#define TE_SEM_DST           (1u << 1 << 2) /* semaphore 1: halves of dst that wait for the packer */

#endif
