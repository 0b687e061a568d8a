/* SPDX-License-Identifier: Apache-2.0 */
/* --list-signposts: prints the regions of each file, their content, and the default one. */
#include "base/fmt.h"
#include "base/json.h"
#include "base/table.h"
#include "perf/output.h"

#include <string.h>

static void name_add(struct buf *out, const char *name, struct perf_style style)
{
	if (style.safe)
		term_add_safe(out, name, strlen(name));
	else
		buf_adds(out, name);
}

static int file_write(const struct perf_input *in, const struct perf_file *file,
		      const struct perf_options *o, struct json *j, struct perf_style style,
		      struct buf *out)
{
	struct perf_regions regions = {0};
	const struct perf_region *chosen;
	int code = perf_file_regions(&regions, in, file, o);

	if (code < 0) {
		vec_free(&regions);
		return code;
	}
	chosen = perf_region_choose(&regions, NULL);
	if (j) {
		json_object(j, NULL);
		json_text(j, "file", file->path);
		json_array(j, "regions");
	} else {
		name_add(out, file->path, style);
		buf_adds(out, regions.n ? "\n" : ": no signposts\n");
		if (regions.n)
			buf_addf(out, "  %9s %9s %15s  %s\n", "ops", "measured", "us on device",
				 "region (* is the default)");
	}
	for (size_t i = 0; i < regions.n; i++) {
		if (j) {
			json_object(j, NULL);
			json_text(j, "from", regions.v[i].name);
			json_text(j, "to", regions.v[i].end_name);
			json_int(j, "ops", regions.v[i].ops);
			json_int(j, "measured_ops", regions.v[i].measured);
			json_double(j, "device_time_us", regions.v[i].time);
			json_bool(j, "default", chosen == &regions.v[i]);
			json_end(j);
		} else {
			char time[FMT_FIXED_SIZE];

			fmt_fixed(time, regions.v[i].time, 1);
			buf_addf(out, "%c %9u %9u %15s  ", (chosen == &regions.v[i]) ? '*' : ' ',
				 regions.v[i].ops, regions.v[i].measured, time);
			name_add(out, regions.v[i].name, style);
			buf_adds(out, " .. ");
			name_add(out, regions.v[i].end_name ? regions.v[i].end_name : "the end",
				 style);
			buf_addc(out, '\n');
		}
	}
	if (j) {
		json_end(j);
		json_end(j);
	}
	vec_free(&regions);
	return 0;
}

int perf_regions_write(const struct perf_input *in, const struct perf_options *o, bool json,
		       struct perf_style style, FILE *file)
{
	struct buf out = BUF_INIT;
	struct json j;
	int code = 0;

	json_init(&j, &out);
	if (json)
		json_array(&j, NULL);
	for (size_t f = 0; f < in->files.n && code == 0; f++)
		code = file_write(in, &in->files.v[f], o, json ? &j : NULL, style, &out);
	if (json)
		json_end(&j);
	if (code == 0)
		code = perf_flush(&out, file);
	buf_free(&out);
	return code;
}
