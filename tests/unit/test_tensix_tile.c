/* Formats and operations of the tile engine against plain host arithmetic. */
#include "tensix_tools.h"

#include <math.h>

static const unsigned formats[] = {TILE_FLOAT32, TILE_BFLOAT16, TILE_BFP8, TILE_BFP4};
/* Relative precision of a value, of blocks against the largest value of its 16. */
static const double precision[] = {1e-7, 1.0 / 256, 1.0 / 64, 1.0 / 4};

static uint32_t random_state = 99;
static float random_float(void)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (float)((int32_t)random_state / 2147483648.0 * 4);
}

static void random_tile(struct tile *t)
{
	t->integer = false;
	for (unsigned i = 0; i < TILE_VALUES; i++)
		t->f[i] = random_float();
}

/* Packs and unpacks again: what the engine sees of a tile in this format. */
static void through(struct tile *t, unsigned format)
{
	uint8_t bytes[4096];

	assert_true(tile_pack(bytes, t, format));
	assert_true(tile_unpack(t, bytes, format));
}

static void test_formats(void **state)
{
	struct tile a, b;

	(void)state;
	for (unsigned k = 0; k < 4; k++) {
		random_tile(&a);
		a.f[5] = 0;
		b = a;
		through(&b, formats[k]);
		for (unsigned row = 0; row < 64; row++) {
			float most = 0;

			for (unsigned i = 0; i < 16; i++)
				most = fmaxf(most, fabsf(a.f[16 * row + i]));
			for (unsigned i = 0; i < 16; i++)
				assert_true(fabsf(a.f[16 * row + i] - b.f[16 * row + i]) <=
					    precision[k] * most);
		}
		assert_true(b.f[5] == 0);
		/* what is representable stays as it is */
		a = b;
		through(&a, formats[k]);
		assert_memory_equal(a.f, b.f, sizeof(a.f));
	}
	assert_int_equal(tile_bytes(TILE_BFLOAT16), 2048);
	assert_int_equal(tile_bytes(TILE_BFP8), 1088);
	assert_int_equal(tile_bytes(TILE_BFP4), 576);
	assert_int_equal(tile_bytes(99), 0);
	assert_false(tile_unpack(&a, (const uint8_t *)"", 99));
}

static void test_bfloat16_rounding(void **state)
{
	struct tile t = {0};
	uint8_t bytes[2048];
	uint16_t half;

	(void)state;
	t.f[0] = 1.00390625f; /* half way between two: to even */
	t.f[1] = 1.01171875f;
	t.f[2] = INFINITY;
	t.f[3] = NAN;
	tile_pack(bytes, &t, TILE_BFLOAT16);
	memcpy(&half, bytes, 2);
	assert_int_equal(half, 0x3f80);
	memcpy(&half, bytes + 2, 2);
	assert_int_equal(half, 0x3f82);
	memcpy(&half, bytes + 4, 2);
	assert_int_equal(half, 0x7f80);
	memcpy(&half, bytes + 6, 2);
	assert_true((half & 0x7f80) == 0x7f80 && (half & 0x7f));
}

static void test_integers(void **state)
{
	struct tile a = {.integer = true}, b = {.integer = true}, c;
	uint8_t bytes[4096];
	int32_t value;

	(void)state;
	a.i[0] = INT32_MAX;
	b.i[0] = 1;
	a.i[1] = 100000;
	b.i[1] = 100000;
	tile_binary(&c, &a, &b, TILE_ADD, TILE_BCAST_NONE);
	assert_true(c.integer);
	assert_int_equal(c.i[0], INT32_MIN);
	tile_binary(&c, &a, &b, TILE_MUL, TILE_BCAST_NONE);
	assert_int_equal((uint32_t)c.i[1], (uint32_t)(100000ull * 100000ull));
	assert_true(tile_pack(bytes, &c, TILE_UINT32));
	memcpy(&value, bytes + 4, 4);
	assert_int_equal(value, c.i[1]);
	/* and between integers and floats */
	c = (struct tile){0};
	c.f[0] = 2.5f;
	c.f[1] = -7.0f;
	c.f[2] = 3e9f;
	assert_true(tile_pack(bytes, &c, TILE_INT32));
	memcpy(&value, bytes, 4);
	assert_int_equal(value, 2);
	memcpy(&value, bytes + 4, 4);
	assert_int_equal(value, -7);
	memcpy(&value, bytes + 8, 4);
	assert_int_equal((uint32_t)value, 3000000000u);
}

static void test_matmul(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 4; k++) {
		struct tile a, b, c = {0}, d;

		random_tile(&a);
		random_tile(&b);
		through(&a, formats[k]);
		through(&b, formats[k]);
		tile_matmul(&c, &a, &b);
		d = c;
		tile_matmul(&d, &a, &b);
		for (unsigned row = 0; row < 32; row++) {
			for (unsigned column = 0; column < 32; column++) {
				double want = 0;

				for (unsigned i = 0; i < 32; i++)
					want += (double)a.f[tile_at(row, i)] *
						b.f[tile_at(i, column)];
				assert_true(fabs(c.f[tile_at(row, column)] - want) < 1e-3);
				assert_true(fabs(d.f[tile_at(row, column)] - 2 * want) < 1e-3);
			}
		}
	}
}

static void test_binary(void **state)
{
	struct tile a, b, c;

	(void)state;
	random_tile(&a);
	random_tile(&b);
	for (unsigned op = 0; op < TILE_BINARIES; op++) {
		for (unsigned how = 0; how < 4; how++) {
			tile_binary(&c, &a, &b, (enum tile_binary)op, (enum tile_broadcast)how);
			for (unsigned row = 0; row < 32; row++) {
				for (unsigned column = 0; column < 32; column++) {
					float x = a.f[tile_at(row, column)];
					float y = b.f[tile_at(
						how == TILE_BCAST_NONE || how == TILE_BCAST_COL
							? row
							: 0,
						how == TILE_BCAST_NONE || how == TILE_BCAST_ROW
							? column
							: 0)];
					float want = op == 0 ? x + y : op == 1 ? x - y : x * y;

					assert_true(c.f[tile_at(row, column)] == want);
				}
			}
		}
	}
}

static void test_unary(void **state)
{
	(void)state;
	for (unsigned op = 0; op < TILE_UNARIES; op++) {
		struct tile a, b;

		random_tile(&a);
		for (unsigned i = 0; op == TILE_SQRT && i < TILE_VALUES; i++)
			a.f[i] = fabsf(a.f[i]);
		b = a;
		tile_unary(&b, (enum tile_unary)op);
		for (unsigned i = 0; i < TILE_VALUES; i++) {
			double x = a.f[i];
			double want[] = {x > 0 ? x : 0, 0.5 * x * (1 + erf(x / sqrt(2))),
					 exp(x),        sqrt(x),
					 1 / x,         1 / (1 + exp(-x))};

			assert_true(fabs(b.f[i] - want[op]) <= 1e-5 * fmax(1, fabs(want[op])));
		}
	}
}

static void test_transpose_and_reduce(void **state)
{
	struct tile a, b, scaler = {0};
	double sum = 0, most = -1e9;

	(void)state;
	random_tile(&a);
	tile_transpose(&b, &a);
	assert_true(b.f[tile_at(3, 29)] == a.f[tile_at(29, 3)]);
	assert_true(b.f[tile_at(17, 1)] == a.f[tile_at(1, 17)]);
	scaler.f[0] = 0.5f;
	b = (struct tile){0};
	tile_reduce(&b, &a, &scaler, TILE_SUM, TILE_ALONG_ROW);
	for (unsigned i = 0; i < 32; i++)
		sum += 0.5 * a.f[tile_at(7, i)];
	assert_true(fabs(b.f[tile_at(7, 0)] - sum) < 1e-4);
	b = (struct tile){0};
	b.f[tile_at(0, 9)] = -1e9f;
	tile_reduce(&b, &a, &scaler, TILE_MAX, TILE_ALONG_COL);
	for (unsigned i = 0; i < 32; i++)
		most = fmax(most, 0.5 * a.f[tile_at(i, 9)]);
	assert_true(fabs(b.f[tile_at(0, 9)] - most) < 1e-6);
	b = (struct tile){0};
	tile_reduce(&b, &a, &scaler, TILE_SUM, TILE_ALONG_BOTH);
	sum = 0;
	for (unsigned i = 0; i < TILE_VALUES; i++)
		sum += 0.5 * a.f[i];
	assert_true(fabs(b.f[0] - sum) < 1e-3);
}

/* ---- behind the queues ---- */
#define OP(op, operand) ((uint32_t)(op) << 24 | (operand))

static void push(struct tensix_core *c, unsigned thread, uint32_t word)
{
	uint64_t cycle = 0;

	assert_true(engine_push(c, thread, word, &cycle));
}

static void test_engine(void **state)
{
	static const unsigned cycles[] = {16, 32, 48, 64};
	struct tensix *t = tools_device("tiny");
	struct tensix_core *c = &t->cores[tools_core(t, 0, 0)];
	struct tile a, b, want = {0}, got;

	(void)state;
	random_tile(&a);
	random_tile(&b);
	through(&a, TILE_BFLOAT16);
	through(&b, TILE_BFP8);
	tile_pack(c->l1 + 0x10000, &a, TILE_BFLOAT16);
	tile_pack(c->l1 + 0x11000, &b, TILE_BFP8);
	tile_matmul(&want, &a, &b);
	through(&want, TILE_FLOAT32);
	for (unsigned fidelity = 0; fidelity < 4; fidelity++) {
		uint64_t busy = c->engine ? c->engine->count[COUNT_BUSY + UNIT_FPU] : 0;

		/* the packer's thread comes first and has to wait for the others */
		push(c, 2, OP(0xA6, 1u << 1 << 2 | 1));
		push(c, 2, OP(0xE0, 2u << 16 | TILE_FLOAT32));
		push(c, 2, OP(0xE5, 3));
		push(c, 2, OP(0xE6, 0x12000 / 16));
		push(c, 2, OP(0xE7, 1));
		push(c, 2, OP(0xA5, 1u << 1 << 2));
		assert_true(engine_idle(c, 2) == TENSIX_NEVER);
		push(c, 1, OP(0xE3, fidelity));
		push(c, 1, OP(0xE4, 0u << 8 | 3));
		push(c, 1, OP(0xA4, 1u << 1 << 2));
		push(c, 1, OP(0xE7, 0));
		assert_true(engine_idle(c, 1) == TENSIX_NEVER);
		push(c, 0, OP(0xE0, 0u << 16 | TILE_BFLOAT16));
		push(c, 0, OP(0xE1, 0x10000 / 16));
		push(c, 0, OP(0xE0, 1u << 16 | TILE_BFP8));
		push(c, 0, OP(0xE2, 0x11000 / 16));
		assert_true(engine_idle(c, 2) != TENSIX_NEVER);
		assert_int_equal(c->engine->count[COUNT_BUSY + UNIT_FPU] - busy, cycles[fidelity]);
		/* unpack 32, then math, then pack 64, each 5 to get through */
		assert_true(engine_idle(c, 2) >= 32 + 5 + cycles[fidelity] + 5 + 64 + 5);
		tile_unpack(&got, c->l1 + 0x12000, TILE_FLOAT32);
		assert_memory_equal(got.f, want.f, sizeof(got.f));
		memset(c->l1 + 0x12000, 0, 4096);
	}
	tensix_free(t);
}

static void test_engine_faults(void **state)
{
	static const uint32_t words[] = {OP(0xE1, 0xfffff0), OP(0xE4, 0xff00),   OP(0xE8, 0xff00),
					 OP(0xE0, 0x30000),  OP(0xE6, 0xfffff0), OP(0xE4, 200)};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct tensix *t = tools_device("tiny");
		struct tensix_core *c = &t->cores[tools_core(t, 0, 0)];
		struct tensix_fault f;

		push(c, 1, words[i]);
		assert_true(tensix_fault(t, &f, true));
		assert_int_equal(f.kind, TENSIX_FAULT_ENGINE);
		assert_int_equal(f.risc, TENSIX_T1);
		tensix_free(t);
	}
}

/* A queue that is full of what cannot run refuses more; the RISC would wait. */
static void test_engine_queue(void **state)
{
	struct tensix *t = tools_device("tiny");
	struct tensix_core *c = &t->cores[tools_core(t, 0, 0)];
	uint64_t cycle = 0;

	(void)state;
	for (unsigned i = 0; i < ENGINE_QUEUE; i++)
		assert_true(engine_push(c, 0, OP(0xA6, 1u << 2 | 1), &cycle));
	assert_false(engine_push(c, 0, OP(0x02, 0), &cycle));
	push(c, 1, OP(0xA4, 1u << 2));
	assert_true(engine_push(c, 0, OP(0x02, 0), &cycle));
	push(c, 1, OP(0x55, 0));
	assert_int_equal(t->stats.engine_unknown, 1);
	tensix_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_bfloat16_rounding),
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_matmul),
		cmocka_unit_test(test_binary),
		cmocka_unit_test(test_unary),
		cmocka_unit_test(test_transpose_and_reduce),
		cmocka_unit_test(test_engine),
		cmocka_unit_test(test_engine_faults),
		cmocka_unit_test(test_engine_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
