/* SPDX-License-Identifier: Apache-2.0 */
/* Logs as a source of ops: opens each file when it is needed. */
#include "ttlog/source.h"

#include "ttlog/cpp_report.h"
#include "ttlog/device_log.h"
#include "ttlog/files.h"
#include "ttlog/host_logs.h"
#include "ttlog/noc_json.h"

#include <stdlib.h>

static int path_of(void *context, const char *name, char **path, struct tacho_error *err)
{
	*path = ttlog_path(context, name);
	return *path ? 0 : err_set(err, TACHO_ENOMEM, "out of memory");
}

static int host_file(void *context, const char *name, struct op_host *host,
		     struct op_issues *issues, struct tacho_error *err,
		     int (*reader)(struct op_host *, const char *, struct op_issues *,
				   struct tacho_error *))
{
	char *path;
	int r;

	if (!ttlog_exists(context, name))
		return 0;
	r = path_of(context, name, &path, err);
	if (r == 0)
		r = reader(host, path, issues, err);
	free(path);
	return r;
}

static int source_host(void *context, struct op_host *host, struct op_issues *issues,
		       struct tacho_error *err)
{
	int r = host_file(context, TTLOG_DATA_FILE, host, issues, err, ttlog_messages_read);

	return r < 0 ? r
		     : host_file(context, TTLOG_TIMES_FILE, host, issues, err, ttlog_times_read);
}

static int source_runs(void *context, struct op_measurements *list, struct op_table *t,
		       struct op_issues *issues, struct tacho_error *err)
{
	char *path;
	int r = path_of(context, TTLOG_CPP_FILE, &path, err);

	if (r == 0)
		r = ttlog_cpp_read(list, t, path, issues, err);
	free(path);
	return r;
}

static int source_markers(void *context, struct devlog *dev, enum devlog_want want,
			  struct op_issues *issues, struct tacho_error *err)
{
	char *path;
	int r = path_of(context, TTLOG_DEVICE_FILE, &path, err);

	if (r == 0)
		r = devlog_read(dev, path, want, issues, err);
	free(path);
	return r;
}

static int source_noc(void *context, struct op_noc *noc, struct op_issues *issues,
		      struct tacho_error *err)
{
	return ttlog_noc_read(noc, context, issues, err);
}

int ttlog_load(struct op_loaded *out, struct op_source *source, const char *logs,
	       const struct op_load_options *options, struct tacho_error *err)
{
	*source = (struct op_source){.context = (void *)logs,
				     .data = ttlog_exists(logs, TTLOG_DATA_FILE),
				     .times = ttlog_exists(logs, TTLOG_TIMES_FILE),
				     .device = ttlog_exists(logs, TTLOG_DEVICE_FILE),
				     .measured = ttlog_exists(logs, TTLOG_CPP_FILE),
				     .host = source_host,
				     .runs = source_runs,
				     .markers = source_markers,
				     .noc = source_noc};
	return op_load(out, source, options, err);
}
