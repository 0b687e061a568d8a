/* From an op's JSON to the cells that it fills in the report. */
#ifndef OPS_INFO_H
#define OPS_INFO_H

#include "base/jread.h"
#include "ops/record.h"

/*
 * Fills INFO (zeroed by the caller) with the cells of JSON; names of kernel sizes go to HOST. What
 * has not the expected form is left out. 0 or TACHO_ENOMEM; the caller frees INFO either way.
 */
int ops_info_fill(struct ops_info *info, struct ops_host *host, const struct jread_value *json);

/* One cell more: TEXT for COLUMN, commas replaced. */
int ops_info_cell(struct ops_info *info, enum ops_column column, const char *text, size_t len);

/* The cell of COLUMN, or NULL. */
const char *ops_info_find(const struct ops_info *info, enum ops_column column, size_t *len);

#endif
