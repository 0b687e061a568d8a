/* SPDX-License-Identifier: Apache-2.0 */
/* Binary search where the elements are of any type, in arrays, files or computed. */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

/*
 * Moves LOW to the first place of [LOW, HIGH) for which BEFORE, an expression of AT, is false; it
 * is true for all places before that one. LOW and HIGH meet there: where there is none, at HIGH.
 */
#define SEARCH_FIRST(low, high, at, before)                                \
	do {                                                               \
		while ((low) < (high)) {                                   \
			__typeof__(low) at = (low) + ((high) - (low)) / 2; \
                                                                           \
			if (before)                                        \
				(low) = at + 1;                            \
			else                                               \
				(high) = at;                               \
		}                                                          \
	} while (0)

#endif
