/* SPDX-License-Identifier: Apache-2.0 */
/* What the client writes to its ring, word by word. */
#include "unit/client_session.h"

#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>

static struct ring_view view;
static struct stream meta, mine;

/* Ends the recording and reads what the process's first thread wrote. */
static void session_finish(unsigned n)
{
	session_stop();
	assert_true(view_open(&view, getpid(), n));
	meta = stream_read(&view, 0);
	mine = stream_read(&view, 1);
}

static void session_clean(void)
{
	stream_free(&meta);
	stream_free(&mine);
	view_close(&view);
	session_remove();
}

static void zone_emit(void)
{
	TACHO_ZONE_C("a zone", 0x123456);
}

static void zones_are_two_words(void **state)
{
	const char *name;

	(void)state;
	session_start(0, RING_DROP);
	assert_true(tacho_is_recording());
	zone_emit();
	zone_emit();
	session_finish(0);
	zone_emit(); /* nobody records any more */
	assert_int_equal(mine.count, 4);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(mine.events[i].kind, i % 2 ? RING_END : RING_BEGIN);
		assert_int_equal(mine.events[i].id, mine.events[0].id);
		assert_true(i == 0 || mine.events[i].ticks >= mine.events[i - 1].ticks);
	}
	name = name_announced(&meta, RING_SRCLOC, mine.events[0].id);
	assert_non_null(name);
	assert_string_equal(name, "a zone");
	assert_string_equal(name + strlen(name) + 1, "zone_emit");
	assert_int_equal(view.header->threads, 1);
	assert_int_equal(view_page(&view, 1)->lost_zones, 0);
	session_clean();
}

static const struct seen *event_only(unsigned type)
{
	const struct seen *found = NULL;

	for (size_t i = 0; i < mine.count; i++)
		if (mine.events[i].kind == RING_RECORD && mine.events[i].type == type) {
			assert_null(found);
			found = &mine.events[i];
		}
	assert_non_null(found);
	return found;
}

static void expect_payload(unsigned type, const uint64_t *words, unsigned count)
{
	const struct seen *e = event_only(type);

	assert_int_equal(e->count, count);
	assert_memory_equal(e->words, words, count * sizeof(*words));
}

static void expect_text(unsigned type, unsigned at, const char *text)
{
	const struct seen *e = event_only(type);

	assert_int_equal(e->words[at], strlen(text));
	assert_memory_equal(&e->words[at + 1], text, strlen(text));
	assert_int_equal(e->count, at + 1 + (strlen(text) + 7) / 8);
}

static void records_hold_what_was_given(void **state)
{
	static struct tacho_lock lock = TACHO_LOCK_INIT("a lock");
	double half = 0.5;
	uint64_t half_bits;
	const struct seen *e;

	(void)state;
	memcpy(&half_bits, &half, sizeof(half_bits));
	session_start(0, RING_DROP);
	{
		TACHO_ZONE_AS(z, "attached", 0);
		tacho_zone_textf(z, "text %d", 1);
		tacho_zone_name(z, "name", 4);
		tacho_zone_color(z, 0xff112233);
		tacho_zone_value(z, 77);
	}
	tacho_message("a message", 9, TACHO_ERROR, 0x010203);
	TACHO_MESSAGE_C("a literal", TACHO_WARNING, 0x040506);
	tacho_frame_start("frame");
	TACHO_PLOT("plot", -5);
	tacho_plot_float("plot", 0.5f);
	tacho_alloc("pool", (void *)0x1000, 64);
	tacho_free(NULL, (void *)0x2000);
	tacho_lock_event(&lock, TACHO_LOCK_OBTAIN_SHARED);
	tacho_lock_name(&lock, "renamed", 7);
	tacho_lock_gone(&lock);
	tacho_fiber_enter("fiber");
	tacho_fiber_leave();
	session_finish(0);

	e = event_only(RING_ZONE_TEXT);
	assert_int_equal(e->words[0], mine.events[0].id);
	expect_text(RING_ZONE_TEXT, 1, "text 1");
	expect_text(RING_ZONE_NAME, 1, "name");
	expect_payload(RING_ZONE_COLOR, (uint64_t[]){mine.events[0].id, 0x112233}, 2);
	expect_payload(RING_ZONE_VALUE, (uint64_t[]){mine.events[0].id, 77}, 2);
	assert_true(event_only(RING_MESSAGE)->words[0] == (0x010203 | (uint64_t)TACHO_ERROR << 32));
	expect_text(RING_MESSAGE, 1, "a message");
	e = event_only(RING_MESSAGE_NAME);
	assert_true(e->words[0] == (0x040506 | (uint64_t)TACHO_WARNING << 32));
	assert_string_equal(name_announced(&meta, RING_NAME, e->words[1]), "a literal");
	e = event_only(RING_FRAME);
	assert_string_equal(name_announced(&meta, RING_NAME, e->words[0]), "frame");
	assert_int_equal(e->words[1], RING_FRAME_START);
	e = event_only(RING_PLOT_INT);
	assert_true((int64_t)e->words[1] == -5);
	expect_payload(RING_PLOT_REAL, (uint64_t[]){e->words[0], half_bits}, 2);
	e = event_only(RING_ALLOC);
	assert_string_equal(name_announced(&meta, RING_NAME, e->words[0]), "pool");
	assert_int_equal(e->words[1], 0x1000);
	assert_int_equal(e->words[2], 64);
	expect_payload(RING_FREE, (uint64_t[]){0, 0x2000}, 2);
	e = event_only(RING_LOCK_NEW);
	assert_int_equal(e->words[0], lock.id);
	assert_non_null(name_announced(&meta, RING_SRCLOC, e->words[1]));
	expect_payload(RING_LOCK, (uint64_t[]){lock.id, TACHO_LOCK_OBTAIN_SHARED, 0}, 3);
	expect_text(RING_LOCK_NAME, 1, "renamed");
	expect_payload(RING_LOCK_GONE, (uint64_t[]){lock.id}, 1);
	assert_string_equal(
		name_announced(&meta, RING_NAME, event_only(RING_FIBER_ENTER)->words[0]), "fiber");
	assert_int_equal(event_only(RING_FIBER_LEAVE)->count, 0);
	session_clean();
}

static void long_strings_come_in_parts(void **state)
{
	const size_t len = 3 * RING_PART + 100;
	char *text = malloc(len), *joined = malloc(len);
	uint64_t group = 0;
	size_t done = 0;

	(void)state;
	for (size_t i = 0; i < len; i++)
		text[i] = (char)('A' + i % 50);
	session_start(0, RING_DROP);
	tacho_message(text, len, TACHO_INFO, 0);
	session_finish(0);
	assert_int_equal(stream_count(&mine, RING_RECORD, RING_TEXT_PART), 3);
	for (size_t i = 0; i < mine.count; i++) {
		const uint64_t *w = mine.events[i].words + (mine.events[i].type == RING_MESSAGE);

		assert_true(group == 0 || w[0] >> RING_STRING_GROUP_SHIFT == group);
		group = w[0] >> RING_STRING_GROUP_SHIFT;
		memcpy(joined + done, w + 1, (uint32_t)w[0]);
		done += (uint32_t)w[0];
	}
	assert_true(group != 0);
	assert_int_equal(done, len);
	assert_memory_equal(joined, text, len);
	free(text);
	free(joined);
	session_clean();
}

static void full_segments_are_linked(void **state)
{
	(void)state;
	session_start(0, RING_DROP);
	for (int i = 0; i < 20000; i++) {
		zone_emit();
		if (i % 100 == 0)
			tacho_message("between the zones", 17, TACHO_INFO, 0);
	}
	session_finish(0);
	assert_int_equal(stream_count(&mine, RING_BEGIN, 0), 20000);
	assert_int_equal(stream_count(&mine, RING_END, 0), 20000);
	assert_int_equal(stream_count(&mine, RING_RECORD, RING_MESSAGE), 200);
	assert_true(mine.segments >= 5);
	session_clean();
}

/* What the recorder does with a segment that it has read. */
static void release_all(struct ring_view *v, uint64_t number)
{
	struct ring_page *page = view_page(v, number);

	for (uint32_t next = page->segment.next; next;) {
		struct ring_segment *s = view_segment(v, next - 1);
		uint32_t extent = next - 1;

		next = s->next;
		if (!next)
			break; /* in use */
		memset(s, 0, RING_SEG_SIZE);
		atomic_store(&v->table[extent].state, RING_EXTENT_FREE);
		page->segment.next = next;
	}
}

static void at_the_limit_losses_are_counted(void **state)
{
	uint64_t lost, reported = 0;

	(void)state;
	session_start(1, RING_DROP);
	for (int i = 0; i < 100000; i++)
		zone_emit();
	tacho_message("lost as well", 12, TACHO_INFO, 0);
	assert_true(view_open(&view, getpid(), 0));
	lost = view_page(&view, 1)->lost_zones;
	assert_true(lost > 0);
	assert_int_equal(view_page(&view, 1)->lost_others, 1);
	mine = stream_read(&view, 1);
	assert_int_equal(stream_count(&mine, RING_BEGIN, 0) + lost, 100000);
	stream_free(&mine);
	release_all(&view, 1);
	view_close(&view);
	for (int i = 0; i < 1000; i++)
		zone_emit();
	session_finish(0);
	for (size_t i = 0; i < mine.count; i++)
		if (mine.events[i].kind == RING_RECORD && mine.events[i].type == RING_LOSS)
			reported += mine.events[i].words[1];
	assert_int_equal(reported, view_page(&view, 1)->lost_zones);
	assert_true(stream_count(&mine, RING_BEGIN, 0) > 700);
	session_clean();
}

static void the_flight_recorder_keeps_the_newest(void **state)
{
	const struct seen *last;

	(void)state;
	session_start(1, RING_OVERWRITE);
	for (int i = 0; i < 200000; i++)
		zone_emit();
	tacho_message("the last", 8, TACHO_INFO, 0);
	session_finish(0);
	last = &mine.events[mine.count - 1];
	assert_int_equal(last->kind, RING_RECORD);
	assert_int_equal(last->type, RING_MESSAGE);
	assert_int_equal(stream_count(&mine, RING_BEGIN, 0) + view_page(&view, 1)->lost_zones,
			 200000);
	assert_true(stream_count(&mine, RING_BEGIN, 0) > 40000);
	session_clean();
}

static void names_have_one_number(void **state)
{
	char copy[16] = "same";
	uint32_t a, b;

	(void)state;
	a = tacho_srcloc_make("same", "f", "file", 1, 0);
	b = tacho_srcloc_make(copy, "f", "file", 1, 0);
	assert_true(a != 0);
	assert_int_equal(a, b);
	assert_int_not_equal(a, tacho_srcloc_make("same", "f", "file", 2, 0));
	assert_int_not_equal(a, tacho_srcloc_make("same", "f", "file", 1, 0xff));
	assert_int_not_equal(a, tacho_srcloc_make("samef", "", "file", 1, 0));
	assert_int_not_equal(a, tacho_srcloc_make(NULL, "samef", "file", 1, 0));
}

/* Same places in memory, same ends, same lengths: only the content tells them apart. */
static void run_time_names_are_compared_in_full(void **state)
{
	static const char *const names[] = {"beginning A the end", "beginning B the end"};
	char name[32], function[] = "f0", file[] = "file 0";
	const char *got;

	(void)state;
	session_start(0, RING_DROP);
	for (int i = 0; i < 16; i++) {
		strcpy(name, names[i & 1]);
		function[1] = (char)('0' + (i >> 1 & 1));
		file[5] = (char)('0' + (i >> 2 & 1));
		tacho_zone_end(tacho_zone_begin_runtime(name, strlen(name), function, file, 7,
							(uint32_t)i >> 3));
	}
	session_finish(0);
	assert_int_equal(mine.count, 32);
	for (int i = 0; i < 16; i++) {
		got = name_announced(&meta, RING_SRCLOC, mine.events[2 * i].id);
		assert_non_null(got);
		assert_string_equal(got, names[i & 1]);
		got += strlen(got) + 1;
		assert_int_equal(got[1], '0' + (i >> 1 & 1));
		assert_int_equal(got[3 + 5], '0' + (i >> 2 & 1));
		assert_true(i == 0 || mine.events[2 * i].id != mine.events[2 * i - 2].id);
	}
	session_clean();
}

static void texts_have_any_length(void **state)
{
	char text[80];
	size_t seen = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)('!' + i);
	session_start(0, RING_DROP);
	{
		TACHO_ZONE("texts");
		for (size_t len = 0; len < sizeof(text); len++)
			TACHO_ZONE_TEXT(text, len);
	}
	session_finish(0);
	for (size_t i = 0; i < mine.count; i++) {
		const struct seen *e = &mine.events[i];
		char expected[88] = {0};

		if (e->kind != RING_RECORD || e->type != RING_ZONE_TEXT)
			continue;
		memcpy(expected, text, seen);
		assert_int_equal(e->ticks, 0);
		assert_int_equal(e->words[1], seen);
		assert_int_equal(e->count, 2 + (seen + 7) / 8);
		assert_memory_equal(&e->words[2], expected, (seen + 7) / 8 * 8);
		seen++;
	}
	assert_int_equal(seen, sizeof(text));
	session_clean();
}

static void a_new_session_starts_afresh(void **state)
{
	struct tacho_zone old;
	static struct tacho_srcloc loc = TACHO_SRCLOC("old", 0);

	(void)state;
	session_start(0, RING_DROP);
	old = tacho_zone_begin(&loc);
	assert_true(old.session != 0);
	session_remove();
	session_start(0, RING_DROP);
	tacho_zone_end(old); /* belongs to the other session */
	zone_emit();
	session_finish(0);
	assert_int_equal(mine.count, 2);
	assert_non_null(name_announced(&meta, RING_SRCLOC, mine.events[0].id));
	/* All numbers that were given are announced again. */
	assert_string_equal(name_announced(&meta, RING_SRCLOC, loc.word >> 2), "old");
	session_clean();
}

static void a_child_has_its_own_ring(void **state)
{
	static struct tacho_srcloc loc = TACHO_SRCLOC("inherited", 0);
	struct ring_view childs;
	struct stream theirs;
	struct tacho_zone open_zone;
	int status;
	pid_t child;

	(void)state;
	session_start(0, RING_DROP);
	open_zone = tacho_zone_begin(&loc);
	child = fork();
	if (child == 0) {
		tacho_zone_end(open_zone); /* not in this process */
		zone_emit();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	tacho_zone_end(open_zone);
	session_finish(0);
	assert_int_equal(mine.count, 2);
	assert_true(view_open(&childs, child, 0));
	assert_int_equal(childs.header->parent_pid, getpid());
	theirs = stream_read(&childs, 1);
	assert_int_equal(theirs.count, 2);
	stream_free(&theirs);
	view_close(&childs);
	session_clean();
}

/* Without a ring the process is counted, and so is its child: it tries for itself. */
static void without_a_ring_it_is_counted(void **state)
{
	const struct ring_join *join = control->joins;
	int status;
	pid_t child;

	(void)state;
	session_start(0, RING_DROP);
	munmap(session_pool, RING_PAGE_SIZE);
	session_pool = session_make_pool(0);
	child = fork();
	if (child == 0) {
		struct rlimit none = {0, 0};
		pid_t own;

		setrlimit(RLIMIT_FSIZE, &none);
		errno = EILSEQ;
		zone_emit();
		tacho_message("nobody hears it", 15, TACHO_INFO, 0);
		if (errno != EILSEQ)
			_exit(1);
		own = fork();
		if (own == 0) {
			zone_emit();
			_exit(0);
		}
		_exit(waitpid(own, &status, 0) == own ? status : 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(atomic_load(&control->joins_failed), 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(atomic_load(&join[i].state), RING_JOIN_WRITTEN);
		assert_int_equal(join[i].reason, RING_JOIN_MAP);
		assert_int_equal(join[i].error, EFBIG);
		assert_string_equal(join[i].name, "test_client_rin");
	}
	assert_int_equal(join[0].pid, child);
	assert_int_not_equal(join[1].pid, child);
	assert_int_equal(atomic_load(&join[2].state), RING_JOIN_FREE);
	assert_int_equal(atomic_load(&session_pool->used), 0);
	memset(control->joins, 0, sizeof(control->joins));
	atomic_store(&control->joins_failed, 0);
	session_remove();
}

/* A child that cannot make a file has an area; its own child has another one. */
static void a_child_without_a_file_has_an_area(void **state)
{
	int status;
	pid_t child;

	(void)state;
	session_start(0, RING_DROP);
	zone_emit();
	child = fork();
	if (child == 0) {
		struct rlimit none = {0, 0};
		pid_t own;

		setrlimit(RLIMIT_FSIZE, &none);
		for (int i = 0; i < 20000; i++)
			zone_emit();
		own = fork();
		if (own == 0) {
			zone_emit();
			_exit(0);
		}
		waitpid(own, &status, 0);
		zone_emit();
		_exit(status);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(atomic_load(&control->joins_failed), 0);
	assert_int_equal(atomic_load(&session_pool->claims), 2);
	assert_true(atomic_load(&session_pool->owner[0]) == (1ull << 32 | (uint64_t)child));
	assert_int_equal(atomic_load(&session_pool->owner[1]) >> 32, 1);
	assert_int_equal(atomic_load(&session_pool->owner[2]), 0);
	/* 3 rings with two thread pages each, and the segments of the child. */
	assert_true(atomic_load(&session_pool->used) >= 3 * 4 * RING_PAGE_SIZE + 2 * RING_SEG_SIZE);
	session_remove();
}

/* With any session account, the program continues and counts what it cannot store. */
static void a_broken_account_costs_events_only(void **state)
{
	static const uint64_t hostile[] = {UINT64_MAX, UINT64_MAX - 1000, 1ull << 63, 1ull << 30};

	(void)state;
	for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
		uint64_t lost;

		session_start(0, RING_DROP);
		zone_emit();
		atomic_store(&session_pool->used, hostile[i]);
		for (int k = 0; k < 10000; k++)
			zone_emit();
		assert_true(view_open(&view, getpid(), 0));
		lost = view_page(&view, 1)->lost_zones;
		assert_true(lost > 9000 && lost < 10000);
		atomic_store(&session_pool->used, 0);
		for (int k = 0; k < 1000; k++)
			zone_emit();
		assert_true(view_page(&view, 1)->lost_zones - lost < 300);
		view_close(&view);
		session_remove();
	}
}

static void *emit_zone(void *arg)
{
	zone_emit();
	return arg;
}

static void threads_close_their_pages(void **state)
{
	pthread_t thread;

	(void)state;
	session_start(0, RING_DROP);
	zone_emit();
	for (int i = 0; i < 10; i++) {
		pthread_create(&thread, NULL, emit_zone, NULL);
		pthread_join(thread, NULL);
	}
	session_finish(0);
	assert_int_equal(view.header->threads, 11);
	assert_int_equal(view_page(&view, 1)->closed, 0);
	for (uint64_t i = 2; i <= 11; i++)
		assert_int_equal(view_page(&view, i)->closed, 1);
	session_clean();
}

/* Last: it uses up the numbers for names made at run time. */
static void names_at_run_time_have_a_bound(void **state)
{
	char name[32];
	uint32_t id = 1;
	int made = 0;

	(void)state;
	for (; id && made < 600000; made++) {
		snprintf(name, sizeof(name), "name %d", made);
		id = tacho_srcloc_make(name, "f", "file", 1, 0);
	}
	assert_int_equal(id, 0);
	assert_in_range(made, 500000, 1 << 19);
	session_start(0, RING_DROP);
	tacho_zone_end(tacho_zone_begin_runtime("beyond", 6, "f", "file", 1, 0));
	tacho_plot_int("beyond", 1);
	session_finish(0);
	expect_text(RING_ZONE_NAME, 1, "beyond");
	assert_string_equal(name_announced(&meta, RING_SRCLOC, mine.events[0].id),
			    "(too many names)");
	assert_string_equal(name_announced(&meta, RING_NAME, event_only(RING_PLOT_INT)->words[0]),
			    "(too many names)");
	session_clean();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zones_are_two_words),
		cmocka_unit_test(records_hold_what_was_given),
		cmocka_unit_test(long_strings_come_in_parts),
		cmocka_unit_test(full_segments_are_linked),
		cmocka_unit_test(at_the_limit_losses_are_counted),
		cmocka_unit_test(the_flight_recorder_keeps_the_newest),
		cmocka_unit_test(names_have_one_number),
		cmocka_unit_test(run_time_names_are_compared_in_full),
		cmocka_unit_test(texts_have_any_length),
		cmocka_unit_test(a_new_session_starts_afresh),
		cmocka_unit_test(a_child_has_its_own_ring),
		cmocka_unit_test(without_a_ring_it_is_counted),
		cmocka_unit_test(a_child_without_a_file_has_an_area),
		cmocka_unit_test(a_broken_account_costs_events_only),
		cmocka_unit_test(threads_close_their_pages),
		cmocka_unit_test(names_at_run_time_have_a_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
