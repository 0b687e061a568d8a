#include "base/csv.h"
#include "base/limits.h"
#include "ops/hostlog.h"

#include <inttypes.h>
#include <string.h>

enum column { NAME, ZONE_TEXT, START, DURATION, PARENT, COLUMNS };

static const char *const names[COLUMNS] = {"name", "zone_text", "ns_since_start", "exec_time_ns",
					   "special_parent_text"};

static bool has(struct csv_cell cell, const char *word)
{
	return memmem(cell.text, cell.len, word, strlen(word));
}

/* The number behind the last ':'. */
static bool id_of(struct csv_cell cell, int64_t *id)
{
	const char *colon = memrchr(cell.text, ':', cell.len);
	struct csv_cell rest = cell;

	if (colon) {
		rest.text = colon + 1;
		rest.len = cell.len - (size_t)(rest.text - cell.text);
	}
	return csv_integer(rest, id) == 0 && *id >= 0;
}

/* Times are written whole, but other tools round-trip them as floats. */
static bool nanoseconds(struct csv_cell cell, uint64_t *ns)
{
	int64_t whole;
	double real;

	if (csv_integer(cell, &whole) == 0 && whole >= 0) {
		*ns = (uint64_t)whole;
		return true;
	}
	if (csv_number(cell, &real) != CSV_REAL || real < 0 || real >= 0x1p63)
		return false;
	*ns = (uint64_t)real;
	return true;
}

static int find_columns(const struct csv_row *row, size_t at[COLUMNS])
{
	for (int c = 0; c < COLUMNS; c++) {
		at[c] = SIZE_MAX;
		for (size_t i = 0; i < row->n; i++)
			if (row->cells[i].len == strlen(names[c]) &&
			    !memcmp(row->cells[i].text, names[c], row->cells[i].len))
				at[c] = i;
		if (at[c] == SIZE_MAX && c != PARENT)
			return c;
	}
	return -1;
}

static int add_child(struct ops_host *host, uint32_t op, const struct ops_zone *zone)
{
	uint32_t *link = &host->ops.v[op].children;
	int64_t index;

	host->child_names.limit = LIMIT_OPS_COLUMNS;
	index = ops_names_add(&host->child_names, zone->name, zone->name_len);
	if (index < 0)
		return index == TACHO_ELIMIT ? 0 : (int)index;
	while (*link) {
		struct ops_child *child = &host->children.v[*link - 1];

		if (child->name == (uint32_t)index) {
			child->ns += zone->duration_ns;
			return 0;
		}
		link = &child->next;
	}
	*link = (uint32_t)host->children.n + 1;
	return vec_push(&host->children,
			((struct ops_child){(uint32_t)index, zone->duration_ns, 0}));
}

static int bad_zone(struct ops_issues *issues, uint64_t line)
{
	ops_issue_add(issues, OPS_ISSUE_BAD_ROW, OPS_TIMES_FILE, line, OPS_NOWHERE,
		      "an op's zone without id, start or duration");
	return 0;
}

static int op_zone(struct ops_host *host, const struct ops_zone *zone, struct ops_issues *issues)
{
	struct ops_host_op *op;
	int64_t id;

	if (!id_of((struct csv_cell){zone->text, zone->text_len}, &id))
		return bad_zone(issues, zone->line);
	if (!ops_host_find(host, (uint64_t)id)) {
		ops_issue_add(issues, OPS_ISSUE_NO_MESSAGE, OPS_TIMES_FILE, zone->line,
			      OPS_AT(id, OPS_NONE),
			      "a zone names the op, but no whole message describes it");
		if (ops_host_add_unknown(host, (uint64_t)id, ops_id_device((uint64_t)id)) < 0)
			return TACHO_ENOMEM;
	}
	op = ops_host_find(host, (uint64_t)id);
	op->timed = true;
	op->start_ns = zone->start_ns;
	op->duration_ns = zone->duration_ns;
	return 0;
}

bool ops_zone_is_op(const char *name, size_t len)
{
	struct csv_cell cell = {name, len};

	return has(cell, "TT_DNN") || has(cell, "TT_METAL");
}

int ops_zone_add(struct ops_host *host, const struct ops_zone *zone, struct ops_issues *issues)
{
	struct csv_cell around = {zone->parent, zone->parent_len};
	int64_t parent;
	uint32_t *op;
	int r = 0;

	if (ops_zone_is_op(zone->name, zone->name_len))
		r = op_zone(host, zone, issues);
	if (r < 0 || !has(around, "id:") || !id_of(around, &parent))
		return r;
	op = map_get(&host->by_id, (uint64_t)parent);
	return op ? add_child(host, *op, zone) : 0;
}

static int take_row(struct ops_host *host, const struct csv_row *row, const size_t at[COLUMNS],
		    struct ops_issues *issues)
{
	struct csv_cell name = row->cells[at[NAME]], text = row->cells[at[ZONE_TEXT]];
	struct csv_cell parent =
		at[PARENT] == SIZE_MAX ? (struct csv_cell){"", 0} : row->cells[at[PARENT]];
	struct ops_zone zone = {.name = name.text,
				.name_len = name.len,
				.text = text.text,
				.text_len = text.len,
				.parent = parent.text,
				.parent_len = parent.len,
				.line = row->line};
	bool op = ops_zone_is_op(name.text, name.len);

	/* A child needs no start: it is only summed up. */
	if (!nanoseconds(row->cells[at[DURATION]], &zone.duration_ns) ||
	    (op && !nanoseconds(row->cells[at[START]], &zone.start_ns)))
		return op ? bad_zone(issues, row->line) : 0;
	return ops_zone_add(host, &zone, issues);
}

static int read_rows(struct ops_host *host, struct csv *csv, struct ops_issues *issues,
		     struct tacho_error *err)
{
	size_t at[COLUMNS], need = 0;
	struct csv_row row;
	int r = csv_next(csv, &row, err), missing;

	if (r <= 0)
		return r;
	missing = find_columns(&row, at);
	if (missing >= 0) {
		ops_issue_add(issues, OPS_ISSUE_BAD_HEADER, OPS_TIMES_FILE, 1, OPS_NOWHERE,
			      "there is no column '%s'", names[missing]);
		return 0;
	}
	for (int c = 0; c < COLUMNS; c++)
		if (at[c] != SIZE_MAX && at[c] + 1 > need)
			need = at[c] + 1;
	while ((r = csv_next(csv, &row, err)) > 0) {
		if (row.n < need) {
			ops_issue_add(issues, OPS_ISSUE_BAD_ROW, OPS_TIMES_FILE, row.line,
				      OPS_NOWHERE, "%zu cells instead of %zu", row.n, need);
			continue;
		}
		r = take_row(host, &row, at, issues);
		if (r < 0)
			return err_set(err, r, "%s: %s", OPS_TIMES_FILE, err_text(r));
	}
	if (r == TACHO_EDAMAGED) {
		ops_issue_add(issues, OPS_ISSUE_BAD_ROW, OPS_TIMES_FILE, 0, OPS_NOWHERE,
			      "the file ends inside a quoted cell");
		r = 0;
	}
	return r;
}

int ops_times_read(struct ops_host *host, const char *path, struct ops_issues *issues,
		   struct tacho_error *err)
{
	struct csv *csv;
	int r = csv_open(&csv, path, err);

	if (r < 0)
		return r;
	r = read_rows(host, csv, issues, err);
	csv_close(csv);
	return r;
}
