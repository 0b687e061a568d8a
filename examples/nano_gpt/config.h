/* SPDX-License-Identifier: Apache-2.0 */
/* What a run does: defaults, then a configuration file, then options. */
#ifndef CONFIG_H
#define CONFIG_H

#include "gpt.h"

enum config_log { LOG_EVERY, LOG_LAST, LOG_NONE };

struct config {
	struct gpt_shape shape; /* vocabulary 0: of the text */
	uint64_t seed;
	uint32_t steps, accumulate;
	struct train_adamw optimizer;
	bool warmup; /* the learning rate rises for a tenth of the steps, then falls to 1 % */
	char data[4096], name[256], save[4096], restore[4096];
	unsigned noops, sample, share;
	enum config_log log;
	bool l1, zones, track_memory, save_and_exit;
};

void config_default(struct config *c);
/* Both end the program with one line when something is wrong: 2 for a wrong use, 1 otherwise. */
void config_read(struct config *c, const char *path);
void config_options(struct config *c, int argc, char **argv);

#endif
