/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of ops: typed fields, what cannot be typed, and reports that come out as they went in. */
#include "base/buf.h"
#include "op/csv.h"
#include "op/measured.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char report[] =
	"OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,DEVICE ARCH,ATTRIBUTES,CORE COUNT,"
	"HOST START TS,DEVICE FW START CYCLE,DEVICE KERNEL DURATION [ns],"
	"INPUT_0_W_PAD[LOGICAL],INPUT_0_Z_PAD[LOGICAL],INPUT_0_Y_PAD[LOGICAL],"
	"INPUT_0_X_PAD[LOGICAL],INPUT_0_LAYOUT,INPUT_0_DATATYPE,INPUT_0_MEMORY,"
	"COMPUTE KERNEL SOURCE,COMPUTE KERNEL HASH,PROGRAM CACHE HIT,"
	"TENSIX DM 0 MAX KERNEL SIZE [B],PM IDEAL [ns],PM FPU UTIL (%),compile_TT_HOST_FUNC [ns]\r\n"
	"Matmul,tt_dnn_device,1024,0,wormhole_b0,{'a': 'b; c'},64,18000000000000000001,5,1234,"
	"1[1],1[1],64[60],32[32],TILE,BFLOAT16,DEV_0_DRAM_INTERLEAVED,['a.cpp'; 'b.cpp'],['x'; 'y'],"
	"True,512,100,12.5,77\r\n"
	"Matmul,tt_dnn_device,2048,0,wormhole_b0,{'a': 'b; c'},64.0,7,6,1234.5,"
	"1[1],1[1],64[60],32[32],TILE,BFLOAT16,DEV_0_DRAM_INTERLEAVED,['a.cpp'; 'b.cpp'],['x'; 'y'],"
	"False,512,100,12.0,\r\n"
	"here,signpost,,,,,,9,,,,,,,,,,,,,,,,\r\n"
	"\"odd, op\",python_fallback,many,x,,,,,,-1e5,,,,,,,,,,Maybe,,None,,\r\n";

struct bad {
	int n;
	char text[64];
};

static void bad_count(void *context, uint64_t line, struct op_field field, struct op_text text)
{
	struct bad *b = context;

	(void)field;
	assert_true(line == 2 || line == 5);
	snprintf(b->text + strlen(b->text), sizeof(b->text) - strlen(b->text), "%.*s ",
		 (int)text.len, text.text);
	b->n++;
}

static void table_read(struct op_table *t, bool all, struct bad *bad)
{
	char path[] = "/tmp/test_op_XXXXXX";
	struct tacho_error err = {0};
	int fd = mkstemp(path);

	assert_true(fd >= 0 &&
		    write(fd, report, sizeof(report) - 1) == (ssize_t)sizeof(report) - 1);
	assert_int_equal(op_table_read_csv(t, path, all, bad_count, bad, &err), 0);
	close(fd);
	unlink(path);
}

static void test_fields(void **state)
{
	struct op_table t = OP_TABLE_INIT;
	struct op_kernel kernel;
	struct bad bad = {0};
	const struct op *op;
	uint32_t at = 0;

	(void)state;
	table_read(&t, false, &bad);
	assert_int_equal(t.ops.n, 4);
	assert_int_equal(t.programs.n, 3);
	op = &t.ops.v[0];
	assert_int_equal(op->program, t.ops.v[1].program);
	assert_int_equal(op->id, 1024);
	assert_int_equal(op->core_count, 64);
	assert_int_equal(t.ops.v[1].core_count, 64);
	assert_true(op->kernel == 1234 && t.ops.v[1].kernel == 1234.5);
	assert_int_equal(op->hit, OP_HIT_TRUE);
	assert_int_equal(op->session, OP_NONE);
	assert_true(isnan(op->fw));
	assert_int_equal(op->kind, OP_ON_DEVICE);
	assert_int_equal(t.ops.v[2].kind, OP_SIGNPOST);
	assert_int_equal(t.ops.v[3].kind, OP_ON_HOST);
	assert_int_equal(op_input(&t, op, 0)->padded[2], 64);
	assert_int_equal(op_input(&t, op, 0)->logical[2], 60);
	assert_null(op_input(&t, op, 1));
	assert_true(op_program_of(&t, op)->ideal_ns == 100);
	assert_true(op_kernel_next(op_program_of(&t, op), &at, &kernel));
	assert_true(op_kernel_next(op_program_of(&t, op), &at, &kernel));
	assert_memory_equal(kernel.source.text, "b.cpp", 5);
	assert_memory_equal(kernel.hash.text, "y", 1);
	assert_false(op_kernel_next(op_program_of(&t, op), &at, &kernel));
	/* A cell that is not a number is reported, and stays available as text. */
	assert_int_equal(bad.n, 4);
	assert_string_equal(bad.text, "18000000000000000001 many x Maybe ");
	assert_int_equal(t.ops.v[3].device, OP_NONE);
	assert_memory_equal(op_cell_find(&t, t.ops.v[3].cells, OP_COL_CALL_COUNT)->text.text,
			    "many", 4);
	op_table_free(&t);
}

/* The end of the run is a number that 64 bits do not hold: it stays as it was written, and so does
 * all else. */
static void test_roundtrip(void **state)
{
	struct op_table t = OP_TABLE_INIT;
	struct tacho_error err = {0};
	struct bad bad = {0};
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	table_read(&t, true, &bad);
	assert_int_equal(op_table_write_csv(&t, out, &err), 0);
	fclose(out);
	assert_string_equal(text, report);
	free(text);
	op_table_free(&t);
}

static void test_values(void **state)
{
	struct op_table t = OP_TABLE_INIT;
	struct op_fields fields = {0};
	struct bad bad = {0};
	int reals = 0, wholes = 0;

	(void)state;
	table_read(&t, true, &bad);
	assert_int_equal(op_table_fields(&t, &fields), 0);
	for (size_t i = 0; i < fields.n; i++) {
		struct op_value v = op_value(&t, &t.ops.v[1], fields.v[i]);

		reals += v.type == OP_REAL;
		wholes += v.type == OP_INT;
		if (fields.v[i].source == OP_FIELD_FIXED && fields.v[i].index == OP_COL_CORE_COUNT)
			assert_true(v.type == OP_REAL && v.real == 64);
	}
	assert_int_equal(wholes, 4);
	assert_int_equal(reals, 5);
	vec_free(&fields);
	op_table_free(&t);
}

static void test_columns(void **state)
{
	(void)state;
	for (int c = 0; c < OP_COLUMNS; c++) {
		assert_non_null(op_columns[c].name);
		assert_true(op_columns[c].how[0]);
		assert_int_equal(op_column_named(op_columns[c].name, strlen(op_columns[c].name)),
				 c);
	}
	assert_int_equal(op_column_find("core_count", 10), OP_COL_CORE_COUNT);
	assert_int_equal(op_column_find("core", 4), -1);
}

/* An op that is replayed very often. Walking the list for each replay would take minutes. */
static void test_measurements(void **state)
{
	enum { REPLAYS = 400000 };
	struct op_measurements list = {0};
	struct op_measurement m = op_measurement_unknown();
	int64_t at, session = 0;

	(void)state;
	for (m.op.session = 1; m.op.session <= REPLAYS; m.op.session++)
		for (m.op.id = 1024; m.op.id <= 2048; m.op.id += 1024) {
			m.op.device = m.op.trace = 0;
			assert_int_equal(op_measurements_add(&list, &m), 0);
		}
	m.op.id = 2048;
	m.op.session = REPLAYS / 2;
	m.op.fw_start = 7;
	assert_int_equal(op_measurements_add(&list, &m), 1);
	assert_int_equal(list.n, 2 * REPLAYS);
	assert_int_equal(op_measurements_first(&list, 1, 2048), -1);
	for (at = op_measurements_first(&list, 0, 2048); at >= 0;
	     at = (int64_t)list.next.v[at] - 1) {
		assert_int_equal(list.v[at].op.id, 2048);
		assert_int_equal(list.v[at].op.session, ++session);
		assert_int_equal(list.v[at].op.fw_start, session == REPLAYS / 2 ? 7 : OP_NONE);
	}
	assert_int_equal(session, REPLAYS);
	op_measurements_free(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),       cmocka_unit_test(test_roundtrip),
		cmocka_unit_test(test_values),       cmocka_unit_test(test_columns),
		cmocka_unit_test(test_measurements),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
