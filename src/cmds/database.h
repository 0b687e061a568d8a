/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the verb "db". */
#ifndef CMDS_DATABASE_H
#define CMDS_DATABASE_H

#include "base/cmd.h"
#include "db/db.h"

struct database_conf {
	const char *db;
	/* the inputs of a push, and the selection of runs */
	const char *project, *suite, *branch, *commit, *git, *run, *host;
	struct opt_list config, labels, metrics, metric_files;
	int64_t commit_seq, commit_time, part, last;
	bool ops, zones, again, dirty, anonymous;
	/* regress */
	const char *op;
	struct opt_list base, head;
	double min_effect;
	int64_t window;
	bool all;
	int undecided;
	/* accept, init, gc */
	const char *why, *who, *cluster;
	bool replicated;
	int64_t age;
	int format;
};

struct database_call {
	const struct database_conf *conf;
	const struct cmd_common *common;
	struct db *db;
	int argc;
	char **argv;  /* after the action */
	char *config; /* of conf, as one text; NULL: not given */
};

/* Each returns an exit code, or an error with ERR filled. */
int database_push(struct database_call *c, struct tacho_error *err);
int database_regress(struct database_call *c, struct tacho_error *err);

void database_filter(const struct database_call *c, struct db_filter *filter);

#endif
