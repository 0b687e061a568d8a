#include "ops/cells.h"

#include "base/fmt.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void ops_cells_text(struct ops_cells *cells, enum ops_column column, const char *text, size_t len)
{
	cells->c[column] = (struct ops_cellref){text, len};
}

void ops_cells_int(struct ops_cells *cells, enum ops_column column, int64_t value)
{
	int n = snprintf(cells->text[column], OPS_CELL_TEXT, "%" PRId64, value);

	ops_cells_text(cells, column, cells->text[column], (size_t)n);
}

void ops_cells_round(struct ops_cells *cells, enum ops_column column, double value)
{
	/* Rounds half to even, as printf() does. */
	int n = snprintf(cells->text[column], OPS_CELL_TEXT, "%.0f", value);

	ops_cells_text(cells, column, cells->text[column], (size_t)n);
}

double ops_cells_number(const struct ops_cells *cells, enum ops_column column)
{
	char text[OPS_CELL_TEXT], *end;
	double value;
	size_t len = cells->c[column].len;

	if (!len || len >= sizeof(text))
		return NAN;
	memcpy(text, cells->c[column].text, len);
	text[len] = 0;
	value = strtod(text, &end);
	return *end ? NAN : value;
}

void ops_cells_spans(struct ops_cells *cells, const struct ops_device_op *op, uint32_t mhz,
		     bool joined)
{
	const struct ops_per_core *p = &op->per_core;
	const struct ops_span *fw = &op->spans[OPS_AN_FW];

	if (fw->set) {
		ops_cells_int(cells, OPS_COL_FW_START, (int64_t)fw->start);
		ops_cells_int(cells, OPS_COL_FW_END, (int64_t)fw->end);
	}
	if (!mhz)
		return;
	for (int a = 0; a < OPS_ANALYSES; a++)
		if (op->spans[a].set && ops_analyses[a].column >= 0)
			ops_cells_round(cells, (enum ops_column)ops_analyses[a].column,
					ops_ns(op->spans[a].cycles, mhz));
	if (!p->count)
		return;
	/* The two reports come to the same figure by two ways, which round differently. */
	if (joined && p->first) {
		double rate = (double)p->first / ops_ns(p->first, mhz);

		ops_cells_round(cells, OPS_COL_CORE_MIN, (double)p->min / rate);
		ops_cells_round(cells, OPS_COL_CORE_MAX, (double)p->max / rate);
		ops_cells_round(cells, OPS_COL_CORE_AVG, (double)p->sum / p->count / rate);
	} else {
		ops_cells_round(cells, OPS_COL_CORE_MIN, ops_ns(p->min, mhz));
		ops_cells_round(cells, OPS_COL_CORE_MAX, ops_ns(p->max, mhz));
		ops_cells_round(cells, OPS_COL_CORE_AVG, (double)p->sum / p->count * 1000 / mhz);
	}
}
