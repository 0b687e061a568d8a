/* SPDX-License-Identifier: Apache-2.0 */
/* Folders and files of one user: what is opened, what is refused, what is removed. */
#include "base/own.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OTHER_USER 61235

static char top[] = "/tmp/test_own.XXXXXX";

static const char *path_in_folder(const char *name)
{
	static char path[4][128];
	static int n;

	n = (n + 1) % 4;
	snprintf(path[n], sizeof(path[n]), "%s/%s", top, name);
	return path[n];
}

static int make_top(void **state)
{
	(void)state;
	return mkdtemp(top) ? 0 : -1;
}

static int remove_top(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", top);
	return system(command);
}

static void put_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static void expect_refused(const char *path, const char *why)
{
	struct tacho_error err = {0};
	struct own_folder f;

	assert_true(own_folder_open(&f, path, false, &err) < 0);
	assert_int_equal(f.fd, -1);
	assert_int_equal(f.parent, -1);
	if (!strstr(err.text, why))
		fail_msg("'%s' does not say '%s'", err.text, why);
}

static void test_folder(void **state)
{
	struct tacho_error err = {0};
	struct own_folder f;

	(void)state;
	expect_refused(path_in_folder("missing"), "No such file");
	assert_int_equal(own_folder_open(&f, path_in_folder("one"), true, &err), 0);
	assert_string_equal(f.name, "one");
	own_folder_close(&f);
	/* Slashes at the end would follow a link; "." has no name and so cannot be one. */
	assert_int_equal(symlink(path_in_folder("one"), path_in_folder("link")), 0);
	expect_refused(path_in_folder("link"), "symbolic link");
	expect_refused(path_in_folder("link/"), "symbolic link");
	expect_refused(path_in_folder("link//"), "symbolic link");
	assert_int_equal(own_folder_open(&f, path_in_folder("one///"), false, &err), 0);
	own_folder_close(&f);
	assert_int_equal(own_folder_open(&f, path_in_folder("one/."), false, &err), 0);
	assert_false(own_folder_remove(&f));
	put_file(path_in_folder("file"));
	expect_refused(path_in_folder("file"), "not a folder");
	expect_refused("", "cannot open");
	assert_int_equal(chmod(path_in_folder("one"), 0720), 0);
	expect_refused(path_in_folder("one"), "others can write");
	assert_int_equal(chmod(path_in_folder("one"), 0755), 0);
	if (geteuid() == 0) {
		assert_int_equal(chown(path_in_folder("one"), OTHER_USER, 0), 0);
		expect_refused(path_in_folder("one"), "belongs to user 61235");
	}
}

static void test_temporary(void **state)
{
	struct tacho_error err = {0};
	struct own_folder f, in;
	struct stat st;

	(void)state;
	assert_int_equal(own_folder_open(&f, path_in_folder("parent"), true, &err), 0);
	assert_int_equal(own_folder_temporary(&in, f.fd, "s.", &err), 0);
	assert_int_equal(strlen(in.name), 8);
	assert_int_equal(fstat(in.fd, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	own_folder_close(&f);
	assert_true(own_folder_remove(&in));
}

/* Whoever gets the name after us keeps what he has. */
static void test_swapped(void **state)
{
	struct tacho_error err = {0};
	struct own_folder f;

	(void)state;
	assert_int_equal(own_folder_open(&f, path_in_folder("mine"), true, &err), 0);
	assert_int_equal(rename(path_in_folder("mine"), path_in_folder("aside")), 0);
	assert_int_equal(mkdir(path_in_folder("mine"), 0700), 0);
	assert_false(own_folder_remove(&f));
	assert_int_equal(access(path_in_folder("mine"), F_OK), 0);
	assert_int_equal(access(path_in_folder("aside"), F_OK), 0);
	assert_int_equal(own_folder_open(&f, path_in_folder("mine"), false, &err), 0);
	assert_int_equal(rmdir(path_in_folder("mine")), 0);
	assert_int_equal(symlink(path_in_folder("aside"), path_in_folder("mine")), 0);
	assert_false(own_folder_remove(&f));
	assert_int_equal(access(path_in_folder("aside"), F_OK), 0);
}

static void expect_no_file(int folder, const char *name, int error)
{
	assert_int_equal(own_file_open(folder, name, O_RDWR), -1);
	assert_int_equal(errno, error);
}

static void test_file(void **state)
{
	struct tacho_error err = {0};
	struct own_folder f;
	int fd;

	(void)state;
	assert_int_equal(own_folder_open(&f, path_in_folder("files"), true, &err), 0);
	fd = own_file_open(f.fd, "new", O_RDWR | O_CREAT | O_EXCL);
	assert_true(fd >= 0);
	close(fd);
	fd = own_file_open(f.fd, "new", O_RDWR);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(link(path_in_folder("files/new"), path_in_folder("files/second")), 0);
	expect_no_file(f.fd, "new", EPERM);
	assert_int_equal(unlink(path_in_folder("files/second")), 0);
	assert_int_equal(symlink("new", path_in_folder("files/link")), 0);
	expect_no_file(f.fd, "link", ELOOP);
	assert_int_equal(mkfifo(path_in_folder("files/fifo"), 0600), 0);
	expect_no_file(f.fd, "fifo", EPERM);
	assert_int_equal(chmod(path_in_folder("files/new"), 0606), 0);
	expect_no_file(f.fd, "new", EPERM);
	if (geteuid() == 0) {
		assert_int_equal(chmod(path_in_folder("files/new"), 0600), 0);
		assert_int_equal(chown(path_in_folder("files/new"), OTHER_USER, 0), 0);
		expect_no_file(f.fd, "new", EPERM);
	}
	own_folder_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folder),
		cmocka_unit_test(test_temporary),
		cmocka_unit_test(test_swapped),
		cmocka_unit_test(test_file),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
