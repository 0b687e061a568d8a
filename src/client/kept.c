/* SPDX-License-Identifier: Apache-2.0 */
/* Names and settings that a later recorder needs again: sent when recording starts. */
#include "client/kept.h"

#include <string.h>

#define MAX_KEPT  1024
#define MAX_WORDS 3
#define MAX_TEXT  65536

struct kept {
	struct kept *next;
	unsigned type, count;
	uint64_t words[MAX_WORDS];
	bool has_text;
	size_t len;
	char text[];
};

static struct kept *first, **last = &first;
static unsigned total;

static bool is_kept(unsigned type, const uint64_t *words, unsigned count, const char *text,
		    size_t len)
{
	for (const struct kept *k = first; k; k = k->next)
		if (k->type == type && k->count == count && k->len == len &&
		    (!count || !memcmp(k->words, words, count * sizeof(*words))) &&
		    (!len || !memcmp(k->text, text, len)))
			return true;
	return false;
}

static void kept_add_locked(unsigned type, const uint64_t *words, unsigned count, const char *text,
			    size_t len)
{
	struct kept *k;

	if (total == MAX_KEPT || is_kept(type, words, count, text, len))
		return;
	k = client_memory(sizeof(*k) + len);
	if (!k)
		return;
	k->next = NULL;
	k->type = type;
	k->count = count;
	k->has_text = text != NULL;
	k->len = len;
	for (unsigned i = 0; i < count; i++)
		k->words[i] = words[i];
	if (len)
		memcpy(k->text, text, len);
	__atomic_store_n(last, k, __ATOMIC_RELEASE);
	__atomic_store_n(&last, &k->next, __ATOMIC_RELEASE);
	total++;
}

void kept_add(unsigned type, const uint64_t *words, unsigned count, const char *text, size_t len)
{
	struct guard guard;

	if (!client_process || count > MAX_WORDS || len > MAX_TEXT)
		return;
	if (!client_lock(&guard))
		return;
	kept_add_locked(type, words, count, text, len);
	client_unlock(&guard);
}

bool kept_change(unsigned type, uint32_t number, uint64_t value)
{
	struct guard guard;
	struct kept *k;

	if (!client_process || !client_lock(&guard))
		return false;
	for (k = first; k; k = k->next)
		if (k->type == type && (uint32_t)k->words[0] == number)
			break;
	if (k)
		k->words[1] = value;
	client_unlock(&guard);
	return k != NULL;
}

void kept_send(struct thread *t)
{
	for (const struct kept *k = first; k; k = k->next)
		record_emit_locked(t, k->type, k->words, k->count, k->has_text ? k->text : NULL,
				   k->len);
}
