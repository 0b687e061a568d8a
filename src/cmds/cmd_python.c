/* SPDX-License-Identifier: Apache-2.0 */
/* The verb "python": print where the Python package is, and install it for an interpreter. */
#include "cmds/cmds.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct conf {
	bool install;
	bool uninstall;
	const char *python;
	const char *attach, *time, *output;
	bool force;
};

static const struct opt opts[] = {
	OPT_FLAG(
		0, "install", struct conf, install,
		"make the package known to an interpreter, by a file tacho.pth in its site-packages"),
	OPT_FLAG(0, "uninstall", struct conf, uninstall, "remove that file"),
	OPT_STR(0, "python", "PROGRAM", struct conf, python, "the interpreter (default: python3)"),
	OPT_STR(0, "attach", "PID", struct conf, attach,
		"sample a Python program that runs already, 3.9 to 3.13; nothing is put into it"),
	OPT_STR('t', "time", "TIME", struct conf, time,
		"of --attach: stop after TIME, such as 10s"),
	OPT_STR('o', "output", "FILE", struct conf, output,
		"of --attach: write the trace to FILE (default capture.tacho)"),
	OPT_FLAG('f', "force", struct conf, force, "of --attach: replace FILE if it exists"),
	OPT_END,
};

/*
 * Run by the interpreter, since only it knows its folders. argv: the package's folder, the action.
 */
static const char script[] =
	"import importlib.machinery, os, site, sys, sysconfig\n"
	"folder, what = sys.argv[1:]\n"
	"places = [sysconfig.get_paths()['purelib']]\n"
	"if sys.prefix == sys.base_prefix: places.append(site.getusersitepackages())\n"
	"files = [os.path.join(place, 'tacho.pth') for place in places]\n"
	"if what == 'uninstall':\n"
	"    there = [file for file in files if os.path.exists(file)]\n"
	"    for file in there:\n"
	"        os.remove(file)\n"
	"        print('removed', file)\n"
	"    sys.exit(0 if there else 'tacho: tacho.pth is not installed')\n"
	"extension = os.path.join(folder, 'tracy', '_tracy')\n"
	"suffixes = importlib.machinery.EXTENSION_SUFFIXES\n"
	"if not any(os.path.exists(extension + suffix) for suffix in suffixes):\n"
	"    print('tacho: the package was not built for this Python, ' + sys.version.split()[0]\n"
	"          + ': functions take many times as long to record', file=sys.stderr)\n"
	"for file in files:\n"
	"    try:\n"
	"        os.makedirs(os.path.dirname(file), exist_ok=True)\n"
	"        with open(file, 'w') as out: out.write(folder + '\\n')\n"
	"    except OSError as error:\n"
	"        failure = error\n"
	"        continue\n"
	"    print(file)\n"
	"    sys.exit(0)\n"
	"print(f'tacho: {failure.filename}: {failure.strerror}', file=sys.stderr)\n"
	"sys.exit(5)\n";

/*
 * Relative to the program: in the build tree, in an install tree, and in a wheel, where the program
 * is tracy/_tacho/bin/tacho.
 */
static const char *const folders[] = {
	"python",
	("../" TACHO_PYTHON_DIR),
	"../../_tacho/../..",
};

/* Stores the folder of the packages in PATH, of PATH_MAX bytes. */
static int package_find(char *path, struct tacho_error *err)
{
	char self[PATH_MAX], file[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n > 0) {
		self[n] = 0;
		*strrchr(self, '/') = 0;
		for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
			n = snprintf(file, sizeof(file), "%s/%s/tracy/__init__.py", self,
				     folders[i]);
			if (n < (ssize_t)sizeof(file) && realpath(file, path)) {
				path[strlen(path) - strlen("/tracy/__init__.py")] = 0;
				return 0;
			}
		}
	}
	return err_set(err, TACHO_EREAD,
		       "the Python packages are not installed with this program (Debian: apt-get "
		       "install python3-tracy)");
}

/* Forwards the interpreter's output; returns the number of bytes. */
static size_t pass_on(int from)
{
	char text[4096];
	size_t all = 0;
	ssize_t n;

	while ((n = read(from, text, sizeof(text))) > 0 || (n < 0 && errno == EINTR)) {
		if (n > 0)
			all += fwrite(text, 1, (size_t)n, stdout);
	}
	return all;
}

/* Exit codes as in a shell. */
static int python_fail(int exit_code, int code, const struct tacho_error *err)
{
	err_report(err, code);
	return exit_code;
}

/*
 * The script reports what it did, or why it failed: a program without output is not an interpreter.
 */
static int run_script(const char *python, const char *folder, const char *what)
{
	char *argv[] = {(char *)python, "-c", (char *)script, (char *)folder, (char *)what, NULL};
	posix_spawn_file_actions_t actions;
	struct tacho_error err = {0};
	int pipes[2], status = 0, r;
	size_t said;
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return python_fail(1, err_errno(&err, TACHO_EUSAGE, "cannot run '%s'", python),
				   &err);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipes[1], 1);
	r = posix_spawnp(&pid, python, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(pipes[1]);
	if (r) {
		close(pipes[0]);
		errno = r;
		return python_fail(127, err_errno(&err, TACHO_EUSAGE, "cannot run '%s'", python),
				   &err);
	}
	said = pass_on(pipes[0]);
	close(pipes[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		return python_fail(1, err_set(&err, TACHO_EUSAGE, "'%s' was killed", python), &err);
	if (WEXITSTATUS(status) == 0 && !said)
		return python_fail(1,
				   err_set(&err, TACHO_EUSAGE,
					   "'%s' is not Python: nothing was recorded", python),
				   &err);
	return WEXITSTATUS(status);
}

/* --attach is a normal recording, so the verb "capture" does it. */
static int python_attach(const struct conf *conf)
{
	char *words[12] = {"tacho", "capture", "--sample=strict", "--pid", (char *)conf->attach};
	struct tacho_error err;
	int n = 5;

	if (conf->time) {
		words[n++] = "--time";
		words[n++] = (char *)conf->time;
	}
	if (conf->output) {
		words[n++] = "--output";
		words[n++] = (char *)conf->output;
	}
	if (conf->force)
		words[n++] = "--force";
	execv("/proc/self/exe", words);
	err_errno(&err, TACHO_EINTERNAL, "cannot run tacho capture");
	return err_report(&err, TACHO_EINTERNAL);
}

static int cmd_python_run(void *verb_conf, const struct cmd_common *common, int argc, char **argv)
{
	const struct conf *conf = verb_conf;
	const char *python = conf->python ? conf->python : "python3";
	struct tacho_error err = {0};
	char folder[PATH_MAX];
	int r;

	(void)common, (void)argv;
	if (argc || (conf->install && conf->uninstall)) {
		r = err_set(&err, TACHO_EUSAGE, "python takes either --install or --uninstall");
		return err_report(&err, r);
	}
	if (conf->attach)
		return python_attach(conf);
	r = package_find(folder, &err);
	if (r < 0)
		return err_report(&err, r);
	if (!conf->install && !conf->uninstall) {
		printf("%s\n", folder);
		return 0;
	}
	return run_script(python, folder, conf->install ? "install" : "uninstall");
}

const struct cmd cmd_python = {
	.name = "python",
	.summary = "install 'python -m tracy' for an interpreter",
	.usage = "[--install | --uninstall] [--python=PROGRAM] | --attach=PID [--time=TIME]",
	.description =
		"Prints the folder of the Python packages tracy and ttnn, for PYTHONPATH.\n\n"
		"With --install the interpreter finds it without: a file tacho.pth is written "
		"to its site-packages, or to the user's own when that cannot be written to.\n\n"
		"With --attach a Python program that runs is sampled from outside: Python functions and "
		"lines, with the native functions that they call. It is 'tacho capture --sample --pid'; "
		"'tacho stacks' shows the result.",
	.examples = "PYTHONPATH=$(tacho python) python3 -m tracy script.py\n"
		    "  profiles a script\n"
		    "tacho python --install --python=python3.12\n"
		    "  makes 'python3.12 -m tracy' work by itself\n"
		    "tacho python --attach=1234 --time=10s -o server.tacho\n"
		    "  samples a running server\n",
	.opts = opts,
	.conf_size = sizeof(struct conf),
	.run = cmd_python_run,
};
