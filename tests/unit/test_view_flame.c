/* SPDX-License-Identifier: Apache-2.0 */
/* Flame trees: what does not fit is left out, and no time counts twice. */
#include "view/flame_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* A chain of three names with one time unit of self time in each. */
static void chain_add(struct flame_tree *t, uint32_t name)
{
	uint32_t at = 0, node;

	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(flame_tree_child(t, at, name + i, &node), 0);
		t->v[node].total += 3 - i;
		t->v[node].count++;
		t->v[at].inside += 3 - i;
		at = node;
	}
	t->v[0].total = t->v[0].inside;
}

static void test_full(void **state)
{
	struct flame_tree t = {0}, up = {0};
	uint32_t node = 7;
	uint64_t roots = 0;

	(void)state;
	assert_int_equal(flame_tree_init(&t), 0);
	for (uint32_t i = 0; t.n + 3 <= FLAME_NODES; i++)
		chain_add(&t, 4 * i);
	while (t.n < FLAME_NODES)
		assert_int_equal(flame_tree_child(&t, 0, UINT32_MAX - (uint32_t)t.n, &node), 0);
	node = 7;
	assert_int_equal(flame_tree_child(&t, 0, UINT32_MAX, &node), 1);
	assert_int_equal(node, 7);
	assert_int_equal(flame_tree_child(&t, 0, 0, &node), 0);
	assert_int_equal(t.n, FLAME_NODES);

	/* The inverted tree needs twice as many nodes. */
	assert_int_equal(flame_tree_init(&up), 0);
	assert_int_equal(flame_tree_invert(&up, &t), 0);
	assert_int_equal(up.n, FLAME_NODES);
	assert_int_equal(up.v[0].total, t.v[0].total);
	for (size_t i = 1; i < up.n; i++) {
		assert_true(up.v[i].inside <= up.v[i].total);
		roots += up.v[i].parent ? 0 : up.v[i].total;
	}
	assert_int_equal(roots, up.v[0].inside);
	assert_true(roots <= up.v[0].total);
	flame_tree_free(&up);
	flame_tree_free(&t);
}

static void test_recursion(void **state)
{
	static const uint32_t names[] = {1, 2, 1, 3}; /* 1 calls 2 calls 1 calls 3 */
	struct flame_tree t = {0}, calls = {0}, callers = {0};
	uint32_t at = 0, node;

	(void)state;
	assert_int_equal(flame_tree_init(&t), 0);
	for (unsigned i = 0; i < 4; i++, at = node) {
		assert_int_equal(flame_tree_child(&t, at, names[i], &node), 0);
		t.v[node].total = 10 - i;
		t.v[node].count = 1;
		t.v[at].inside += 10 - i;
	}
	assert_int_equal(flame_tree_init(&calls), 0);
	assert_int_equal(flame_tree_calls(&calls, &t, 1), 0);
	assert_int_equal(calls.v[0].total, 10);
	assert_int_equal(calls.n, 4);
	assert_int_equal(flame_tree_init(&callers), 0);
	assert_int_equal(flame_tree_callers(&callers, &t, 1), 0);
	assert_int_equal(callers.v[0].total, 10); /* the inner call is part of the outer one */
	assert_int_equal(callers.n, 1);
	flame_tree_free(&callers);
	flame_tree_free(&calls);
	flame_tree_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_recursion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
