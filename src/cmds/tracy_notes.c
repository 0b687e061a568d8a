/* SPDX-License-Identifier: Apache-2.0 */
/* Report what a .tracy file contains that a trace does not. */
#include "cmds/tracy_notes.h"
#include "base/fmt.h"

#include <stdio.h>

void tracy_notes_print(const struct tracy_notes *notes)
{
	char count[FMT_SIZE];

	for (int i = 0; i < TRACY_NOTE_COUNT; i++)
		if (notes->n[i])
			fprintf(stderr, "tacho: %s %s\n", fmt_count(count, notes->n[i]),
				tracy_note_text((enum tracy_note)i, notes->n[i]));
}
