/* SPDX-License-Identifier: Apache-2.0 */
/* Message events. */
#include "client/client.h"
#include "client/format.h"
#include "client/kept.h"

#include <stdarg.h>
#include <string.h>
#include <tacho/tacho.h>

static uint64_t message_word(unsigned severity, uint32_t color)
{
	return (color & 0xffffff) | (uint64_t)severity << 32;
}

TACHO_API void tacho_message(const char *text, size_t len, unsigned severity, uint32_t color)
{
	struct thread *t = thread_current();
	uint64_t word = message_word(severity, color);

	if (t)
		record_emit(t, RING_MESSAGE, &word, 1, text, len);
}

void message_stack(const char *text, size_t len, uint64_t word, unsigned depth, const void *caller)
{
	struct thread *t = thread_current();
	uint64_t words[2] = {word, t ? stack_capture(t, depth, caller) : 0};

	if (t && words[1])
		record_emit(t, RING_MESSAGE_STACK, words, 2, text, len);
	else if (t)
		record_emit(t, RING_MESSAGE, words, 1, text, len);
}

TACHO_API void tacho_message_stack(const char *text, size_t len, unsigned severity, uint32_t color,
				   unsigned depth)
{
	message_stack(text, len, message_word(severity, color), depth, __builtin_return_address(0));
}

TACHO_API void tacho_messagef(unsigned severity, uint32_t color, const char *format, ...)
{
	struct formatted f;
	va_list args;

	if (!tacho_is_recording())
		return;
	va_start(args, format);
	formatted_make(&f, format, args);
	va_end(args);
	tacho_message(f.text, f.len, severity, color);
	formatted_free(&f);
}

TACHO_API void tacho_message_literal(struct tacho_name *text, unsigned severity, uint32_t color)
{
	struct thread *t = thread_current();
	uint64_t words[2] = {message_word(severity, color),
			     __atomic_load_n(&text->id, __ATOMIC_RELAXED)};

	if (!t)
		return;
	if (!words[1])
		words[1] = tacho_name_register(text);
	record_emit(t, RING_MESSAGE_NAME, words, 2, NULL, 0);
}

static void message_format(struct formatted *f, const char *text, ...)
{
	va_list args;

	va_start(args, text);
	formatted_make(f, text, args);
	va_end(args);
}

/* Readers search for WORD anywhere. */
static void message_disarm(char *text, const char *word)
{
	while ((text = strstr(text, word)))
		text[2] = '-';
}

TACHO_API void tacho_signpost(const char *header, const char *message)
{
	struct formatted f;
	size_t i, head;

	if (!tacho_is_recording())
		return;
	if (!header)
		header = "";
	head = strlen("`TT_SIGNPOST: ") + strlen(header);
	message_format(&f, "`TT_SIGNPOST: %s%s%s`", header, message ? "\n" : "",
		       message ? message : "");
	for (i = 1; i < f.len; i++)
		if (f.text[i] == '`')
			f.text[i] = '\'';
		else if (i < head && (f.text[i] == '\n' || f.text[i] == '\r'))
			f.text[i] = ' ';
	message_disarm(f.text, "TT_DNN");
	message_disarm(f.text, "TT_METAL");
	f.text[f.len - 1] = '`'; /* also when it had to be cut */
	tacho_message(f.text, f.len, TACHO_INFO, 0);
	formatted_free(&f);
}

TACHO_API void tacho_app_info(const char *text, size_t len)
{
	struct thread *t = thread_current();

	kept_add(RING_APP_INFO, NULL, 0, text, len);
	if (t)
		record_emit(t, RING_APP_INFO, NULL, 0, text, len);
}
