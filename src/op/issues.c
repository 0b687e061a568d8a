/* SPDX-License-Identifier: Apache-2.0 */
/* Collects problems in the inputs of a report and writes report_issues.csv. */
#include "op/issues.h"

#include "base/buf.h"
#include "base/csv.h"
#include "base/limits.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

static const struct {
	const char *word;
	bool damage;
} kinds[] = {
#define X(kind, word, damage) {word, damage},
	OP_ISSUES(X)
#undef X
};

const char *op_issue_word(enum op_issue_kind kind)
{
	return kinds[kind].word;
}

bool op_issue_is_damage(enum op_issue_kind kind)
{
	return kinds[kind].damage;
}

void op_issue_add(struct op_issues *issues, enum op_issue_kind kind, const char *file,
		  uint64_t line_number, struct op_place place, const char *format, ...)
{
	struct op_issue issue = {.kind = kind, .place = place};
	struct buf text = BUF_INIT;
	char line[600];
	va_list ap;

	if (kind == OP_ISSUE_OVERWRITTEN && place.op != OP_NONE &&
	    map_set(&issues->unreliable, (uint64_t)place.op, 1) < 0)
		issues->failed = true;
	if (issues->counts[kind]++ >= LIMIT_OPS_ISSUES)
		return;
	if (!issues->of_trace) {
		issue.file = file;
		issue.line = line_number;
	}
	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	buf_adds(&text, line);
	issue.text = buf_detach(&text);
	if (!issue.text || vec_push(issues, issue) < 0) {
		free(issue.text);
		issues->failed = true;
	}
}

bool op_issues_unreliable(const struct op_issues *issues, uint64_t op)
{
	return map_get(&issues->unreliable, op) != NULL;
}

uint64_t op_issues_damage(const struct op_issues *issues)
{
	uint64_t n = 0;

	for (int k = 0; k < OP_ISSUE_KINDS; k++)
		if (kinds[k].damage)
			n += issues->counts[k];
	return n;
}

uint64_t op_issues_total(const struct op_issues *issues)
{
	uint64_t n = 0;

	for (int k = 0; k < OP_ISSUE_KINDS; k++)
		n += issues->counts[k];
	return n;
}

static void issues_number_add(struct buf *b, int64_t value)
{
	buf_addc(b, ',');
	if (value != OP_NONE)
		buf_addf(b, "%" PRId64, value);
}

int op_issues_write(const struct op_issues *issues, FILE *out)
{
	struct buf b = BUF_INIT;
	int r;

	buf_adds(&b, "kind,damage,file,line,op,device,core_x,core_y,text\n");
	for (size_t i = 0; i < issues->n; i++) {
		const struct op_issue *issue = &issues->v[i];

		buf_addf(&b, "%s,%s,%s,", kinds[issue->kind].word,
			 kinds[issue->kind].damage ? "yes" : "no", issue->file ? issue->file : "");
		if (issue->line)
			buf_addf(&b, "%" PRIu64, issue->line);
		issues_number_add(&b, issue->place.op);
		issues_number_add(&b, issue->place.device);
		issues_number_add(&b, issue->place.core_x);
		issues_number_add(&b, issue->place.core_y);
		buf_addc(&b, ',');
		csv_add(&b, issue->text, strlen(issue->text));
		buf_addc(&b, '\n');
	}
	r = b.failed ? TACHO_ENOMEM : fwrite(b.data, 1, b.len, out) < b.len ? TACHO_EWRITE : 0;
	buf_free(&b);
	return r;
}

void op_issues_free(struct op_issues *issues)
{
	for (size_t i = 0; i < issues->n; i++)
		free(issues->v[i].text);
	vec_free(issues);
	map_free(&issues->unreliable);
	memset(issues, 0, sizeof(*issues));
}
