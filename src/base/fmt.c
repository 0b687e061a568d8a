/* SPDX-License-Identifier: Apache-2.0 */
/* Format numbers for people and for files: durations, counts, sizes, shortest decimals. */
#include "base/fmt.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *fmt_ns(char *text, double ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	double value = fabs(ns);
	int unit = 0, decimals;
	size_t len;

	while (unit < 3 && value >= 999.9995) {
		value /= 1000;
		unit++;
	}
	decimals = unit == 0 ? 0 : value < 9.9995 ? 3 : value < 99.995 ? 2 : 1;
	if (value >= 1e10) {
		snprintf(text, FMT_SIZE, "%.3e s", copysign(value, ns));
		return text;
	}
	len = fmt_fixed(text, copysign(value, ns), decimals);
	text[len] = ' ';
	strcpy(text + len + 1, units[unit]);
	return text;
}

char *fmt_uint(char *text, uint64_t n)
{
	char digits[20];
	size_t len = 0;

	do
		digits[sizeof(digits) - ++len] = (char)('0' + n % 10);
	while (n /= 10);
	memcpy(text, digits + sizeof(digits) - len, len);
	text[len] = 0;
	return text;
}

char *fmt_int(char *text, int64_t n)
{
	if (n >= 0)
		return fmt_uint(text, (uint64_t)n);
	text[0] = '-';
	fmt_uint(text + 1, -(uint64_t)n);
	return text;
}

char *fmt_count(char *text, uint64_t n)
{
	char digits[FMT_SIZE];
	size_t len = strlen(fmt_uint(digits, n)), out = 0;

	for (size_t i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			text[out++] = ',';
		text[out++] = digits[i];
	}
	text[out] = 0;
	return text;
}

char *fmt_bytes(char *text, double bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	int unit = 0;

	while (unit < 4 && bytes >= 1024) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, FMT_SIZE, "%.*f %s", unit == 0 ? 0 : bytes < 10 ? 2 : 1, bytes, units[unit]);
	return text;
}

typedef unsigned __int128 u128;

/*
 * The shortest digits of a double in the range of everyday figures, by exact integer arithmetic:
 * the value is m * 2^e; times 10^k it has 17 digits before the point, and all of m * 10^k fits in
 * 128 bits. Of the numbers with 15, 16 and 17 digits that are nearest to it, the first that lies
 * within half a unit of m reads back as the same double. False outside of the range.
 */
static bool shortest_exact(double value, char *digits, int *exponent)
{
	int e, k, shift;
	uint64_t m;
	u128 twice, ten = 1, low, high;

	if (!(value >= 1e-5 && value < 1e15))
		return false;
	m = (uint64_t)ldexp(frexp(value, &e), 53);
	shift = 53 - e + 1; /* twice / 2^shift is value * 10^k */
	k = 16 - (int)floor(log10(value));
	if (m == 1ull << 52 || k > 21 || k < 0)
		return false;
	for (int i = 0; i < k; i++)
		ten *= 10;
	twice = 2 * m * ten;
	low = twice - ten;
	high = twice + ten;
	for (uint64_t q = 100; q >= 1; q /= 10) {
		u128 half = (u128)q << (shift - 1);
		uint64_t n = (uint64_t)((twice + half) >> shift) / q * q;
		u128 at = (u128)n << shift;

		if (at == twice + half && n / q % 2) { /* on a half: to even */
			n -= q;
			at -= 2 * half;
		}

		if (at > low && at < high) {
			int len = (int)strlen(fmt_uint(digits, n));

			/* Writes the digits of N without trailing zeros; the exponent is that of
			 * the first digit. */
			*exponent = len - 1 - k;
			while (len > 1 && digits[len - 1] == '0')
				digits[--len] = 0;
			return true;
		}
	}
	return false;
}

/* DIGITS has 24 bytes; VALUE is finite and not negative. */
static void fmt_shortest(double value, char *digits, int *exponent)
{
	char text[FMT_SIZE];
	int len = 0;

	if (shortest_exact(value, digits, exponent))
		return;
	/* Below the normal ones fewer digits may do. */
	for (int n = value < DBL_MIN ? 0 : 14; n <= 16; n++) {
		snprintf(text, sizeof(text), "%.*e", n, value);
		if (strtod(text, NULL) == value)
			break;
	}
	for (const char *p = text; *p != 'e'; p++)
		if (*p != '.')
			digits[len++] = *p;
	while (len > 1 && digits[len - 1] == '0')
		len--;
	digits[len] = 0;
	*exponent = atoi(strchr(text, 'e') + 1);
}

static char *fmt_put(char *to, const char *text, int len)
{
	memcpy(to, text, (size_t)len);
	to[len] = 0;
	return to + len;
}

/* Digits and exponent as text; POINT: whole numbers get a ".0". */
static void lay_out(char *text, const char *digits, int exponent, bool point)
{
	static const char zeros[] = "0000000000000000";
	int n = (int)strlen(digits), whole = exponent + 1;

	if (exponent < -4 || exponent >= 16) {
		sprintf(text, "%c%s%se%c%02d", digits[0], n > 1 ? "." : "", digits + 1,
			exponent < 0 ? '-' : '+', abs(exponent));
	} else if (exponent < 0) {
		text = fmt_put(text, "0.", 2);
		text = fmt_put(text, zeros, -whole);
		fmt_put(text, digits, n);
	} else if (n <= whole) {
		text = fmt_put(text, digits, n);
		text = fmt_put(text, zeros, whole - n);
		fmt_put(text, ".0", point ? 2 : 0);
	} else {
		text = fmt_put(text, digits, whole);
		text = fmt_put(text, ".", 1);
		fmt_put(text, digits + whole, n - whole);
	}
}

static char *format_shortest(char *text, double value, bool point)
{
	char digits[24];
	int exponent, sign = signbit(value) != 0;

	fmt_shortest(fabs(value), digits, &exponent);
	text[0] = '-';
	lay_out(text + sign, digits, exponent, point);
	return text;
}

char *fmt_double(char *text, double value)
{
	return isfinite(value) ? format_shortest(text, value, false) : NULL;
}

char *fmt_python(char *text, double value)
{
	if (isnan(value))
		return strcpy(text, "nan");
	if (isinf(value))
		return strcpy(text, value < 0 ? "-inf" : "inf");
	return format_shortest(text, value, true);
}

/* Inserts commas into the LEN digits of a whole number, from the end. */
static size_t add_commas(char *to, const char *digits, size_t len)
{
	size_t out = 0;

	for (size_t i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			to[out++] = ',';
		to[out++] = digits[i];
	}
	return out;
}

static size_t fixed_slow(char *text, double value, int decimals)
{
	char plain[FMT_FIXED_SIZE];
	size_t len = (size_t)snprintf(plain, sizeof(plain), "%.*f", decimals, value), whole;
	size_t sign = plain[0] == '-', out = sign;

	whole = strcspn(plain + sign, ".");
	text[0] = '-';
	if (isfinite(value))
		out += add_commas(text + out, plain + sign, whole);
	else
		whole = 0;
	memcpy(text + out, plain + sign + whole, len - sign - whole + 1);
	return out + len - sign - whole;
}

size_t fmt_fixed(char *text, double value, int decimals)
{
	static const unsigned scales[] = {1, 10, 100, 1000};
	char digits[24];
	double size = fabs(value);
	uint64_t n, whole;
	size_t out = 0, len = 0;
	double product, error, below, rest;

	if (!(size < 1e11))
		return fixed_slow(text, value, decimals);
	/*
	 * SIZE * 10^decimals rounded half to even as if computed exactly: the product's rounding
	 * error is known from a fused multiply-add, and only matters when the rounded product lies
	 * on a half.
	 */
	product = size * scales[decimals];
	error = fma(size, scales[decimals], -product);
	below = floor(product);
	rest = product - below;
	n = (uint64_t)below;
	if (rest > 0.5 || (rest == 0.5 && (error > 0 || (error == 0 && (n & 1)))))
		n++;
	whole = n / scales[decimals];
	n %= scales[decimals];
	if (signbit(value))
		text[out++] = '-';
	do
		digits[sizeof(digits) - ++len] = (char)('0' + whole % 10);
	while (whole /= 10);
	out += add_commas(text + out, digits + sizeof(digits) - len, len);
	if (decimals) {
		text[out] = '.';
		for (int i = decimals; i > 0; i--, n /= 10)
			text[out + (size_t)i] = (char)('0' + n % 10);
		out += (size_t)decimals + 1;
	}
	text[out] = 0;
	return out;
}
