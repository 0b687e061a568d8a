/* SPDX-License-Identifier: Apache-2.0 */
/* For the verbs that read and write .tracy files. */
#ifndef CMDS_TRACY_NOTES_H
#define CMDS_TRACY_NOTES_H

#include "tracy/tracy.h"

/* One line on stderr for each thing that had no place on the other side. */
void tracy_notes_print(const struct tracy_notes *notes);

#endif
