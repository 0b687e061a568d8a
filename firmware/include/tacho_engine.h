/* SPDX-License-Identifier: Apache-2.0 */
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
	TE_FORMAT = 0xE0,   /* which (0 A, 1 B, 2 packer) << 16 | shape << 8 | format */
	TE_UNPACK_A = 0xE1, /* address / 16 */
	TE_UNPACK_B = 0xE2,
	TE_FIDELITY = 0xE3, /* 0 LoFi, 1 HiFi2, 2 HiFi3, 3 HiFi4 */
	TE_MATH = 0xE4,     /* how << 16 | TE_KEEP_A | operation << 8 | dst */
	TE_PACK_DST = 0xE5, /* dst */
	TE_PACK = 0xE6,     /* address / 16 */
	TE_FLIP = 0xE7, /* 0: math takes the other half of dst, 1: the packer, which clears its old
			   one */
	TE_SFPU = 0xE8, /* TE_INT... | operation << 8 | dst */
	TE_PARAM_LOW = 0xE9,   /* parameter << 16 | low half of it; each thread has its own */
	TE_PARAM_HIGH = 0xEA,  /* parameter << 16 | high half */
	TE_SFPU2 = 0xEB,       /* TE_INT... | operation << 12 | dst << 8 | dst << 4 | result */
	TE_SFPU3 = 0xEC,       /* operation << 16 | dst << 12 | dst << 8 | dst << 4 | result */
	TE_PACK_MODE = 0xED,   /* which TE_PACK_ options change << 8 | their new values */
	TE_UNPACK_ROWS = 0xEE, /* address / 16: 32 rows that lie parameter 0 bytes apart, into A */
	TE_PACK_ROWS = 0xEF,   /* address / 16: the same way out; parameter 1 of them (0: all 32) */
};

/* Shape of TE_FORMAT: 32 >> (bits 8 to 10) rows; 16 columns instead of 32. */
#define TE_NARROW (1u << 11)

/* Options of the packer: add to the contents of memory; 0 for negative values, for values below
 * parameter 2; parameter 2 for values above it.
 */
#define TE_PACK_ADD   1u
#define TE_PACK_RELU  2u
#define TE_PACK_ABOVE 4u
#define TE_PACK_BELOW 8u

/* Operations of TE_MATH. */
enum { TE_MATMUL, TE_ADD, TE_SUB, TE_MUL, TE_COPY, TE_TRANSPOSE, TE_REDUCE };

/* The first operand of TE_MATH stays for the next operation. */
#define TE_KEEP_A (1u << 15)

/* How of TE_MATH: bits 0-1 are the broadcast; of a reduction they are its kind, and 2-3 the axis.
 */
#define TE_HOW_ACCUMULATE  4u   /* the result is added to dst */
#define TE_HOW_DST_A       8u   /* dst is the first operand, the tile the second */
#define TE_HOW_DST_B       16u  /* dst is the second operand */
#define TE_HOW_TRANSPOSE   32u  /* of a product: the second operand is transposed */
#define TE_HOW_ROW         64u  /* the row that is broadcast is parameter 0 */
#define TE_HOW_TRANSPOSE_A 128u /* of a product: the first operand is transposed */

/* Of what the SFPU does: values are integers, and parameters too; they are unsigned; P0 counts;
 * parameter 4 is P0. */
#define TE_LATER    (1u << 20)
#define TE_SCALED   (1u << 21)
#define TE_INT      (1u << 22)
#define TE_UNSIGNED (1u << 23)

/*
 * What the SFPU does to one tile of dst: name, cycles of a tile. P0, P1, P2 are its parameters, by
 * their bits.
 */
#define TE_UNARIES(X)                                                                          \
	X(RELU, "relu", 64)                                                                    \
	X(GELU, "gelu", 384)                                                                   \
	X(EXP, "exp", 256) /* of P0 times the value */                                         \
	X(SQRT, "sqrt", 256)                                                                   \
	X(RECIP, "recip", 224)                                                                 \
	X(SIGMOID, "sigmoid", 384)                                                             \
	X(ABS, "abs", 64)                                                                      \
	X(NEGATIVE, "negative", 64)                                                            \
	X(SQUARE, "square", 64)                                                                \
	X(LOG, "log", 288) /* times P0 */                                                      \
	X(LOG1P, "log1p", 320)                                                                 \
	X(RSQRT, "rsqrt", 256)                                                                 \
	X(TANH, "tanh", 320)                                                                   \
	X(SILU, "silu", 448)                                                                   \
	X(SIGN, "sign", 96)                                                                    \
	X(SIGNBIT, "signbit", 64)                                                              \
	X(EXP2, "exp2", 256)                                                                   \
	X(EXPM1, "expm1", 288)                                                                 \
	X(SIN, "sin", 320)                                                                     \
	X(COS, "cos", 320)                                                                     \
	X(TAN, "tan", 384)                                                                     \
	X(ASIN, "asin", 384)                                                                   \
	X(ACOS, "acos", 384)                                                                   \
	X(ATAN, "atan", 384)                                                                   \
	X(SINH, "sinh", 448)                                                                   \
	X(COSH, "cosh", 448)                                                                   \
	X(ASINH, "asinh", 448)                                                                 \
	X(ACOSH, "acosh", 448)                                                                 \
	X(ATANH, "atanh", 448)                                                                 \
	X(ERF, "erf", 448)                                                                     \
	X(ERFC, "erfc", 448)                                                                   \
	X(ERFINV, "erfinv", 512)                                                               \
	X(I0, "i0", 512)                                                                       \
	X(I1, "i1", 512)                                                                       \
	X(LGAMMA, "lgamma", 768)                                                               \
	X(DIGAMMA, "digamma", 768)                                                             \
	X(CBRT, "cbrt", 320)                                                                   \
	X(FLOOR, "floor", 96)                                                                  \
	X(CEIL, "ceil", 96)                                                                    \
	X(TRUNC, "trunc", 96)                                                                  \
	X(FRAC, "frac", 96)                                                                    \
	X(ROUND, "round", 160) /* to P0 decimals */                                            \
	X(SOFTSIGN, "softsign", 256)                                                           \
	X(HARDSIGMOID, "hardsigmoid", 96)                                                      \
	X(HARDMISH, "hardmish", 128)                                                           \
	X(MISH, "mish", 640)                                                                   \
	X(LOGICAL_NOT, "logical_not", 64)                                                      \
	X(IDENTITY, "identity", 32)                                                            \
	X(ISINF, "isinf", 64)                                                                  \
	X(ISPOSINF, "isposinf", 64)                                                            \
	X(ISNEGINF, "isneginf", 64)                                                            \
	X(ISNAN, "isnan", 64)                                                                  \
	X(ISFINITE, "isfinite", 64)                                                            \
	X(EQZ, "eqz", 64)                                                                      \
	X(NEZ, "nez", 64)                                                                      \
	X(LTZ, "ltz", 64)                                                                      \
	X(GTZ, "gtz", 64)                                                                      \
	X(LEZ, "lez", 64)                                                                      \
	X(GEZ, "gez", 64)                                                                      \
	X(TANH_DERIVATIVE, "tanh_derivative", 384)                                             \
	X(GELU_DERIVATIVE, "gelu_derivative", 640)                                             \
	X(GELU_TANH, "gelu_tanh", 448)                                                         \
	X(TANHSHRINK, "tanhshrink", 352)                                                       \
	X(BITWISE_NOT, "bitwise_not", 64)                                                      \
	X(ADD_UNARY, "add_unary", 64)                                                          \
	X(SUB_UNARY, "sub_unary", 64)                                                          \
	X(MUL_UNARY, "mul_unary", 64)                                                          \
	X(DIV_UNARY, "div_unary", 64) /* by the reciprocal, which is what P0 is */             \
	X(RSUB_UNARY, "rsub_unary", 64)                                                        \
	X(RDIV, "rdiv", 256)                                                                   \
	X(POWER, "power", 448)                                                                 \
	X(RPOW, "rpow", 448) /* P0 to the power of the value */                                \
	X(ELU, "elu", 320)                                                                     \
	X(LEAKY_RELU, "leaky_relu", 64)                                                        \
	X(RELU_MAX, "relu_max", 64)                                                            \
	X(RELU_MIN, "relu_min", 64)                                                            \
	X(HEAVISIDE, "heaviside", 64)                                                          \
	X(HARDSHRINK, "hardshrink", 64)                                                        \
	X(SOFTSHRINK, "softshrink", 64)                                                        \
	X(UNARY_MAX, "unary_max", 64)                                                          \
	X(UNARY_MIN, "unary_min", 64)                                                          \
	X(UNARY_EQ, "unary_eq", 64)                                                            \
	X(UNARY_NE, "unary_ne", 64)                                                            \
	X(UNARY_LT, "unary_lt", 64)                                                            \
	X(UNARY_GT, "unary_gt", 64)                                                            \
	X(UNARY_LE, "unary_le", 64)                                                            \
	X(UNARY_GE, "unary_ge", 64)                                                            \
	X(FILL, "fill", 32)                                                                    \
	X(FMOD, "fmod", 256)                                                                   \
	X(REMAINDER, "remainder", 256)                                                         \
	X(BITWISE_AND, "bitwise_and", 64)                                                      \
	X(BITWISE_OR, "bitwise_or", 64)                                                        \
	X(BITWISE_XOR, "bitwise_xor", 64)                                                      \
	X(LEFT_SHIFT, "left_shift", 64)                                                        \
	X(RIGHT_SHIFT, "right_shift", 64)                                                      \
	X(CLAMP, "clamp", 96)                                                                  \
	X(THRESHOLD, "threshold", 64)                                                          \
	X(CELU, "celu", 320)                                                                   \
	X(SELU, "selu", 320) /* P0: scale, P1: alpha */                                        \
	X(SOFTCAP, "softcap", 384)                                                             \
	X(SOFTPLUS, "softplus", 512)                                                           \
	X(XIELU, "xielu", 384)                                                                 \
	X(RAND, "rand", 64) /* from P0, over P1 */                                             \
	X(RAND_SEED, "rand_seed", 32)                                                          \
	X(DROPOUT, "dropout", 96)   /* P0 of 2^31 become 0, the others are multiplied by P1 */ \
	X(TYPECAST, "typecast", 64) /* from format P0 to format P1 */                          \
	X(CUMSUM, "cumsum", 128)    /* down the columns; P0: from the tile before */           \
	X(TRANSPOSE_DST, "transpose_dst", 64)                                                  \
	X(REDUCE_DST, "reduce_dst", 192) /* P0: as TE_REDUCE's kind, P1: 0 rows, 1 columns */  \
	X(WELFORD, "welford", 1024)      /* P0: samples so far, P1: first row | rows << 8 */   \
	X(WELFORD_CLEAR, "welford_clear", 32)                                                  \
	X(WELFORD_STORE, "welford_store", 64) /* P0: TE_WELFORD_*, P1: factor */               \
	X(WELFORD_LOAD, "welford_load", 64)   /* P0: TE_WELFORD_* */                           \
	X(TOPK_SORT, "topk_local_sort", 2048) /* P0: TE_TOPK_*, P1: phases and steps */        \
	X(TOPK_MERGE, "topk_merge", 512)      /* P0: TE_TOPK_*, P1: iteration | k << 8 */      \
	X(TOPK_REBUILD, "topk_rebuild", 1024) /* the same */

/* SFPU operations on two tiles. */
#define TE_BINARIES(X)                               \
	X(ADD, "add_binary", 64)                     \
	X(SUB, "sub_binary", 64)                     \
	X(MUL, "mul_binary", 64)                     \
	X(DIV, "div_binary", 288)                    \
	X(RSUB, "rsub_binary", 64)                   \
	X(POWER, "power_binary", 640)                \
	X(MAX, "binary_max", 64)                     \
	X(MIN, "binary_min", 64)                     \
	X(EQ, "eq_binary", 64)                       \
	X(NE, "ne_binary", 64)                       \
	X(LT, "lt_binary", 64)                       \
	X(GT, "gt_binary", 64)                       \
	X(LE, "le_binary", 64)                       \
	X(GE, "ge_binary", 64)                       \
	X(ATAN2, "atan2_binary", 512)                \
	X(FMOD, "fmod_binary", 320)                  \
	X(REMAINDER, "remainder_binary", 320)        \
	X(XLOGY, "xlogy_binary", 320)                \
	X(GCD, "gcd", 640)                           \
	X(LCM, "lcm", 768)                           \
	X(AND, "bitwise_and_binary", 64)             \
	X(OR, "bitwise_or_binary", 64)               \
	X(XOR, "bitwise_xor_binary", 64)             \
	X(SHIFT_LEFT, "binary_left_shift", 64)       \
	X(SHIFT_RIGHT, "binary_right_shift", 64)     \
	X(SHIFT_LOGICAL, "binary_logical_shift", 64) \
	X(DIV_TRUNC, "div_int32_trunc", 320)         \
	X(DIV_FLOOR, "div_int32_floor", 320)         \
	X(COPY, "copy_dest_values", 32)              \
	X(MASK, "mask", 64)                          \
	X(MASK_POSINF, "mask_posinf", 64)            \
	X(ISCLOSE, "isclose_binary", 128)            \
	X(LOGSIGMOID, "logsigmoid", 448)

/* SFPU operations on three tiles a, b, c. */
#define TE_TERNARIES(X)                                                \
	X(WHERE, "where", 64)                    /* a ? b : c */       \
	X(ADDCMUL, "addcmul", 96)                /* a + P0 * b * c */  \
	X(ADDCDIV, "addcdiv", 320)               /* a + P0 * b / c */  \
	X(LERP, "lerp", 96)                      /* a + c * (b - a) */ \
	X(MAC, "mac", 64)                        /* a * b + c */       \
	X(LGAMMA_REFLECT, "lgamma_adjusted", 96) /* c < 0.5 ? ln(pi) - b - a : a */

/* Which of the two results, in which layout, of which group of four rows (<< 8). */
#define TE_WELFORD_SQUARES 1u
#define TE_WELFORD_ROW     2u
/* Smallest first; equal values in the order of their indices; only the first sequence. */
#define TE_TOPK_RISING 1u
#define TE_TOPK_STABLE 2u
#define TE_TOPK_ONE    4u

#define TE_NAME_UNARY(name, text, cycles)   TE_U_##name,
#define TE_NAME_BINARY(name, text, cycles)  TE_B_##name,
#define TE_NAME_TERNARY(name, text, cycles) TE_T_##name,
enum { TE_UNARIES(TE_NAME_UNARY) TE_UNARY_COUNT };
enum { TE_BINARIES(TE_NAME_BINARY) TE_BINARY_COUNT };
enum { TE_TERNARIES(TE_NAME_TERNARY) TE_TERNARY_COUNT };

#define TE_PUSH(op, operand) (REG32(0xFFE40000) = (uint32_t)(op) << 24 | (operand))
#define TE_SEM_DST           (1u << 1 << 2) /* semaphore 1: halves of dst that wait for the packer */

#endif
