/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP: requests in, answers out. Each connection has a thread, so a long answer delays no other.
 */
#include "http/server.h"
#include "base/now.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

struct exchange {
	char *target;
	bool called; /* its head was received */
};

/* Called first for a request, with its request line. */
static void *on_target(void *context, const char *target, struct MHD_Connection *con)
{
	struct exchange *x = calloc(1, sizeof(*x));

	connection_phase(context, connection_of(con), COMING);
	if (x)
		x->target = strdup(target);
	return x;
}

static void on_completed(void *context, struct MHD_Connection *con, void **request,
			 enum MHD_RequestTerminationCode why)
{
	struct exchange *x = *request;

	(void)why;
	if (x)
		free(x->target);
	free(x);
	*request = NULL;
	connection_phase(context, connection_of(con), WAITING);
}

static bool socket_gone(void *context)
{
	int fd = *(const int *)context;
	char byte;
	ssize_t n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

	return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

static const char *server_header(struct MHD_Connection *con, const char *name)
{
	return MHD_lookup_connection_value(con, MHD_HEADER_KIND, name);
}

static void server_add(struct MHD_Response *r, const char *name, const char *value)
{
	if (value && *value)
		MHD_add_response_header(r, name, value);
}

/* The response now owns the descriptor. */
static struct MHD_Response *response_of_file(FILE *file)
{
	int fd = fflush(file) ? -1 : dup(fileno(file));
	struct MHD_Response *response = NULL;
	struct stat st;

	fclose(file);
	if (fd >= 0 && fstat(fd, &st) == 0)
		response = MHD_create_response_from_fd((uint64_t)st.st_size, fd);
	if (!response && fd >= 0)
		close(fd);
	return response;
}

static enum MHD_Result reply_send(struct MHD_Connection *con, struct http_reply *reply)
{
	struct MHD_Response *response;
	enum MHD_Result result;
	char text[128];

	if (reply->file)
		response = response_of_file(reply->file);
	else if (reply->body_static)
		response = MHD_create_response_from_buffer(reply->body_len,
							   (void *)(uintptr_t)reply->body_static,
							   MHD_RESPMEM_PERSISTENT);
	else if (reply->body.cap)
		response = MHD_create_response_from_buffer(reply->body.len, reply->body.data,
							   MHD_RESPMEM_MUST_FREE);
	else
		response = MHD_create_response_from_buffer(0, buf_empty, MHD_RESPMEM_PERSISTENT);
	if (!response) {
		buf_free(&reply->body);
		return MHD_NO;
	}
	server_add(response, "Content-Type", reply->type);
	server_add(response, "Content-Encoding",
		   reply->gzip      ? "gzip"
		   : reply->deflate ? "deflate"
				    : NULL);
	server_add(response, "Cache-Control", reply->cache ? reply->cache : "no-store");
	server_add(response, "ETag", reply->etag);
	server_add(response, "Location", reply->location);
	server_add(response, "Set-Cookie", reply->cookie);
	server_add(
		response, "Content-Security-Policy",
		"default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
		"connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
		"frame-ancestors 'none'");
	server_add(response, "X-Content-Type-Options", "nosniff");
	server_add(response, "Referrer-Policy", "no-referrer");
	server_add(response, "Cross-Origin-Opener-Policy", "same-origin");
	server_add(response, "Cross-Origin-Resource-Policy", "same-origin");
	if (reply->status == 405)
		server_add(response, "Allow", "GET, POST");
	if (reply->attachment[0]) {
		snprintf(text, sizeof(text), "attachment; filename=\"%s\"", reply->attachment);
		server_add(response, "Content-Disposition", text);
	}
	result = MHD_queue_response(con, (unsigned)reply->status, response);
	MHD_destroy_response(response);
	return result;
}

static bool has_body(struct MHD_Connection *con)
{
	const char *length = server_header(con, "Content-Length");

	return server_header(con, "Transfer-Encoding") || (length && strcmp(length, "0"));
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *con, const char *url,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_size, void **request)
{
	struct server *s = context;
	struct exchange *x = *request;
	struct connection *c = connection_of(con);
	struct http_request in = {.method = method, .target = x ? x->target : NULL};
	struct http_reply reply;
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(con, MHD_CONNECTION_INFO_CONNECTION_FD);
	int fd = info ? info->connect_fd : -1;

	(void)url, (void)version, (void)upload, (void)upload_size;
	if (!in.target || !c)
		return MHD_NO;
	/*
	 * Replying before the end of the request closes the connection: right if there is a body.
	 */
	if (!x->called && !has_body(con)) {
		x->called = true;
		return MHD_YES;
	}
	connection_phase(s, c, WORKING);
	in.host = server_header(con, "Host");
	in.origin = server_header(con, "Origin");
	in.fetch_site = server_header(con, "Sec-Fetch-Site");
	in.cookie = server_header(con, "Cookie");
	in.authorization = server_header(con, "Authorization");
	in.if_none_match = server_header(con, "If-None-Match");
	in.upgrade = server_header(con, "Upgrade");
	in.ws_key = server_header(con, "Sec-WebSocket-Key");
	in.ws_version = server_header(con, "Sec-WebSocket-Version");
	http_answer(s->http, &in, &reply, socket_gone, &fd);
	if (reply.status == 200 && !strncmp(in.target, "/api/", 5))
		connection_known(s, c);
	connection_phase(s, c, SENDING);
	if (reply.status == 101 && !sockets_full(s))
		return socket_answer(s, con, &reply);
	/* A page that is admitted and disconnected at once would reconnect at once. */
	if (reply.status == 101) {
		static const char full[] =
			"{\"error\":\"there are too many WebSockets already\"}\n";

		reply.status = 503;
		reply.type = "application/json";
		reply.body_static = full;
		reply.body_len = strlen(full);
	}
	return reply_send(con, &reply);
}

/* ------------------------------------------------------------------- port */

static int server_listen(const struct http_options *o, uint16_t *port, int *fd,
			 struct tacho_error *err)
{
	const char *bind_to = o->bind ? o->bind : "127.0.0.1";
	struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(*port)};
	struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(*port)};
	bool is_four = inet_pton(AF_INET, bind_to, &four.sin_addr) == 1;
	struct sockaddr *address = is_four ? (struct sockaddr *)&four : (struct sockaddr *)&six;
	socklen_t len = is_four ? sizeof(four) : sizeof(six);
	int one = 1, s;

	if (!is_four && inet_pton(AF_INET6, bind_to, &six.sin6_addr) != 1)
		return err_set(err, TACHO_EUSAGE, "--bind: %s is not an address", bind_to);
	s = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s < 0)
		return err_errno(err, TACHO_ECONNECT, "cannot make a socket");
	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(s, address, len) < 0 || listen(s, 64) < 0 || getsockname(s, address, &len) < 0) {
		int r = errno == EADDRINUSE ? TACHO_EEXISTS : TACHO_ECONNECT;

		err_errno(err, r, "cannot listen on %s port %u", bind_to, *port);
		close(s);
		return r;
	}
	*port = ntohs(is_four ? four.sin_port : six.sin6_port);
	*fd = s;
	return 0;
}

static struct MHD_Daemon *daemon_start(struct server *s, int fd)
{
	return MHD_start_daemon(
		MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL |
			MHD_ALLOW_UPGRADE,
		0, NULL, NULL, on_request, s, MHD_OPTION_LISTEN_SOCKET, fd,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)65536,
		MHD_OPTION_THREAD_STACK_SIZE, (size_t)1 << 20, MHD_OPTION_NOTIFY_CONNECTION,
		connection_event, s, MHD_OPTION_NOTIFY_COMPLETED, on_completed, s,
		MHD_OPTION_URI_LOG_CALLBACK, on_target, s, MHD_OPTION_END);
}

static void on_growth(void *http)
{
	server_wake(http);
}

static bool is_watched(void *http, double seconds)
{
	return server_is_watched(http, seconds);
}

int http_open(struct http **http, struct view *view, const struct http_options *options,
	      struct tacho_error *err)
{
	struct http *h = calloc(1, sizeof(*h));
	int r = h ? token_make(h->token) : TACHO_ENOMEM;

	if (r < 0) {
		free(h);
		return err_set(err, r, "cannot start the viewer: %s", err_text(r));
	}
	h->view = view;
	h->options = *options;
	pthread_mutex_init(&h->token_lock, NULL);
	*http = h;
	return 0;
}

void http_close(struct http *http)
{
	if (!http)
		return;
	view_follow_stop(http->view);
	server_stop(http);
	pthread_mutex_destroy(&http->token_lock);
	free(http);
}

int http_start(struct http *http, uint16_t port, struct tacho_error *err)
{
	struct server *s = calloc(1, sizeof(*s));
	int fd = -1, r;

	if (!s)
		return err_set(err, TACHO_ENOMEM, "%s", err_text(TACHO_ENOMEM));
	s->port = port;
	r = server_listen(&http->options, &s->port, &fd, err);
	if (r < 0) {
		free(s);
		return r;
	}
	s->http = http;
	s->last = now_seconds();
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->wake, NULL);
	http->server = s;
	s->daemon = daemon_start(s, fd);
	if (!s->daemon) {
		close(fd);
		free(s);
		http->server = NULL;
		return err_set(err, TACHO_ECONNECT, "cannot start the server");
	}
	if (pthread_create(&s->watchman, NULL, connections_watch, s)) {
		MHD_stop_daemon(s->daemon);
		free(s);
		http->server = NULL;
		return err_set(err, TACHO_ENOMEM, "cannot start the server");
	}
	r = view_follow(http->view, &(struct view_listener){on_growth, is_watched, http});
	return r < 0 ? err_set(err, r, "cannot start the server") : 0;
}

void server_stop(struct http *http)
{
	struct server *s = http->server;

	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->stopping = true;
	for (struct connection *c = s->connections; c; c = c->next)
		if (c->fd >= 0)
			shutdown(c->fd, SHUT_RDWR);
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->watchman, NULL);
	sockets_end(s, true);
	MHD_stop_daemon(s->daemon);
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->wake);
	free(s);
	http->server = NULL;
}

uint16_t http_port(const struct http *http)
{
	return http->server ? http->server->port : 0;
}

double http_idle(struct http *http)
{
	struct server *s = http->server;
	double idle;

	pthread_mutex_lock(&s->lock);
	idle = now_seconds() - s->last;
	for (struct connection *c = s->connections; c; c = c->next)
		if (c->phase == WORKING || c->phase == SENDING)
			idle = 0;
	if (sockets_open(s))
		idle = 0;
	pthread_mutex_unlock(&s->lock);
	return idle;
}

const char *http_token(const struct http *http)
{
	return http->token;
}
