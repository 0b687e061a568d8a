/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The token that grants read access. It is created when the server starts and never stored;
 * http_rotate() replaces it.
 */
#include "base/now.h"
#include "http/private.h"

#include <string.h>
#include <sys/random.h>

int token_make(char *token)
{
	uint8_t random[(HTTP_TOKEN - 1) / 2];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return TACHO_EINTERNAL;
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(token + 2 * i, 3, "%02x", random[i]);
	return 0;
}

int http_rotate(struct http *http)
{
	char token[HTTP_TOKEN];
	int r = token_make(token);

	if (r < 0)
		return r;
	pthread_mutex_lock(&http->token_lock);
	memcpy(http->token, token, sizeof(token));
	http->shared[0] = 0;
	pthread_mutex_unlock(&http->token_lock);
	server_drop_sockets(http);
	return 0;
}

int http_share(struct http *http, double seconds, char token[HTTP_TOKEN_TEXT])
{
	int r = token_make(token);

	if (r < 0)
		return r;
	pthread_mutex_lock(&http->token_lock);
	memcpy(http->shared, token, HTTP_TOKEN);
	http->shared_until = now_seconds() + seconds;
	pthread_mutex_unlock(&http->token_lock);
	return 0;
}

void http_share_check(struct http *http)
{
	bool ends;

	pthread_mutex_lock(&http->token_lock);
	ends = http->shared[0] && now_seconds() >= http->shared_until;
	if (ends)
		http->shared[0] = 0;
	pthread_mutex_unlock(&http->token_lock);
	if (ends)
		server_drop_sockets(http); /* clients with the other token reconnect */
}
