#include "ops/columns.h"

#include <ctype.h>
#include <string.h>

const char *const ops_column_names[OPS_COLUMNS] = {
#define X(id, name) [OPS_COL_##id] = name,
	OPS_COLUMNS_HEAD(X) OPS_COLUMNS_TAIL(X)
#undef X
};

int ops_column_shown(enum ops_column column, int quasar)
{
	switch (column) {
	case OPS_COL_QUASAR_LATENCY_DM:
	case OPS_COL_QUASAR_LATENCY_TRISC:
	case OPS_COL_QUASAR_DM_FW:
	case OPS_COL_QUASAR_TRISC_FW:
	case OPS_COL_QUASAR_DM:
	case OPS_COL_QUASAR_TRISC:
		return quasar;
	case OPS_COL_LATENCY:
	case OPS_COL_LATENCY_DM:
	case OPS_COL_FW:
	case OPS_COL_BRISC:
	case OPS_COL_NCRISC:
	case OPS_COL_TRISC0:
	case OPS_COL_TRISC1:
	case OPS_COL_TRISC2:
	case OPS_COL_ERISC:
		return !quasar;
	default:
		return 1;
	}
}

static int same_letter(char a, char b)
{
	return toupper((unsigned char)(a == '_' ? ' ' : a)) ==
	       toupper((unsigned char)(b == '_' ? ' ' : b));
}

int ops_column_find(const char *text, size_t len)
{
	for (int c = 0; c < OPS_COLUMNS; c++) {
		const char *name = ops_column_names[c];
		size_t i = 0;

		if (strlen(name) != len)
			continue;
		while (i < len && same_letter(name[i], text[i]))
			i++;
		if (i == len)
			return c;
	}
	return -1;
}

int ops_column_numeric(enum ops_column column)
{
	switch (column) {
	case OPS_COL_OP_CODE:
	case OPS_COL_OP_TYPE:
	case OPS_COL_DEVICE_ARCH:
	case OPS_COL_ATTRIBUTES:
	case OPS_COL_MATH_FIDELITY:
	case OPS_COL_PARALLELIZATION:
	case OPS_COL_COMPUTE_SOURCE:
	case OPS_COL_COMPUTE_HASH:
	case OPS_COL_DM_SOURCE:
	case OPS_COL_DM_HASH:
	case OPS_COL_PROGRAM_HASH:
	case OPS_COL_CACHE_HIT:
	case OPS_COL_PM_REQ_I: /* lists */
	case OPS_COL_PM_REQ_O:
		return 0;
	default:
		return 1;
	}
}
