/* SPDX-License-Identifier: Apache-2.0 */
/* Write the folder of logs that other tools read, and move older logs aside. */
#include "cmds/ttlogs.h"

#include "base/folder.h"
#include "base/output.h"
#include "op/trace_host.h"
#include "ttlog/files.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_sheet(struct trace *trace, const char *folder, const char *file,
		       const struct tracy_csv_options *options, struct tacho_error *err)
{
	struct output out;
	int r;

	if (ttlog_exists(folder, file))
		return 0;
	r = ttlog_create(&out, folder, file, false, err);
	if (r < 0)
		return r;
	r = tracy_csv(trace, out.file, options, err);
	if (r == 0)
		return output_close(&out, err);
	output_abandon(&out);
	return r;
}

int ttlogs_write_tracy(const struct ttlogs_part *part, const char *folder,
		       struct tracy_notes *notes, struct tacho_error *err)
{
	struct tracy_write_options options = {.version = part->version};
	struct output out;
	int r;

	r = ttlog_create(&out, folder, TRACY_TT_FILE, part->force, err);
	if (r < 0)
		return r;
	r = tracy_write(part->trace, fileno(out.file), out.path, &options, notes, err);
	if (r == 0)
		return output_close(&out, err);
	output_abandon(&out);
	return r;
}

int ttlogs_write_host(const struct ttlogs_part *part, const char *folder, struct tracy_notes *notes,
		      struct tacho_error *err)
{
	const char *children = part->children ? part->children : OP_ZONE_CHILDREN;
	const struct tracy_csv_options times = {.unwrap = true,
						.parent = OP_ZONE_PARENT,
						.special = children,
						.tracks = part->tracks};
	const struct tracy_csv_options data = {
		.messages = true, .separator = ";", .tracks = part->tracks};
	int r = op_trace_has_messages(part->trace, part->tracks);

	if (r < 0)
		err_set(err, r, "%s: %s", part->trace->path, err_text(r));
	if (r > 0) {
		r = write_sheet(part->trace, folder, TTLOG_TIMES_FILE, &times, err);
		if (r == 0)
			r = write_sheet(part->trace, folder, TTLOG_DATA_FILE, &data, err);
	}
	if (r < 0 || !notes || ttlog_exists(folder, TRACY_TT_FILE))
		return r;
	return ttlogs_write_tracy(part, folder, notes, err);
}

/* True if it has contents. False if it does not exist. */
static bool has_files(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	bool any = false;

	while (dir && !any && (e = readdir(dir)))
		any = strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	if (dir)
		closedir(dir);
	return any;
}

static int free_name(const char *logs, char *aside, size_t size, struct tacho_error *err)
{
	for (int i = 1; i < INT_MAX; i++) {
		snprintf(aside, size, "%s.%d", logs, i);
		if (access(aside, F_OK) < 0)
			return 0;
	}
	return err_set(err, TACHO_EWRITE, "no free name for the older %s", logs);
}

/* Names of logs written by this program or the runtime; nothing else in the folder is touched. */
static bool is_log(const char *name)
{
	static const char *const names[] = {
		TRACY_TT_FILE,        TTLOG_TIMES_FILE, TTLOG_DATA_FILE,  TTLOG_DEVICE_FILE,
		TTLOG_CPP_FILE,       TTLOG_SYNC_FILE,  TTLOG_ZONES_FILE, ("new_" TTLOG_ZONES_FILE),
		"noc_trace_dev*.json"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!fnmatch(names[i], name, 0))
			return true;
	return false;
}

static bool has_logs(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	bool any = false;

	while (dir && !any && (e = readdir(dir)))
		any = is_log(e->d_name);
	if (dir)
		closedir(dir);
	return any;
}

static int move_logs(const char *from, const char *to, struct tacho_error *err)
{
	char a[PATH_MAX + NAME_MAX + 32], b[PATH_MAX + NAME_MAX + 32];
	DIR *dir = opendir(from);
	struct dirent *e;
	int r = dir ? 0 : err_errno(err, TACHO_EWRITE, "cannot read the folder %s", from);

	while (r == 0 && (e = readdir(dir))) {
		if (!is_log(e->d_name))
			continue;
		snprintf(a, sizeof(a), "%s/%s", from, e->d_name);
		snprintf(b, sizeof(b), "%s/%s", to, e->d_name);
		if (rename(a, b) < 0)
			r = err_errno(err, TACHO_EWRITE, "cannot rename %s to %s", a, b);
	}
	if (dir)
		closedir(dir);
	return r;
}

/* Moves the logs of PART to the folder TO; existing logs go to a folder TO.N. */
static int replace_logs(const char *part, const char *to, struct tacho_error *err)
{
	char aside[PATH_MAX + 32];
	int r = 0;

	if (has_logs(to)) {
		r = free_name(to, aside, sizeof(aside), err);
		if (r == 0 && mkdir(aside, 0777) < 0)
			r = err_errno(err, TACHO_EWRITE, "cannot make the folder %s", aside);
		if (r == 0)
			r = move_logs(to, aside, err);
	}
	if (r == 0)
		r = move_logs(part, to, err);
	if (r == 0)
		rmdir(part);
	return r;
}

int ttlogs_put_aside(const char *dir, char *aside, size_t size, struct tacho_error *err)
{
	char logs[PATH_MAX + 16];
	int r = 0;

	snprintf(logs, sizeof(logs), "%s/.logs", dir);
	aside[0] = 0;
	if (has_files(logs)) {
		r = free_name(logs, aside, size, err);
		if (r == 0 && rename(logs, aside) < 0)
			r = err_errno(err, TACHO_EWRITE, "cannot put %s aside", logs);
	} else if (rmdir(logs) < 0 && errno != ENOENT) {
		r = err_errno(err, TACHO_EWRITE, "cannot replace %s", logs);
	}
	return r < 0 ? r : folder_make(logs, err);
}

/* Removes what this program wrote to its own folder. */
static void remove_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			unlinkat(dirfd(dir), e->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(folder);
}

bool ttlogs_forbidden(void)
{
	const char *value = getenv("TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES");

	return value && *value && strcmp(value, "0");
}

int ttlogs_check(const char *dir, struct tacho_error *err)
{
	char to[PATH_MAX + 16];

	snprintf(to, sizeof(to), "%s/.logs", dir);
	return has_logs(to)
		       ? err_set(err, TACHO_EWRITE, "%s has logs already; -f puts them aside", to)
		       : 0;
}

int ttlogs_write(const struct ttlogs_part *what, const char *dir, struct ttlogs *logs,
		 struct tacho_error *err)
{
	char to[PATH_MAX + 16], part[PATH_MAX + 32];
	int r = folder_make(dir, err);

	memset(logs, 0, sizeof(*logs));
	snprintf(to, sizeof(to), "%s/.logs", dir);
	snprintf(part, sizeof(part), "%s/.logs.part.%d", dir, (int)getpid());
	if (r == 0 && mkdir(part, 0777) < 0)
		r = err_errno(err, TACHO_EWRITE, "cannot make the folder %s", part);
	if (r < 0)
		return r;
	r = what->host_only ? 0 : ttlog_write(what->trace, what->tracks, part, &logs->device, err);
	logs->host = op_trace_has_messages(what->trace, what->tracks) > 0;
	r = r < 0 ? r : ttlogs_write_host(what, part, what->tracy ? &logs->notes : NULL, err);
	/* Fast path: nothing exists yet. */
	if (r == 0 && rename(part, to) < 0)
		r = errno == ENOTEMPTY || errno == EEXIST
			    ? replace_logs(part, to, err)
			    : err_errno(err, TACHO_EWRITE, "cannot rename %s to %s", part, to);
	if (r < 0)
		remove_folder(part);
	return r;
}
