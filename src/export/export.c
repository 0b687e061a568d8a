/* SPDX-License-Identifier: Apache-2.0 */
/* Choose the exporter of a format and show its progress. */
#include "export/export.h"
#include "export/files.h"

static int export_csv_write(FILE *out, struct trace *trace, const struct view_filter *filter,
			    struct progress *progress)
{
	struct table_style style = {.format = TABLE_AS_CSV};

	return files_zones(out, trace, filter, &style, progress);
}

int files_zones(FILE *out, struct trace *trace, const struct view_filter *filter,
		const struct table_style *style, struct progress *progress)
{
	struct view_zones *stream;
	struct view_zone *zone;
	struct table table;
	uint64_t n = 0;
	int r, closed;

	r = view_zones_open(&stream, trace, filter, true);
	if (r < 0)
		return r;
	view_zone_table(&table, out, style);
	while ((r = view_zones_next(stream, &zone)) > 0) {
		r = view_zone_row(&table, trace, zone);
		if (r < 0)
			break;
		files_progress(progress, ++n, trace->zones);
	}
	closed = table_close(&table);
	view_zones_close(stream);
	return r < 0 ? r : closed;
}

void files_progress(struct progress *progress, uint64_t n, uint64_t all)
{
	if (n % 8192 == 0)
		progress_update(progress, "%.0f %% of the zones written",
				all ? 100.0 * (double)n / (double)all : 100);
}

int export_write(FILE *out, struct trace *trace, enum export_format format,
		 const struct view_filter *filter, struct progress *progress)
{
	static int (*const writers[])(FILE *, struct trace *, const struct view_filter *,
				      struct progress *) = {
		[EXPORT_CHROME] = files_chrome,     [EXPORT_CSV] = export_csv_write,
		[EXPORT_JSON] = files_json,         [EXPORT_PSTATS] = files_pstats,
		[EXPORT_PERFETTO] = files_perfetto,
	};

	return writers[format](out, trace, filter, progress);
}
