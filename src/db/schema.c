/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the database and blocks of their rows. docs/fleet.md describes them. */
#include "db/private.h"

#include <stdlib.h>
#include <string.h>

/* No column has a keyword of an engine as its name. Times are ns, unknown is 0 or ''. */
const struct db_table db_tables[DB_TABLES] = {
	[DB_TABLE_META] =
		{"meta", "name", "rand()", true, false, {{"name", DB_TEXT}, {"value", DB_TEXT}}},
	[DB_TABLE_TEXT] = {"text", "id", "id", true, false, {{"id", DB_U64}, {"s", DB_TEXT}}},
	[DB_TABLE_LABEL] = {"label",
			    "push, name",
			    "push",
			    false,
			    true,
			    {{"push", DB_U64}, {"name", DB_TEXT}, {"value", DB_TEXT}}},
	[DB_TABLE_OP] = {"op",
			 "push, rank, seq",
			 "push",
			 false,
			 true,
			 {{"push", DB_U64},
			  {"month", DB_U32},
			  {"rank", DB_U16},
			  {"device", DB_U16},
			  {"seq", DB_U32},
			  {"name", DB_U64},
			  {"sig", DB_U64},
			  {"start_ns", DB_I64},
			  {"device_ns", DB_U64},
			  {"gap_ns", DB_I64},
			  {"host_ns", DB_U64},
			  {"cores", DB_U16},
			  {"trace", DB_U32},
			  {"replay", DB_U32},
			  {"sub_device", DB_U16}}},
	[DB_TABLE_OP_STAT] = {"op_stat",
			      "name, sig, push, rank, device",
			      "push",
			      false,
			      true,
			      {{"push", DB_U64},
			       {"month", DB_U32},
			       {"rank", DB_U16},
			       {"device", DB_U16},
			       {"name", DB_U64},
			       {"sig", DB_U64},
			       {"n", DB_U64},
			       {"sum_ns", DB_U64},
			       {"min_ns", DB_U64},
			       {"med_ns", DB_U64},
			       {"p90_ns", DB_U64},
			       {"max_ns", DB_U64},
			       {"mad_ns", DB_U64},
			       {"gap_sum_ns", DB_I64}}},
	[DB_TABLE_ZONE_STAT] = {"zone_stat",
				"name, file, line, push, rank, process",
				"push",
				false,
				true,
				{{"push", DB_U64},
				 {"month", DB_U32},
				 {"rank", DB_U16},
				 {"process", DB_U32},
				 {"name", DB_U64},
				 {"file", DB_U64},
				 {"line", DB_U32},
				 {"n", DB_U64},
				 {"total_ns", DB_U64},
				 {"self_ns", DB_U64},
				 {"min_ns", DB_U64},
				 {"med_ns", DB_U64},
				 {"p99_ns", DB_U64},
				 {"max_ns", DB_U64}}},
	[DB_TABLE_METRIC] = {"metric",
			     "name, push",
			     "push",
			     false,
			     true,
			     {{"push", DB_U64},
			      {"month", DB_U32},
			      {"name", DB_U64},
			      {"unit", DB_TEXT},
			      {"value", DB_F64},
			      {"better", DB_I64}}},
	[DB_TABLE_PART] = {"part",
			   "run, part, push, state",
			   "push",
			   false,
			   true,
			   {{"run", DB_TEXT},      {"part", DB_U32},        {"push", DB_U64},
			    {"content", DB_TEXT},  {"pushed_at", DB_I64},   {"started_at", DB_I64},
			    {"state", DB_U8}, /* 1: there, 2: removed */
			    {"row_count", DB_U64}, {"ranks", DB_U32},       {"device_ns", DB_U64},
			    {"project", DB_TEXT},  {"suite", DB_TEXT},      {"config", DB_TEXT},
			    {"branch", DB_TEXT},   {"sha", DB_TEXT},        {"host", DB_TEXT},
			    {"arch", DB_TEXT},     {"commit_time", DB_I64}, {"commit_seq", DB_I64},
			    {"dirty", DB_U8}}},
	[DB_TABLE_ACCEPTED] = {"accepted",
			       "series, sha",
			       "series",
			       true,
			       false,
			       {{"series", DB_U64},
				{"sha", DB_TEXT},
				{"why", DB_TEXT},
				{"who", DB_TEXT},
				{"accepted_at", DB_I64}}},
};

size_t db_column_count(const struct db_table *t)
{
	size_t n = 0;

	while (n < DB_COLUMNS && t->columns[n].name)
		n++;
	return n;
}

/* ----------------------------------------------------------------- blocks */

int db_block_open(struct db_block *b, enum db_table_index table)
{
	*b = (struct db_block){.table = &db_tables[table], .text = BUF_INIT};
	b->cells = malloc(db_column_count(b->table) * DB_BLOCK_ROWS * sizeof(*b->cells));
	return b->cells ? 0 : TACHO_ENOMEM;
}

void db_block_close(struct db_block *b)
{
	free(b->cells);
	buf_free(&b->text);
	b->cells = NULL;
}

void db_block_number(struct db_block *b, uint64_t value)
{
	b->cells[b->at++ * DB_BLOCK_ROWS + b->n] = value;
	if (b->at == DB_COLUMNS || !b->table->columns[b->at].name) {
		b->at = 0;
		b->n++;
	}
}

void db_block_real(struct db_block *b, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	db_block_number(b, bits);
}

void db_block_text(struct db_block *b, const char *text, size_t len)
{
	uint32_t size = (uint32_t)len;
	size_t at = b->text.len;

	buf_add(&b->text, &size, sizeof(size));
	buf_add(&b->text, text, size);
	db_block_number(b, at);
}

void db_block_string(struct db_block *b, const char *text)
{
	db_block_text(b, text ? text : "", text ? strlen(text) : 0);
}
