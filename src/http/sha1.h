/* SPDX-License-Identifier: Apache-2.0 */
/* Private: SHA-1, which the WebSocket handshake requires. Not for secrets. */
#ifndef HTTP_SHA1_H
#define HTTP_SHA1_H

#include <stddef.h>
#include <stdint.h>

#define SHA1_BYTES 20u

/* For the handshake of WebSockets only: SHA-1 is not secure. */
void sha1(const void *bytes, size_t len, uint8_t hash[SHA1_BYTES]);

#endif
