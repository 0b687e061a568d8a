/* SPDX-License-Identifier: Apache-2.0 */
/* One message of any size, and zone text of the same: big_message BYTES. */
#include "emit.h"

int main(int argc, char **argv)
{
	size_t size = (size_t)number_argument(argc, argv, 1, 1 << 20);
	char *text = malloc(size);

	for (size_t i = 0; i < size; i++)
		text[i] = (char)('a' + i % 26);
	{
		TACHO_ZONE("with a long text");
		TACHO_ZONE_TEXT(text, size);
		tacho_message(text, size, TACHO_INFO, 0);
	}
	text_emit(1, 1);
	free(text);
	return 0;
}
