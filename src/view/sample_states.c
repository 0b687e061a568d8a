/* SPDX-License-Identifier: Apache-2.0 */
/* What threads did: ran, waited for a CPU, for a lock ...; in all their time or inside of zones. */
#include "view/lock_timeline.h"
#include "view/sample_query.h"

#include <string.h>

static void states_list_put(struct json *j, const char *key, const double *ns)
{
	json_array(j, key);
	for (int i = 0; i < PROFILE_STATES; i++)
		json_double(j, NULL, ns[i]);
	json_end(j);
}

static int states_put(struct view_call *c, struct sample_query *q, double *lock_ns)
{
	double total[PROFILE_STATES] = {0};
	struct json *j = &c->json;
	struct profile_thread t;
	uint64_t samples = 0;
	int r = 0;

	json_array(j, "states");
	for (int i = 0; i < PROFILE_STATES; i++)
		json_text(j, NULL, profile_state_names[i]);
	json_end(j);
	json_text(j, "event", trace_property(c->trace, "sampling event"));
	json_array(j, "threads");
	for (uint32_t i = 0; r == 0 && i < c->trace->track_count; i++) {
		double all = 0;

		if (c->trace->tracks[i].kind != TRACE_THREAD || (q->tracks && !q->tracks[i]))
			continue;
		r = profile_thread_states(q->p, &q->filter, i, &t, lock_ns);
		for (int k = 0; k < PROFILE_STATES; k++)
			all += t.ns[k];
		if (r < 0 || (!t.samples && !t.runs && all <= 0))
			continue;
		json_object(j, NULL);
		json_uint(j, "track", t.track);
		states_list_put(j, "ns", t.ns);
		json_uint(j, "samples", t.samples);
		json_double(j, "sampled", t.sampled_ns);
		json_uint(j, "runs", t.runs);
		json_uint(j, "moves", t.migrations);
		json_end(j);
		samples += t.samples;
		for (int k = 0; k < PROFILE_STATES; k++)
			total[k] += t.ns[k];
		if (call_gone(c))
			break;
	}
	json_end(j);
	states_list_put(j, "total", total);
	json_uint(j, "samples", samples);
	j = &c->json;
	json_array(j, "locks");
	for (uint32_t i = 0; i < c->trace->track_count; i++) {
		const char *name;

		if (lock_ns[i] <= 0)
			continue;
		name = lock_name(c->trace, i);
		json_object(j, NULL);
		json_uint(j, "track", i);
		json_cut(j, "name", name, strlen(name), VIEW_TEXT);
		json_double(j, "ns", lock_ns[i]);
		json_end(j);
	}
	json_end(j);
	return r;
}

int call_states(struct view_call *c)
{
	double *lock_ns = calloc(c->trace->track_count + 1, sizeof(*lock_ns));
	struct sample_query q = {0};
	int r = lock_ns ? sample_query_open(c, arg_range_keys, &q) : TACHO_ENOMEM;

	if (r == 0) {
		call_begin(c);
		r = states_put(c, &q, lock_ns);
		json_end(&c->json);
	}
	sample_query_close(&q);
	free(lock_ns);
	return r;
}
