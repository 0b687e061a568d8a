/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of op messages: "TT_DNN_DEVICE_OP: ...", signposts, replays, losses. */
#include "op/messages.h"

#include "base/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct op_messages {
	struct op_calls *calls;
	struct op_host *host;
	struct op_issues *issues;
	uint64_t line; /* of the next record */
	bool file;     /* a log: no other source reports losses */
};

static uint64_t count_lines(const char *p, const char *end)
{
	uint64_t n = 0;

	while ((p = memchr(p, '\n', (size_t)(end - p)))) {
		n++;
		p++;
	}
	return n;
}

/* A whole number, with blanks around it. */
static bool messages_number(const char *p, size_t len, int64_t *value)
{
	int64_t n = 0;
	size_t i = 0;
	bool negative, any = false;

	while (i < len && (p[i] == ' ' || p[i] == '\r' || p[i] == '\n'))
		i++;
	negative = i < len && p[i] == '-';
	for (i += negative; i < len && p[i] >= '0' && p[i] <= '9'; i++, any = true)
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, p[i] - '0', &n))
			return false;
	while (i < len && (p[i] == ' ' || p[i] == '\r' || p[i] == '\n'))
		i++;
	*value = negative ? -n : n;
	return any && i == len;
}

/*
 * The end of the field at AT: at ';' or the end of the line; of a quoted field, after its closing
 * backtick.
 */
static char *field_end(char *p, char *end)
{
	if (p < end && *p == '`') {
		char *quote = memchr(p + 1, '`', (size_t)(end - p - 1));

		while (quote && quote + 1 < end && quote[1] == '`')
			quote = memchr(quote + 2, '`', (size_t)(end - quote - 2));
		p = quote ? quote + 1 : end;
	}
	/* Text between the closing quote and the separator belongs to the field. */
	while (p < end && *p != ';' && *p != '\n' && *p != '\r')
		p++;
	return p;
}

/* Removes the quotes of a field, in place. */
static void messages_unquote(struct op_message *m)
{
	char *from = m->text + 1, *end = m->text + m->len, *to = from, *quote;

	if (!m->len || m->text[0] != '`')
		return;
	m->text = from;
	for (bool inside = true; from < end; from = quote + 1) {
		quote = memchr(from, '`', (size_t)(end - from));
		if (!quote)
			quote = end;
		memmove(to, from, (size_t)(quote - from));
		to += quote - from;
		if (!inside && quote < end)
			*to++ = '`';
		else if (quote + 1 < end && quote[1] == '`')
			*to++ = *quote++;
		else
			inside = false;
	}
	m->len = (size_t)(to - m->text);
}

static char *line_end(char *p, char *end)
{
	while (p < end && *p != '\n' && *p != '\r')
		p++;
	if (p < end && *p == '\r')
		p++;
	if (p < end && *p == '\n')
		p++;
	return p;
}

/*
 * The message at FROM lost its closing quote and would swallow the following ones: cut it where a
 * line begins like a message.
 */
static char *messages_recover(char *from, char *end, struct op_message *m)
{
	char *next = memmem(from + 1, (size_t)(end - from - 1), "\n`TT_", 5);
	char *stop = next ? next : end, *semicolon;
	int64_t ns;

	m->text = from + (*from == '`');
	m->len = (size_t)(stop - m->text);
	semicolon = memrchr(m->text, ';', m->len);
	if (semicolon && messages_number(semicolon + 1, (size_t)(stop - semicolon - 1), &ns) &&
	    ns >= 0) {
		m->ns = (uint64_t)ns;
		m->len = (size_t)(semicolon - m->text);
	}
	return next ? next + 1 : end;
}

/* A text without quotes may contain ';': the time follows the last one. */
static void late_time(struct op_message *m)
{
	const char *semicolon = memrchr(m->raw, ';', m->raw_len);
	int64_t ns;

	if (!semicolon)
		return;
	semicolon++;
	m->timed = messages_number(semicolon, m->raw_len - (size_t)(semicolon - m->raw), &ns) &&
		   ns >= 0;
	m->ns = m->timed ? (uint64_t)ns : 0;
}

bool op_message_next(struct op_message_reader *r, struct op_message *m)
{
	char *from, *p;
	int64_t ns = 0;

	while (r->at < r->end && (*r->at == '\n' || *r->at == '\r')) {
		r->line += *r->at == '\n';
		r->at++;
	}
	from = r->at;
	if (from >= r->end)
		return false;
	memset(m, 0, sizeof(*m));
	m->line = r->line;
	p = field_end(from, r->end);
	m->text = from;
	m->len = (size_t)(p - from);
	if (p < r->end && *p == ';') {
		char *time = p + 1;

		p = field_end(time, r->end);
		m->timed = messages_number(time, (size_t)(p - time), &ns) && ns >= 0;
		m->ns = m->timed ? (uint64_t)ns : 0;
	}
	m->raw = from;
	if (!m->timed && *from == '`') {
		p = messages_recover(from, r->end, m);
	} else {
		while (p < r->end && *p != '\n' && *p != '\r')
			p++;
		m->raw_len = (size_t)(p - from);
		if (!m->timed)
			late_time(m);
		p = line_end(p, r->end);
	}
	r->line += count_lines(from, p);
	if (m->timed)
		messages_unquote(m);
	r->at = p;
	return true;
}

static bool messages_contains(const struct op_message *m, const char *word)
{
	return memmem(m->text, m->len, word, strlen(word));
}

static bool messages_starts(const struct op_message *m, const char *word)
{
	return m->len >= strlen(word) && !memcmp(m->text, word, strlen(word));
}

static void messages_trim(const char **text, size_t *len)
{
	while (*len && (**text == ' ' || **text == '\n')) {
		(*text)++;
		(*len)--;
	}
	while (*len && ((*text)[*len - 1] == ' ' || (*text)[*len - 1] == '\n'))
		(*len)--;
}

static bool messages_same(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && !memcmp(text, word, len);
}

static bool hash_number(const char *p, size_t len, uint64_t *value)
{
	uint64_t n = 0;

	if (!len)
		return false;
	for (size_t i = 0; i < len; i++)
		if (p[i] < '0' || p[i] > '9' || __builtin_mul_overflow(n, 10u, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(p[i] - '0'), &n))
			return false;
	*value = n;
	return true;
}

/* "name", hash, device, hit, id: the head of an op message. The name is read even if the rest is
 * not: false. */
static bool parse_head(const struct op_message *m, size_t len, struct op_call *call)
{
	const char *colon = memchr(m->text, ':', len), *p, *end = m->text + len;
	const char *items[5] = {0};
	size_t lens[5] = {0};
	int64_t id = -1;
	int count = 0;

	*call = (struct op_call){.name = "", .hashed = true, .ns = m->ns, .line = m->line};
	if (!colon)
		return false;
	for (p = colon + 1; p <= end && count < 5; count++) {
		const char *comma = memchr(p, ',', (size_t)(end - p));

		items[count] = p;
		lens[count] = (size_t)((comma ? comma : end) - p);
		messages_trim(&items[count], &lens[count]);
		p = comma ? comma + 1 : end + 1;
	}
	call->name = items[0];
	call->name_len = lens[0];
	if (call->name_len >= 2 && call->name[0] == '"' && call->name[call->name_len - 1] == '"') {
		call->name++;
		call->name_len -= 2;
	}
	if (count < 4 || !hash_number(items[1], lens[1], &call->hash) ||
	    !messages_number(items[2], lens[2], &call->device) ||
	    !messages_number(items[count - 1], lens[count - 1], &id) || id < 0)
		return false;
	if (count > 4)
		call->hit = messages_same(items[3], lens[3], "1") ||
					    messages_same(items[3], lens[3], "true") ||
					    messages_same(items[3], lens[3], "True")
				    ? OP_HIT_TRUE
				    : OP_HIT_FALSE;
	call->id = (uint64_t)id;
	return true;
}

/* A message with a description of the op after " ->\n". The description counts, not the head. */
static int full_op(struct op_messages *s, const struct op_message *m, const char *arrow)
{
	const char *text = arrow + 4;
	struct tacho_error why = {0};
	const struct jread_value *json =
		jread_parse(&s->calls->json, text, m->len - (size_t)(text - m->text), &why);
	const struct jread_value *device;
	struct op_call call;
	bool headed = parse_head(m, (size_t)(arrow - m->text), &call);
	int64_t head_device = call.device;

	if (!json && why.code == TACHO_ENOMEM)
		return TACHO_ENOMEM;
	if (!json || json->type != JREAD_OBJECT)
		return op_calls_lost(s->calls, headed ? &call : NULL, m->line,
				     why.text[0] ? why.text : "the description is not an object");
	if (!jread_uint(jread_get(json, "global_call_count"), &call.id))
		return op_calls_lost(s->calls, headed ? &call : NULL, m->line,
				     "the description has no call count");
	device = jread_get(json, "device_id");
	if (!device || !jread_int(device, &call.device))
		call.device = OP_NONE;
	if (headed && call.device == OP_NONE) {
		op_issue_add(s->issues, OP_ISSUE_BAD_MESSAGE, TTLOG_DATA_FILE, m->line,
			     OP_AT((int64_t)call.id, head_device),
			     "the description has no device; the one of its head is taken");
		call.device = head_device;
	}
	call.hit = OP_HIT_UNKNOWN; /* the description has it */
	call.hashed = jread_uint(jread_get(json, "op_hash"), &call.hash);
	return op_calls_describe(s->calls, &call, json);
}

/* A message that refers to an earlier description by hash. */
static int cached_op(struct op_messages *s, const struct op_message *m)
{
	struct op_call call;

	if (parse_head(m, m->len, &call))
		return op_calls_refer(s->calls, &call);
	op_issue_add(s->issues, OP_ISSUE_BAD_MESSAGE, TTLOG_DATA_FILE, m->line, OP_NOWHERE,
		     "an op message without name, hash, device and id");
	return 0;
}

static int trace_message(struct op_messages *s, const struct op_message *m)
{
	const char *colon = memrchr(m->text, ':', m->len), *comma;
	const char *end = m->text + m->len;
	int64_t device = 0, trace = -1;

	comma = colon ? memchr(colon, ',', (size_t)(end - colon)) : NULL;
	if (!comma || !messages_number(colon + 1, (size_t)(comma - colon - 1), &device) ||
	    !messages_number(comma + 1, (size_t)(end - comma - 1), &trace))
		trace = -1;
	return op_calls_trace(s->calls, device, trace,
			      messages_contains(m, "REPLAY")  ? TRACE_OP_TRACE_REPLAY
			      : messages_contains(m, "BEGIN") ? TRACE_OP_TRACE_BEGIN
			      : messages_contains(m, "END")   ? TRACE_OP_TRACE_END
							      : TRACE_OP_TRACE_RELEASE,
			      m->ns, m->line);
}

/* Cells of the report have ';' instead of ','. */
static void replace_commas(char *text)
{
	while (text && (text = strchr(text, ',')))
		*text = ';';
}

/* The header is the text after the last ": ", as in other tools. */
static int messages_signpost(struct op_messages *s, const struct op_message *m)
{
	struct op_signpost post = {.ns = m->ns};
	const char *from = m->text, *end = m->text + m->len, *p, *line;

	while ((p = memmem(from, (size_t)(end - from), ": ", 2)))
		from = p + 2;
	line = memchr(from, '\n', (size_t)(end - from));
	post.header = strndup(from, (size_t)((line ? line : end) - from));
	if (line) {
		const char *second = line + 1;
		const char *stop = memchr(second, '\n', (size_t)(end - second));

		post.message = strndup(second, (size_t)((stop ? stop : end) - second));
	}
	replace_commas(post.header);
	replace_commas(post.message);
	if (!post.header || (line && !post.message) || vec_push(&s->host->signposts, post) < 0) {
		free(post.header);
		free(post.message);
		return TACHO_ENOMEM;
	}
	return 0;
}

static void messages_dropped(struct op_messages *s, const struct op_message *m)
{
	int64_t device = OP_NONE, x = OP_NONE, y = OP_NONE;
	char text[200], risc[32] = "";
	size_t len = m->len < sizeof(text) - 1 ? m->len : sizeof(text) - 1;
	const char *at;

	memcpy(text, m->text, len);
	text[len] = 0;
	at = strstr(text, "device ");
	if (at &&
	    sscanf(at, "device %" SCNd64 ", worker core %" SCNd64 ", %" SCNd64 ", Risc %31[^,]",
		   &device, &x, &y, risc) < 3)
		x = y = OP_NONE;
	op_issue_add(s->issues, OP_ISSUE_DROPPED, TTLOG_DATA_FILE, m->line,
		     OP_AT_CORE(OP_NONE, device, x, y),
		     "profiler buffers were full and markers were dropped%s%s; read the profiler "
		     "more often or raise the supported program count",
		     risc[0] ? ", RISC " : "", risc);
}

/* The figures of the op that it names cannot be trusted. */
static void messages_overwritten(struct op_messages *s, const struct op_message *m)
{
	int64_t device = OP_NONE, x = OP_NONE, y = OP_NONE, op = OP_NONE;
	char text[256], risc[32] = "";
	size_t len = m->len < sizeof(text) - 1 ? m->len : sizeof(text) - 1;
	unsigned long long markers = 0;
	const char *at;

	memcpy(text, m->text, len);
	text[len] = 0;
	at = strstr(text, "device ");
	if (!at || sscanf(at,
			  "device %" SCNd64 ", worker core %" SCNd64 ", %" SCNd64
			  ", Risc %31[^,], op %" SCNd64 ", %llu markers",
			  &device, &x, &y, risc, &op, &markers) != 6)
		return;
	op_issue_add(s->issues, OP_ISSUE_OVERWRITTEN, TTLOG_DATA_FILE, m->line,
		     OP_AT_CORE(op, device, x, y),
		     "a kernel has overwritten the profiler's buffers: %llu marker%s of %s cannot "
		     "be trusted, nor can the figures of the op",
		     markers, markers == 1 ? "" : "s", risc);
}

static int op_message(struct op_messages *s, const struct op_message *m)
{
	const char *arrow = memmem(m->text, m->len, " ->\n", 4);

	if (messages_starts(m, "TT_SIGNPOST")) {
		op_issue_add(s->issues, OP_ISSUE_ODD_SIGNPOST, TTLOG_DATA_FILE, m->line, OP_NOWHERE,
			     "a signpost that reads like an op message; taken as a signpost");
		return 0;
	}
	return arrow ? full_op(s, m, arrow) : cached_op(s, m);
}

static int messages_line(struct op_messages *s, const struct op_message *m)
{
	int r = 0;

	if (messages_contains(m, "TT_DNN") || messages_contains(m, "TT_METAL")) {
		if (messages_contains(m, "OP"))
			r = op_message(s, m);
		else if (messages_contains(m, "TRACE") &&
			 !messages_starts(m, "TT_METAL_TRACE_ENQUEUE_PROGRAM"))
			r = trace_message(s, m);
	}
	if (r == 0 && messages_contains(m, "TT_SIGNPOST"))
		r = messages_signpost(s, m);
	if (r == 0 && !messages_starts(m, "TT_SIGNPOST") &&
	    (messages_contains(m, "markers were dropped") ||
	     (s->file && messages_starts(m, "device ") && messages_contains(m, "found no room"))))
		messages_dropped(s, m);
	if (r == 0 && messages_starts(m, "Profiler buffers were overwritten"))
		messages_overwritten(s, m);
	return r;
}

int op_messages_open(struct op_messages **m, struct op_calls *calls, bool file, uint64_t line)
{
	*m = calloc(1, sizeof(**m));
	if (!*m)
		return TACHO_ENOMEM;
	(*m)->calls = calls;
	(*m)->host = calls->host;
	(*m)->issues = calls->issues;
	(*m)->file = file;
	(*m)->line = line;
	return 0;
}

int op_messages_add(struct op_messages *s, char *record, size_t len)
{
	struct op_message_reader reader = {.at = record, .end = record + len, .line = s->line};
	struct op_message m;
	int r = 0;

	while (r == 0 && op_message_next(&reader, &m)) {
		/* Messages of the program itself may have several lines; ignore them. */
		if (!m.timed && messages_contains(&m, "TT_"))
			op_issue_add(
				s->issues, OP_ISSUE_BAD_ROW, TTLOG_DATA_FILE, m.line, OP_NOWHERE,
				m.ns ? "a message lost its closing quote; it is read up to the next one"
				     : "a message without a time");
		r = messages_line(s, &m);
	}
	s->line = reader.line;
	return r;
}

void op_messages_close(struct op_messages *s)
{
	free(s);
}
