/* SPDX-License-Identifier: Apache-2.0 */
/* ops_view FILE asks the viewer once for the ops of a trace: for ops.sh, which counts the cost. */
#include "view_ask.h"

int main(int argc, char **argv)
{
	struct tacho_error err = {0};
	struct view_answer answer;
	struct view *view;

	if (argc != 2) {
		fprintf(stderr, "usage: ops_view FILE\n");
		return 2;
	}
	if (view_open(&view, &(struct view_options){0}, &err) < 0 ||
	    view_add(view, argv[1], &err) < 0) {
		fprintf(stderr, "ops_view: %s\n", err.text);
		return 1;
	}
	if (view_ask_text(view, "ops?n=100", &answer) != VIEW_OK) {
		fprintf(stderr, "ops_view: %s\n", answer.body.data);
		return 1;
	}
	printf("%zu bytes\n", answer.body.len);
	buf_free(&answer.body);
	view_close(view);
	return 0;
}
