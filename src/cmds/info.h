/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of 'tacho info'. */
#ifndef CMDS_INFO_H
#define CMDS_INFO_H

#include "cmds/query.h"

/* Device clocks: points and their error bounds, median and maximum. */
int info_clocks(struct query *q);

#endif
