/* SPDX-License-Identifier: Apache-2.0 */
/*
 * WebSockets. Each has a thread that sleeps until the client sends something, there is news, or a
 * ping is due. A message is composed when it is sent, so a slow client gets fewer messages instead
 * of a growing backlog.
 */
#include "http/ws.h"
#include "base/jread.h"
#include "base/now.h"
#include "http/sha1.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wslay/wslay.h>

#define MESSAGE_MOST 65536u
#define QUEUE_MOST   (256u << 10) /* bytes pending for a client */
#define QUEUED_MOST  2048u        /* pending messages: answers to pings may be empty */
#define PING_MS      20000
#define SILENCE_MS   60000 /* without a word from the client, not even a pong */

/* The last state of a trace sent to the client. */
struct reported {
	uint64_t gen, meta;
	const char *state;
};

struct ws {
	struct http *http;
	int fd, event;
	pthread_t thread;
	wslay_event_context_ptr frames;
	const uint8_t *early; /* bytes received before the socket was ours */
	size_t early_len;
	uint8_t *early_memory;
	struct reported *reported; /* one per trace */
	bool follow;               /* the client wants every change */
	bool ended, stopping;
	int64_t heard, pinged; /* ms */
	void (*closed)(void *context);
	void *context;
};

bool ws_accept(const char *key, char accept[WS_ACCEPT])
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
	uint8_t hash[SHA1_BYTES + 1] = {0};
	char text[128];

	if (!key || strlen(key) != 24)
		return false;
	snprintf(text, sizeof(text), "%s%s", key, guid);
	sha1(text, strlen(text), hash);
	for (unsigned i = 0, n = 0; i < SHA1_BYTES; i += 3, n += 4) {
		uint32_t v = (uint32_t)hash[i] << 16 | (uint32_t)hash[i + 1] << 8 |
			     (i + 2 < SHA1_BYTES ? hash[i + 2] : 0);

		for (unsigned k = 0; k < 4; k++)
			accept[n + k] = digits[v >> (18 - 6 * k) & 63];
	}
	accept[27] = '=';
	accept[28] = 0;
	return true;
}

/* ------------------------------------------------------------------ frames */

static bool queue_is_full(const struct ws *ws)
{
	return wslay_event_get_queued_msg_length(ws->frames) >= QUEUE_MOST ||
	       wslay_event_get_queued_msg_count(ws->frames) >= QUEUED_MOST;
}

static ssize_t on_receive(wslay_event_context_ptr frames, uint8_t *to, size_t len, int flags,
			  void *context)
{
	struct ws *ws = context;
	ssize_t n;

	(void)flags;
	/* Each ping is answered: stop reading from a client that sends faster than it reads. */
	if (queue_is_full(ws)) {
		wslay_event_set_error(frames, WSLAY_ERR_WOULDBLOCK);
		return -1;
	}
	if (ws->early_len) {
		n = (ssize_t)(len < ws->early_len ? len : ws->early_len);
		memcpy(to, ws->early, (size_t)n);
		ws->early += n;
		ws->early_len -= (size_t)n;
		return n;
	}
	do
		n = recv(ws->fd, to, len, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n > 0) {
		ws->heard = now_ms();
		return n;
	}
	wslay_event_set_error(frames, n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
					      ? WSLAY_ERR_WOULDBLOCK
					      : WSLAY_ERR_CALLBACK_FAILURE);
	return -1;
}

static ssize_t on_send(wslay_event_context_ptr frames, const uint8_t *from, size_t len, int flags,
		       void *context)
{
	struct ws *ws = context;
	ssize_t n;

	(void)flags;
	do
		n = send(ws->fd, from, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		wslay_event_set_error(frames, errno == EAGAIN || errno == EWOULDBLOCK
						      ? WSLAY_ERR_WOULDBLOCK
						      : WSLAY_ERR_CALLBACK_FAILURE);
	return n;
}

/* Clients send only {"follow":bool}. Anything else is ignored. */
static void ws_message_handle(wslay_event_context_ptr frames,
			      const struct wslay_event_on_msg_recv_arg *m, void *context)
{
	const struct jread_value *follow;
	struct ws *ws = context;
	struct jread reader = {0};

	(void)frames;
	if (m->opcode != WSLAY_TEXT_FRAME)
		return;
	follow = jread_get(jread_parse(&reader, (const char *)m->msg, m->msg_length, NULL),
			   "follow");
	if (follow && (follow->type == JREAD_TRUE || follow->type == JREAD_FALSE))
		ws->follow = follow->type == JREAD_TRUE;
	jread_free(&reader);
}

static void ws_send_text(struct ws *ws, struct buf *text)
{
	struct wslay_event_msg m = {.opcode = WSLAY_TEXT_FRAME,
				    .msg = (const uint8_t *)text->data,
				    .msg_length = text->len};

	if (!text->failed)
		wslay_event_queue_msg(ws->frames, &m);
	buf_reset(text);
}

static void trace_notify(struct ws *ws, unsigned id, struct reported *reported, struct buf *text)
{
	struct view_now now = view_now(ws->http->view, id);

	if (!now.state)
		return;
	if (!reported->state || strcmp(now.state, reported->state)) {
		buf_addf(text, "{\"state\":{\"id\":%u,\"state\":\"%s\"}}", id, now.state);
		ws_send_text(ws, text);
	}
	if (now.meta != reported->meta) {
		buf_addf(text, "{\"meta\":{\"id\":%u}}", id);
		ws_send_text(ws, text);
	}
	if (now.gen != reported->gen && ws->follow) {
		buf_addf(text,
			 "{\"live\":{\"id\":%u,\"gen\":%llu,\"duration\":%lld,\"zones\":%llu,"
			 "\"dropped\":%llu}}",
			 id, (unsigned long long)now.gen, (long long)now.duration,
			 (unsigned long long)now.zones, (unsigned long long)now.dropped);
		ws_send_text(ws, text);
		reported->gen = now.gen;
	}
	reported->meta = now.meta;
	reported->state = now.state;
}

static void ws_notify(struct ws *ws)
{
	struct buf text = BUF_INIT;

	/* A client that does not read gets the newest state once it does. */
	if (wslay_event_get_queued_msg_length(ws->frames) > QUEUE_MOST / 2)
		return;
	for (size_t i = 0; i < view_count(ws->http->view); i++)
		trace_notify(ws, (unsigned)i, &ws->reported[i], &text);
	buf_free(&text);
}

/* ------------------------------------------------------------------ thread */

static bool ws_is_open(struct ws *ws)
{
	return !ws->stopping &&
	       (wslay_event_want_read(ws->frames) || wslay_event_want_write(ws->frames)) &&
	       !queue_is_full(ws) && now_ms() - ws->heard < SILENCE_MS;
}

static void *ws_run(void *context)
{
	struct ws *ws = context;
	int r = 0;

	ws_notify(ws);
	while (ws_is_open(ws)) {
		struct pollfd fds[2] = {{.fd = ws->fd}, {.fd = ws->event, .events = POLLIN}};
		bool early = ws->early_len;

		if (wslay_event_want_read(ws->frames))
			fds[0].events |= POLLIN;
		if (wslay_event_want_write(ws->frames))
			fds[0].events |= POLLOUT;
		if (poll(fds, 2, early ? 0 : 1000) < 0 && errno != EINTR)
			break;
		if (fds[1].revents) {
			uint64_t n;

			if (read(ws->event, &n, sizeof(n)) < 0 && errno != EAGAIN)
				ws->stopping = true;
			ws_notify(ws);
		}
		if (now_ms() - ws->pinged > PING_MS) {
			struct wslay_event_msg m = {.opcode = WSLAY_PING};

			ws->pinged = now_ms();
			wslay_event_queue_msg(ws->frames, &m);
		}
		if (fds[0].revents & (POLLIN | POLLHUP | POLLERR) || early)
			r = wslay_event_recv(ws->frames);
		if (r == 0 && wslay_event_want_write(ws->frames))
			r = wslay_event_send(ws->frames);
		if (r != 0)
			break;
	}
	if (r == 0 && wslay_event_queue_close(ws->frames, WSLAY_CODE_GOING_AWAY, NULL, 0) == 0)
		wslay_event_send(ws->frames);
	ws->closed(ws->context);
	return NULL;
}

static void ws_free(struct ws *ws)
{
	if (ws->frames)
		wslay_event_context_free(ws->frames);
	if (ws->event >= 0)
		close(ws->event);
	free(ws->early_memory);
	free(ws->reported);
	free(ws);
}

static int ws_prepare(struct ws *ws, const void *extra, size_t len)
{
	static const struct wslay_event_callbacks callbacks = {
		.recv_callback = on_receive,
		.send_callback = on_send,
		.on_msg_recv_callback = ws_message_handle,
	};

	ws->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ws->reported = calloc(view_count(ws->http->view) + 1, sizeof(*ws->reported));
	ws->early_memory = malloc(len + 1);
	if (ws->event < 0 || !ws->reported || !ws->early_memory ||
	    wslay_event_context_server_init(&ws->frames, &callbacks, ws))
		return TACHO_ENOMEM;
	wslay_event_config_set_max_recv_msg_length(ws->frames, MESSAGE_MOST);
	if (len)
		memcpy(ws->early_memory, extra, len);
	ws->early = ws->early_memory;
	ws->early_len = len;
	ws->follow = true;
	ws->heard = ws->pinged = now_ms();
	return 0;
}

struct ws *ws_start(struct http *http, int fd, const void *extra, size_t extra_len,
		    void (*closed)(void *context), void *context)
{
	struct ws *ws = calloc(1, sizeof(*ws));

	if (!ws)
		return NULL;
	ws->http = http;
	ws->fd = fd;
	ws->event = -1;
	ws->closed = closed;
	ws->context = context;
	if (ws_prepare(ws, extra, extra_len) < 0 || pthread_create(&ws->thread, NULL, ws_run, ws)) {
		ws_free(ws);
		return NULL;
	}
	return ws;
}

void ws_wake(struct ws *ws)
{
	uint64_t one = 1;

	if (write(ws->event, &one, sizeof(one)) < 0)
		return; /* already awake */
}

void ws_stop(struct ws *ws)
{
	shutdown(ws->fd, SHUT_RD);
	ws_wake(ws);
	pthread_join(ws->thread, NULL);
	ws_free(ws);
}
