/* The cells of one row while it is being put together. */
#ifndef OPS_CELLS_H
#define OPS_CELLS_H

#include "ops/analyses.h"
#include "ops/columns.h"
#include "ops/record.h"

struct ops_cellref {
	const char *text;
	size_t len;
};

#define OPS_CELL_TEXT 32

struct ops_cells {
	struct ops_cellref c[OPS_COLUMNS];
	char text[OPS_COLUMNS][OPS_CELL_TEXT]; /* of the numbers among them */
};

/* TEXT is not copied. */
void ops_cells_text(struct ops_cells *cells, enum ops_column column, const char *text, size_t len);
void ops_cells_int(struct ops_cells *cells, enum ops_column column, int64_t value);

/* Without decimals, half to even. */
void ops_cells_round(struct ops_cells *cells, enum ops_column column, double value);

/* The cell as a number; NaN when it is empty or none. */
double ops_cells_number(const struct ops_cells *cells, enum ops_column column);

/* All durations of a device op. JOINED: as the report with host data computes them. */
void ops_cells_spans(struct ops_cells *cells, const struct ops_device_op *op, uint32_t mhz,
		     bool joined);

static inline double ops_ns(uint64_t cycles, uint32_t mhz)
{
	return (double)(cycles * 1000) / mhz;
}

#endif
