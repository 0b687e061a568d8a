/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JSON writer. Commas and indentation are its business, balance is the caller's:
 *
 *	struct json j;
 *	json_init(&j, &buf);
 *	json_object(&j, NULL);
 *	json_string(&j, "name", name, len);
 *	json_array(&j, "values");
 *	json_double(&j, NULL, 1.5);
 *	json_end(&j);
 *	json_end(&j);
 *
 * KEY is NULL for the elements of an array and for the outermost value. What JSON has no word for
 * (NaN, infinities) becomes null; bytes that are not UTF-8 become U+FFFD. The text goes to a struct
 * buf: a caller with much to say writes it out and resets it between values.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buf.h"

#define JSON_DEPTH 32

struct json {
	struct buf *out;
	int depth;
	char closing[JSON_DEPTH]; /* '}' or ']' of the open ones */
	bool any[JSON_DEPTH];     /* has an element already */
	int flat;                 /* containers so deep and deeper are on one line; 0: none */
	int indent;               /* blanks per level; 0: one */
};

/* Begins one JSON value in OUT, which must outlive J. Errors of memory are in OUT->failed. */
void json_init(struct json *j, struct buf *out);
void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_end(struct json *j);
void json_string(struct json *j, const char *key, const char *text, size_t len);
void json_text(struct json *j, const char *key, const char *text); /* NULL is null */
void json_double(struct json *j, const char *key, double value);
void json_int(struct json *j, const char *key, int64_t value);
void json_uint(struct json *j, const char *key, uint64_t value);
/* A number that is spelled already; NULL is null. */
void json_number(struct json *j, const char *key, const char *digits);
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);

#endif
