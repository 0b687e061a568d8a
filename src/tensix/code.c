/* SPDX-License-Identifier: Apache-2.0 */
/* Decoded text, shared by all cores that have the same bytes at the same address. */
#include "tensix/private.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS   4096u
#define PAGES_MAX 16384u /* 50 MB: a program that needs more writes its own text */

const uint8_t *code_text(const struct tensix_hart *h, uint32_t pc)
{
	const struct tensix_core *c = h->core;

	if (pc & 3)
		return NULL;
	if (pc < c->l1_size)
		return c->l1 + pc;
	if (h->risc == TENSIX_NC && pc - TENSIX_IRAM < c->dev->arch->iram_size && c->iram)
		return c->iram + (pc - TENSIX_IRAM);
	return NULL;
}

static uint64_t hash_page(const uint8_t *text, uint32_t base)
{
	uint64_t h = 0x9e3779b97f4a7c15ull ^ base, word;

	for (unsigned i = 0; i < RV32_PAGE; i += 8) {
		memcpy(&word, text + i, 8);
		h = (h ^ word) * 0xff51afd7ed558ccdull;
		h ^= h >> 32;
	}
	return h;
}

static struct rv32_page *code_share(struct tensix *t, const uint8_t *text, uint32_t base)
{
	uint64_t hash = hash_page(text, base);
	struct rv32_page **bucket = &t->buckets[hash % BUCKETS], *p;

	for (p = *bucket; p; p = p->next) {
		if (p->hash == hash && p->base == base && !memcmp(p->text, text, RV32_PAGE)) {
			t->stats.pages_shared++;
			return p;
		}
	}
	p = malloc(sizeof(*p));
	if (!p)
		return NULL;
	p->base = base;
	p->hash = hash;
	memcpy(p->text, text, RV32_PAGE);
	rv32_decode_page(p);
	p->next = *bucket;
	*bucket = p;
	t->page_count++;
	t->stats.pages_decoded++;
	return p;
}

struct rv32_page *code_page(struct tensix_hart *h, uint32_t pc)
{
	struct tensix_core *c = h->core;
	struct tensix *t = c->dev;
	uint32_t base = pc & ~(RV32_PAGE - 1);
	const uint8_t *text = code_text(h, pc);
	struct rv32_page **slot;

	if (!t->buckets)
		t->buckets = calloc(BUCKETS, sizeof(*t->buckets));
	if (!text || !t->buckets) {
		hart_fault(h, TENSIX_FAULT_FETCH, pc);
		return NULL;
	}
	slot = pc < c->l1_size ? &c->pages[base / RV32_PAGE]
			       : &c->iram_pages[(base - TENSIX_IRAM) / RV32_PAGE];
	if (!*slot)
		*slot = code_share(t, text - (pc - base), base);
	if (!*slot)
		hart_fault(h, TENSIX_FAULT_FETCH, pc);
	return *slot;
}

void code_free(struct tensix *t)
{
	for (size_t i = 0; t->buckets && i < BUCKETS; i++) {
		for (struct rv32_page *p = t->buckets[i], *next; p; p = next) {
			next = p->next;
			free(p);
		}
		t->buckets[i] = NULL;
	}
	t->page_count = 0;
}

void code_trim(struct tensix *t)
{
	if (t->page_count <= PAGES_MAX)
		return;
	code_free(t);
	for (unsigned i = 0; i < t->ncores; i++) {
		struct tensix_core *c = &t->cores[i];

		memset(c->pages, 0, c->l1_size / RV32_PAGE * sizeof(*c->pages));
		memset(c->iram_pages, 0, sizeof(c->iram_pages));
	}
}
