/* SPDX-License-Identifier: Apache-2.0 */
/* Private: tiles, the pictures of lanes. */
#ifndef VIEW_TILES_H
#define VIEW_TILES_H

#include "view/call_args.h"

#define VIEW_LANES      512u  /* of one tiles call */
#define VIEW_LANE_TILES 2048u /* of one tiles call: lanes times tiles */
#define VIEW_TILE       512u  /* pixels */
#define VIEW_RES_MAX    50u

/* res and i: where a tile lies. */
int arg_tile(struct view_call *c, uint64_t *t0, uint64_t *t1);

/* Adds the visible part of a lane; nothing if it does not exist. */
typedef int tile_find(struct view_call *c, void *context, uint32_t lane, struct trace_strip *strip);
/* Answers with tiles of "lanes". */
int tiles_answer(struct view_call *c, tile_find *find, void *context);

/* enc=deflate: packs the body. */
int answer_deflate(struct view_call *c);
/* How long an answer about what ends at tick END may be cached. */
void answer_cache(struct view_call *c, uint64_t end);

#endif
