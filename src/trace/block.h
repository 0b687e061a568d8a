/* SPDX-License-Identifier: Apache-2.0 */
/* Private: blocks: the header in front of each, its checksum, and reading them from a file. */
#ifndef TRACE_BLOCK_H
#define TRACE_BLOCK_H

#include "base/err.h"
#include "trace/pack.h"

struct block {
	uint64_t offset; /* of the header in the file */
	uint16_t type, flags;
	uint32_t packed, raw; /* payload bytes in the file, and unpacked */
	uint64_t sequence;
	uint64_t checksum;
};

/* Writes the BLOCK_HEADER_SIZE bytes of a header; the checksum covers them and PAYLOAD. */
void block_header_put(uint8_t *header, const struct block *b, const void *payload);

/* False when HEADER cannot be one: magic, sizes. */
bool block_header_get(const uint8_t *header, struct block *b);

/* True if the checksum of header and payload is right. */
bool block_intact(const uint8_t *header, const struct block *b, const void *payload);

/* Reads exactly LEN bytes at OFFSET: 0, TACHO_EDAMAGED (the file ends), or TACHO_EREAD. */
int read_at(int fd, uint64_t offset, void *bytes, size_t len);

/*
 * Reads the block at OFFSET, header and payload, into STORE, and checks it. TACHO_EDAMAGED when
 * there is no whole block.
 */
int block_read(int fd, uint64_t offset, uint64_t file_size, struct buf *store, struct block *b);

/* The unpacked payload of the block in STORE; points into STORE or into UNPACKED. */
int block_payload(struct unpacker *u, const struct buf *store, const struct block *b,
		  struct buf *unpacked, struct in *in);

/*
 * Finds the next whole block at or after FROM in a damaged file and reads it into STORE. 0 or
 * TACHO_ENO. *BUDGET bounds the bytes hashed in vain: a hostile file must not make this take longer
 * than reading it a few times.
 */
int block_resync(int fd, uint64_t from, uint64_t file_size, uint64_t *budget, struct buf *store,
		 struct block *b);

#endif
