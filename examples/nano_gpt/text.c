/* SPDX-License-Identifier: Apache-2.0 */
/* A text of sentences about devices, made by a small grammar; or a file. */
#include "text.h"

#include "train_ops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_LENGTH 60000u
#define FILE_LIMIT  (256u << 20)

struct sentences {
	char *text;
	size_t length;
	uint64_t random;
};

static uint64_t text_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

static void text_word(struct sentences *s, const char *word)
{
	size_t n = strlen(word);

	if (s->length + n > TEXT_LENGTH)
		n = TEXT_LENGTH - s->length;
	memcpy(s->text + s->length, word, n);
	s->length += n;
}

static void word_of(struct sentences *s, const char *const *words, unsigned n)
{
	text_word(s, words[text_random(&s->random) % n]);
	text_word(s, " ");
}

static void noun_phrase(struct sentences *s)
{
	static const char *const determiners[] = {"the", "a", "one", "each", "this"};
	static const char *const adjectives[] = {"small", "fast", "busy",  "idle",  "hot",
						 "cold",  "deep", "local", "short", "long"};
	static const char *const nouns[] = {"core",   "tile",   "kernel", "reader", "packet",
					    "buffer", "writer", "bank",   "device", "host"};

	word_of(s, determiners, 5);
	if (text_random(&s->random) % 2)
		word_of(s, adjectives, 10);
	word_of(s, nouns, 10);
}

/* noun phrase [adverb] verb noun phrase . */
static void sentence(struct sentences *s)
{
	static const char *const verbs[] = {"reads", "writes", "sends",  "packs", "starts",
					    "stops", "fills",  "drains", "waits", "copies"};
	static const char *const adverbs[] = {"often", "never", "slowly", "soon", "always", "then"};

	noun_phrase(s);
	if (text_random(&s->random) % 3 == 0)
		word_of(s, adverbs, 6);
	word_of(s, verbs, 10);
	noun_phrase(s);
	s->length -= s->length && s->text[s->length - 1] == ' ';
	text_word(s, text_random(&s->random) % 4 ? ". " : ".\n");
}

static char *file_read(const char *path, size_t *length)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	size_t n = 0, room = 0, got;

	if (!f)
		gpt_fail("cannot read %s", path);
	do {
		if (n == room) {
			room = room ? 2 * room : 1u << 16;
			text = realloc(text, room);
			if (!text || room > FILE_LIMIT)
				gpt_fail("%s is too large", path);
		}
		got = fread(text + n, 1, room - n, f);
		n += got;
	} while (got);
	if (ferror(f))
		gpt_fail("cannot read %s", path);
	fclose(f);
	*length = n;
	return text;
}

void text_open(struct text *t, const char *path, uint64_t seed)
{
	struct sentences s = {.random = 0x7461636f};
	int id_of[256];

	*t = (struct text){.random = seed * 2 + 1};
	if (path) {
		s.text = file_read(path, &s.length);
	} else {
		s.text = malloc(TEXT_LENGTH);
		if (!s.text)
			gpt_fail("no memory");
		while (s.length < TEXT_LENGTH)
			sentence(&s);
	}
	memset(id_of, -1, sizeof(id_of));
	for (size_t i = 0; i < s.length; i++)
		id_of[(uint8_t)s.text[i]] = 0;
	for (unsigned i = 0; i < 256; i++)
		if (id_of[i] == 0) {
			t->symbol[t->symbols] = (char)i;
			id_of[i] = (int)t->symbols++;
		}
	t->ids = (uint8_t *)s.text;
	t->length = s.length;
	for (size_t i = 0; i < s.length; i++)
		t->ids[i] = (uint8_t)id_of[t->ids[i]];
}

void text_free(struct text *t)
{
	free(t->ids);
	*t = (struct text){0};
}

void text_batch(struct text *t, uint32_t batch, uint32_t length, uint32_t *ids, uint32_t *targets)
{
	for (uint32_t b = 0; b < batch; b++) {
		size_t from = text_random(&t->random) % (t->length - length);

		for (uint32_t i = 0; i < length; i++) {
			ids[b * length + i] = t->ids[from + i];
			targets[b * length + i] = t->ids[from + i + 1];
		}
	}
}
