/* SPDX-License-Identifier: Apache-2.0 */
/*
 * push_rows URL ROWS [RUNS]: inserts invented op rows into a database as a push does, with their
 * roll-ups, in RUNS pushes; prints rows per second and processor time of this process. For
 * fleet.sh.
 */
#include "base/now.h"
#include "db/private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static double cpu_seconds(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

static uint64_t seed = 7;

static uint64_t random_next(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed >> 33;
}

static void op_row(struct db_block *b, uint64_t push, uint32_t seq)
{
	const uint64_t cells[] = {push,
				  202611,
				  0,
				  seq % 8,
				  seq,
				  random_next() % 40 * 0x9e3779b97f4a7c15u,
				  random_next() % 400 * 0x9e3779b97f4a7c15u,
				  1700000000000000000u + seq * 20000ull,
				  20000 + random_next() % 1000,
				  random_next() % 500,
				  30000,
				  64,
				  0,
				  0,
				  0};

	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++)
		db_block_number(b, cells[i]);
}

int main(int argc, char **argv)
{
	size_t rows = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
	size_t runs = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
	struct db_options options = {.url = argv[1], .create = true};
	struct tacho_error err = {0};
	double start, cpu;
	struct db_block b;
	struct db *db;
	int r;

	if (argc < 2 || db_open(&db, &options, &err) < 0 || db_block_open(&b, DB_TABLE_OP) < 0) {
		fprintf(stderr, "push_rows: %s\n", err.text);
		return 1;
	}
	start = now_seconds();
	cpu = cpu_seconds();
	r = 0;
	for (size_t run = 0; run < runs && r == 0; run++) {
		char name[32];
		struct db_manifest m = {.run = name,
					.content = "",
					.part = DB_ALL_PARTS,
					.push = random_next() << 32 | random_next(),
					.pushed_at = db_now(),
					.rows = rows / runs};

		snprintf(name, sizeof(name), "run %zu", run);
		r = db->engine->begin(db, &err);
		for (size_t i = 0; i < rows / runs && r == 0; i++) {
			op_row(&b, m.push, (uint32_t)i);
			if (b.n == DB_BLOCK_ROWS || i + 1 == rows / runs) {
				r = db->engine->insert(db, &b, &err);
				b.n = 0;
			}
		}
		if (r == 0)
			r = db_manifest_write(db, &m, &err);
		if (r == 0)
			r = db->engine->commit(db, &err);
	}
	start = now_seconds() - start;
	cpu = cpu_seconds() - cpu;
	if (r < 0)
		fprintf(stderr, "push_rows: %s\n", err.text);
	printf("%.0f thousand rows/s, %.2f CPU s per million rows here\n",
	       (double)rows / start / 1e3, cpu * 1e6 / (double)rows);
	db_block_close(&b);
	db_close(db);
	return r < 0;
}
