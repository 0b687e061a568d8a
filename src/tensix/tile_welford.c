/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mean and variance of the columns of tiles in one pass (Welford). The vector unit keeps both
 * between calls. Besides a row of 32 values it stores them as its registers hold them: four rows
 * of the first face at even columns; the four are columns 0, 2 .. 14 of the tile, then 1, 3 .. 15,
 * 16, 18 .. 30 and 17, 19 .. 31.
 */
#include "tacho_engine.h"
#include "tensix/tile.h"

#include <string.h>

/* Where column C lies; GROUP: which four rows. */
static unsigned welford_place(unsigned c, bool row, unsigned group)
{
	return row ? tile_at(0, c) : tile_at((group * 4 + c / 16 * 2 + c % 2) % 16, c % 16 / 2 * 2);
}

bool tile_welford(struct tile *t, unsigned op, const uint32_t *p, struct tile_state *state)
{
	float *kept = p[0] & TE_WELFORD_SQUARES ? state->squares : state->mean;
	unsigned first = p[1] & 255, rows = p[1] >> 8 & 255;
	uint32_t samples = p[0];
	float factor;

	switch (op) {
	case TE_U_WELFORD:
		tile_make_float(t);
		for (unsigned r = first; r < first + rows && r < TILE_DIM; r++) {
			float part = 1.0f / (float)++samples;

			for (unsigned c = 0; c < TILE_DIM; c++) {
				float value = t->f[tile_at(r, c)], away = value - state->mean[c];

				state->mean[c] += away * part;
				state->squares[c] += away * (value - state->mean[c]);
			}
		}
		return true;
	case TE_U_WELFORD_CLEAR:
		memset(state->mean, 0, sizeof(state->mean));
		memset(state->squares, 0, sizeof(state->squares));
		return true;
	case TE_U_WELFORD_STORE:
	case TE_U_WELFORD_LOAD:
		memcpy(&factor, &p[1], sizeof(factor));
		tile_make_float(t);
		for (unsigned c = 0; c < TILE_DIM; c++) {
			float *at = &t->f[welford_place(c, p[0] & TE_WELFORD_ROW, p[0] >> 8)];

			if (op == TE_U_WELFORD_STORE)
				*at = kept[c] * factor;
			else
				kept[c] = *at;
		}
		return true;
	default:
		return false;
	}
}
