/* SPDX-License-Identifier: Apache-2.0 */
/* The engine ClickHouse. */
#include "db/private.h"
int db_clickhouse_open(struct db *db, const struct db_place *place, struct tacho_error *err)
{
	(void)db;
	(void)place;
	return err_set(err, TACHO_EUSAGE, "clickhouse:// is not supported by this program");
}
