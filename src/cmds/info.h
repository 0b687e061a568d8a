/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of 'tacho info'. */
#ifndef CMDS_INFO_H
#define CMDS_INFO_H

#include "cmds/query.h"

/* Clocks of devices: points, and the bound of their error, in the middle and at worst. */
int info_clocks(struct query *q);

#endif
