/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The token that grants read access. It is created when the server starts and never stored;
 * http_rotate() replaces it.
 */
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
	pthread_mutex_unlock(&http->token_lock);
	server_drop_sockets(http);
	return 0;
}
