/* SPDX-License-Identifier: Apache-2.0 */
/* Private: the built-in files of the page; cmake/http.cmake generates the table. */
#ifndef HTTP_ASSETS_H
#define HTTP_ASSETS_H

#include <stddef.h>

struct asset {
	const char *path;       /* of the URL */
	const char *data, *end; /* gzip */
	const char *tag;
};

extern const struct asset assets[];
extern const size_t asset_count;

#endif
