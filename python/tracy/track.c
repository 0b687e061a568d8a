/* Begins and ends of one thread in order, whatever the interpreter leaves out. */
#include "_tracy.h"

#include <pthread.h>
#include <stdlib.h>

__thread struct track track __attribute__((tls_model("initial-exec")));
uint32_t track_epoch = 1;
static pthread_key_t track_key;

/* The thread ends: TLS itself is still there, the memory it points to is ours to free. */
static void track_free(void *open)
{
	free(open);
	track = (struct track){0};
}

int track_init(void)
{
	if (pthread_key_create(&track_key, track_free)) {
		PyErr_SetString(PyExc_RuntimeError, "tracy: no thread-specific key is left");
		return -1;
	}
	return 0;
}

int track_grow(void)
{
	uint32_t size = track.size ? 2 * track.size : 256;
	struct open_zone *open = realloc(track.open, size * sizeof(*open));

	if (!open)
		return -1;
	track.open = open;
	track.size = size;
	pthread_setspecific(track_key, open);
	return 0;
}

static void track_end_down_to(uint32_t count)
{
	while (track.count > count)
		word_end(track.open[--track.count].word);
}

void track_renew(void)
{
	track_end_down_to(0);
	track.epoch = track_epoch;
}

void track_end_inner(const void *owner)
{
	for (uint32_t i = track.count; i-- > 0;) {
		if (track.open[i].owner == owner) {
			track_end_down_to(i);
			return;
		}
	}
}

void track_line(PyCodeObject *code, int line)
{
	uint64_t key = tacho_key();
	uint32_t word;

	if (!key)
		return;
	if (!track_end_last(line_owner(code)) &&
	    (!track.count || track.open[track.count - 1].owner != code))
		return; /* the function itself is not shown, so neither are its lines */
	word = code_line_word(code, line);
	if (word)
		track_push(key, word, line_owner(code));
}
