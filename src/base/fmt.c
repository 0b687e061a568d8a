#include "base/fmt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

char *fmt_ns(char *text, double ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	double value = fabs(ns);
	int unit = 0;

	while (unit < 3 && value >= 999.9995) {
		value /= 1000;
		unit++;
	}
	if (unit == 0)
		snprintf(text, FMT_SIZE, "%.0f ns", ns);
	else
		snprintf(text, FMT_SIZE, "%s%.*f %s", ns < 0 ? "-" : "",
			 value < 9.9995 ? 3 : value < 99.995 ? 2 : 1, value, units[unit]);
	return text;
}

char *fmt_count(char *text, uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n), out = 0;

	for (int i = 0; i < len; i++) {
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

char *fmt_double(char *text, double value)
{
	if (!isfinite(value))
		return NULL;
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, FMT_SIZE, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	return text;
}
