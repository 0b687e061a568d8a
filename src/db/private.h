/* SPDX-License-Identifier: Apache-2.0 */
/* Private: tables, blocks of rows, the interface of engines. */
#ifndef DB_PRIVATE_H
#define DB_PRIVATE_H

#include "base/buf.h"
#include "base/map.h"
#include "db/db.h"

#define DB_SCHEMA     1
#define DB_BLOCK_ROWS (1u << 17)
#define DB_COLUMNS    20 /* of a table, at most */

enum db_type { DB_U8, DB_U16, DB_U32, DB_U64, DB_I64, DB_F64, DB_TEXT };

struct db_column {
	const char *name;
	enum db_type type;
};

enum db_table_index {
	DB_TABLE_META,
	DB_TABLE_TEXT,
	DB_TABLE_LABEL,
	DB_TABLE_OP,
	DB_TABLE_OP_STAT,
	DB_TABLE_ZONE_STAT,
	DB_TABLE_METRIC,
	DB_TABLE_PART, /* the manifest: after the others */
	DB_TABLE_ACCEPTED,
	DB_TABLES,
};

struct db_table {
	const char *name;
	const char *key;      /* SQLite: primary key; ClickHouse: order */
	const char *sharding; /* of a distributed table */
	bool once;            /* rows with one key are equal: a repetition is dropped */
	bool pushed;          /* its rows belong to a push */
	struct db_column columns[DB_COLUMNS];
};

extern const struct db_table db_tables[DB_TABLES];
size_t db_column_count(const struct db_table *t);

/* Columns of up to DB_BLOCK_ROWS rows. A text is the offset of its length (32 bits) and bytes. */
struct db_block {
	const struct db_table *table;
	uint64_t *cells; /* column * DB_BLOCK_ROWS + row */
	size_t n, at;    /* whole rows; the next column */
	struct buf text;
};

int db_block_open(struct db_block *b, enum db_table_index table);
void db_block_close(struct db_block *b);
/* Cells of the next row, in the order of the columns; the last completes it. */
void db_block_number(struct db_block *b, uint64_t value);
void db_block_real(struct db_block *b, double value);
void db_block_text(struct db_block *b, const char *text, size_t len);
void db_block_string(struct db_block *b, const char *text); /* NULL: "" */

static inline uint64_t db_block_cell(const struct db_block *b, size_t column, size_t row)
{
	return b->cells[column * DB_BLOCK_ROWS + row];
}

static inline const char *db_block_cell_text(const struct db_block *b, uint64_t cell, uint32_t *len)
{
	__builtin_memcpy(len, b->text.data + cell, sizeof(*len));
	return b->text.data + cell + sizeof(*len);
}

/* The value of a '?' in a statement. text NULL: an id. */
struct db_argument {
	const char *text;
	uint64_t id;
};

struct db_engine {
	/* Statements of our own: SQL with '?' only where an argument goes. */
	int (*query)(struct db *db, const char *sql, const struct db_argument *args,
		     const struct db_sink *sink, struct tacho_error *err);
	int (*query_user)(struct db *db, const char *sql, const struct db_sink *sink,
			  struct tacho_error *err);
	int (*init)(struct db *db, const struct db_layout *layout, struct tacho_error *err);
	int (*insert)(struct db *db, const struct db_block *block, struct tacho_error *err);
	int (*erase)(struct db *db, const struct db_table *table, const uint64_t *pushes, size_t n,
		     struct tacho_error *err);
	/* The names of a table's columns; none: it does not exist. */
	int (*columns)(struct db *db, const struct db_table *table, const struct db_sink *sink,
		       struct tacho_error *err);
	int (*begin)(struct db *db, struct tacho_error *err);
	int (*commit)(struct db *db, struct tacho_error *err);
	void (*rollback)(struct db *db);
	void (*close)(struct db *db);
	bool transactions; /* rows of a failed push go away by themselves */
	bool signed_ids;   /* the engine lacks unsigned 64-bit numbers */
};

struct db {
	const struct db_engine *engine;
	struct db_options options;
	char *name;
	bool hopeless; /* another attempt would fail as the last one did */
	void *private; /* of the engine */
};

/* Where the database is and who asks. */
struct db_place {
	char *url;                  /* as it was given */
	char *path;                 /* SQLite; else NULL */
	char *base, *database;      /* http://HOST:PORT, and what follows the '/' */
	char *user, *password, *ca; /* or NULL */
};
int db_place_find(struct db_place *p, const char *url, struct tacho_error *err);
void db_place_free(struct db_place *p);

int db_sqlite_open(struct db *db, const struct db_place *place, struct tacho_error *err);
int db_clickhouse_open(struct db *db, const struct db_place *place, struct tacho_error *err);

static inline bool db_stopped(const struct db *db)
{
	return db->options.stop && *db->options.stop;
}

int db_query_own(struct db *db, const char *sql, const struct db_argument *args,
		 const struct db_sink *sink, struct tacho_error *err);
/* The first cell of the first row; 0: none. */
int db_query_number(struct db *db, const char *sql, const struct db_argument *args,
		    uint64_t *number, struct tacho_error *err);
/* TACHO_EVERSION: the tables are those of another version; TACHO_EREAD: there are none. */
int db_schema_check(struct db *db, struct tacho_error *err);

/* Appends ID in the engine's form, after a comma if COMMA. */
void db_add_id(struct buf *sql, const struct db *db, bool comma, uint64_t id);

/* ns since 1970 */
int64_t db_now(void);

/* Texts by their hash. */
uint64_t db_text_id(const char *text, size_t len);

/* A row of the manifest. Texts are valid until the part is freed. */
struct db_manifest {
	const char *run, *content;
	uint32_t part;
	uint64_t push, rows, ranks, device_ns;
	int64_t pushed_at, started_at, commit_time, commit_seq;
	const char *project, *suite, *config, *branch, *sha, *host, *arch;
	bool removed, dirty;
};

struct db_manifests {
	VEC(struct db_manifest);
	struct arena arena;
};

/* The rows of RUN; NULL: of all runs. */
int db_manifests_read(struct db *db, const char *run, struct db_manifests *m,
		      struct tacho_error *err);
void db_manifests_free(struct db_manifests *m);
/* Drops all rows but the last unremoved one of each part; sorts by run and part. */
void db_manifests_settle(struct db_manifests *m);
int db_manifest_write(struct db *db, const struct db_manifest *m, struct tacho_error *err);

/* source.c: the rows of a push. */
struct db_op_row {
	uint64_t name, sig;
	int64_t start, gap;
	uint64_t device_ns, host_ns;
	uint32_t seq, trace, replay;
	uint16_t rank, device, cores, sub_device;
};

struct db_zone_row {
	uint64_t name, file, n, total, self, min, median, p99, max;
	uint32_t line, process;
	uint16_t rank;
};

struct db_text_entry {
	const char *text;
	size_t len;
	uint64_t id;
};

struct db_content {
	struct {
		VEC(struct db_op_row);
	} ops;
	struct {
		VEC(struct db_zone_row);
	} zones;
	struct {
		VEC(struct db_text_entry);
	} texts;
	struct map ids; /* of texts */
	struct arena arena;
	uint32_t ranks;
	int64_t started_at; /* 0: unknown */
	char host[65], arch[33];
	char damage[200];
};

int db_content_read(struct db_content *c, const struct db_push *push, struct tacho_error *err);
/* The id of a text, which is stored with the push. */
int db_content_text(struct db_content *c, const char *text, size_t len, uint64_t *id);
void db_content_free(struct db_content *c);

#endif
