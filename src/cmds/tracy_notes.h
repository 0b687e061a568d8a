/* SPDX-License-Identifier: Apache-2.0 */
/* For the verbs that read and write .tracy files. */
#ifndef CMDS_TRACY_NOTES_H
#define CMDS_TRACY_NOTES_H

#include "tracy/tracy.h"

/* Prints one line on stderr for each kind of data that the other side has no place for. */
void tracy_notes_print(const struct tracy_notes *notes);

#endif
