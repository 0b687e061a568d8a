/* SPDX-License-Identifier: Apache-2.0 */
/* Inside src/export: the writers of whole files. */
#ifndef EXPORT_FILES_H
#define EXPORT_FILES_H

#include "base/progress.h"
#include "view/zone_stream.h"

int files_chrome(FILE *out, struct trace *trace, const struct view_filter *filter,
		 struct progress *progress);
int files_json(FILE *out, struct trace *trace, const struct view_filter *filter,
	       struct progress *progress);

int files_perfetto(FILE *out, struct trace *trace, const struct view_filter *filter,
		   struct progress *progress);
int files_pstats(FILE *out, struct trace *trace, const struct view_filter *filter,
		 struct progress *progress);

/* The table of all zones that the filter takes. */
int files_zones(FILE *out, struct trace *trace, const struct view_filter *filter,
		const struct table_style *style, struct progress *progress);

/* Shows how far it is after N of ALL zones; cheap enough for each zone. */
void files_progress(struct progress *progress, uint64_t n, uint64_t all);

#endif
