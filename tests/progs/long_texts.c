/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of BYTES bytes, COUNT of them, in each of two threads: long_texts COUNT BYTES [noise].
 * They differ in eight digits, or, with "noise", in everything.
 */
#include "emit.h"

static long count;
static size_t size;
static const char *noise; /* NULL, or more random bytes than any message has */

static void *thread_work(void *arg)
{
	char *text = malloc(size), digits[24];

	(void)arg;
	for (size_t i = 0; i < size; i++)
		text[i] = "The quick brown fox jumps over the lazy dog. "[i % 45];
	for (long i = 0; i < count; i++) {
		snprintf(digits, sizeof(digits), "%08ld", i);
		memcpy(text + size / 2, digits, 8);
		tacho_message(noise ? noise + (size_t)i * size : text, size, TACHO_INFO, 0);
	}
	free(text);
	return NULL;
}

/* The same in every run. */
static char *make_noise(size_t bytes)
{
	char *text = malloc(bytes);
	uint64_t x = 88172645463325252ull;

	for (size_t i = 0; i < bytes; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		text[i] = (char)(x >> 32 | 1);
	}
	return text;
}

int main(int argc, char **argv)
{
	count = number_argument(argc, argv, 1, 100);
	size = (size_t)number_argument(argc, argv, 2, 1000);
	if (argc > 3)
		noise = make_noise((size_t)count * size);
	in_threads(2, thread_work, NULL);
	text_emit(0, 2 * count);
	return 0;
}
