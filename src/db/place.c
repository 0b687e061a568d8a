/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the database is, and the account: from a URL, the environment and db.conf. A password
 * comes from a file of this user alone or from the environment, never from the command line, where
 * every user of the machine sees it.
 */
#include "base/environ.h"
#include "db/private.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PASSWORD_SIZE 1024

static char *path_join(const char *folder, const char *below, const char *name)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s%s%s", folder, below, name);
	return buf_detach(&b);
}

/* FILE in the folder that VARIABLE names, else in BELOW the home; NULL: there is no home. */
static char *path_of_user(const char *variable, const char *below, const char *name)
{
	const char *folder = environ_get(variable), *home = environ_get("HOME");

	if (folder && folder[0] == '/')
		return path_join(folder, "/tacho/", name);
	return home ? path_join(home, below, name) : NULL;
}

/* ------------------------------------------------------------ credentials */

static int password_check(const char *password, const char *from, struct tacho_error *err)
{
	for (const char *c = password; *c; c++)
		if (iscntrl((unsigned char)*c))
			return err_set(err, TACHO_EUSAGE,
				       "the password in %s has control characters", from);
	return 0;
}

static int password_read(char **password, const char *path, struct tacho_error *err)
{
	char text[PASSWORD_SIZE];
	struct stat st;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_errno(err, TACHO_EREAD, "cannot read the password file %s", path);
	if (fstat(fd, &st) < 0 || st.st_uid != geteuid() || st.st_mode & 077) {
		close(fd);
		return err_set(err, TACHO_EUSAGE,
			       "the password file %s can be read by others: chmod 600 it", path);
	}
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n < 0)
		return err_errno(err, TACHO_EREAD, "cannot read the password file %s", path);
	text[n] = 0;
	text[strcspn(text, "\r\n")] = 0;
	*password = strdup(text);
	explicit_bzero(text, sizeof(text));
	return *password ? password_check(*password, path, err) : TACHO_ENOMEM;
}

/* ---------------------------------------------------------------- db.conf */

/* A line "key = value". */
static int conf_line(struct db_place *p, char *line, char **password_file)
{
	char *equals, *end, **field;

	line += strspn(line, " \t");
	line[strcspn(line, "\r\n")] = 0;
	if (!*line || *line == '#')
		return 0;
	equals = strchr(line, '=');
	if (!equals)
		return TACHO_EFORMAT;
	*equals++ = 0;
	equals += strspn(equals, " \t");
	for (end = line + strlen(line); end > line && strchr(" \t", end[-1]);)
		*--end = 0;
	for (end = equals + strlen(equals); end > equals && strchr(" \t", end[-1]);)
		*--end = 0;
	field = !strcmp(line, "db")              ? &p->url
		: !strcmp(line, "user")          ? &p->user
		: !strcmp(line, "ca-file")       ? &p->ca
		: !strcmp(line, "password-file") ? password_file
						 : NULL;
	if (!field)
		return TACHO_EFORMAT;
	if (*field)
		return 0;
	*field = strdup(equals);
	return *field ? 0 : TACHO_ENOMEM;
}

static int conf_read(struct db_place *p, char **password_file, struct tacho_error *err)
{
	char *path = path_of_user("XDG_CONFIG_HOME", "/.config/tacho/", "db.conf"), *line = NULL;
	FILE *f = path ? fopen(path, "re") : NULL;
	size_t room = 0;
	int r = 0;

	for (unsigned number = 1; f && r == 0 && getline(&line, &room, f) >= 0; number++) {
		r = conf_line(p, line, password_file);
		if (r == TACHO_EFORMAT)
			err_set(err, r,
				"%s:%u: not 'db', 'user', 'password-file' or 'ca-file' = VALUE",
				path, number);
	}
	free(line);
	if (f)
		fclose(f);
	free(path);
	return r;
}

static int field_take(char **field, const char *value)
{
	if (!value || *field)
		return 0;
	*field = strdup(value);
	return *field ? 0 : TACHO_ENOMEM;
}

/* -------------------------------------------------------------------- URL */

static const char name_letters[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/* HOST:PORT/DATABASE. Without TLS the host is this machine. */
static int server_parse(struct db_place *p, const char *rest, bool tls, struct tacho_error *err)
{
	static const char *const local[] = {"127.0.0.1", "localhost", "[::1]"};
	size_t address = strcspn(rest, "/"), host = address, digits = 0;
	const char *database;
	bool loopback = false;
	char *text;

	while (host && isdigit((unsigned char)rest[host - 1]))
		host--;
	digits = address - host;
	host = host && rest[host - 1] == ':' ? host - 1 : address;
	for (size_t i = 0; i < 3; i++)
		loopback |= host == strlen(local[i]) && !strncmp(rest, local[i], host);
	if (!host || (host < address && (!digits || digits > 5)) ||
	    strspn(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]") <
		    address)
		return err_set(err, TACHO_EUSAGE, "the database URL has no valid HOST:PORT");
	database = rest + address + 1;
	if (rest[address] != '/' || !*database || database[strspn(database, name_letters)])
		return err_set(err, TACHO_EUSAGE,
			       "the database URL ends with /DATABASE: letters, digits and _");
	if (!tls && !loopback)
		return err_set(err, TACHO_EUSAGE,
			       "clickhouse:// sends the password in the clear: to other machines "
			       "use clickhouses://");
	p->database = strdup(database);
	if (asprintf(&text, "%s://%.*s%s", tls ? "https" : "http", (int)address, rest,
		     host < address ? ""
		     : tls          ? ":8443"
				    : ":8123") < 0)
		text = NULL;
	p->base = text;
	return p->database && p->base ? 0 : TACHO_ENOMEM;
}

static int place_parse(struct db_place *p, struct tacho_error *err)
{
	const char *url = p->url;
	size_t len = strlen(url);

	if (!strncmp(url, "sqlite:", 7) && url[7])
		return field_take(&p->path, url + 7);
	if (len > 3 && !strcmp(url + len - 3, ".db") && !strstr(url, "://"))
		return field_take(&p->path, url);
	if (strchr(url, '@'))
		return err_set(err, TACHO_EUSAGE,
			       "no user or password in a database URL: others can see it; set "
			       "TACHO_DB_USER and TACHO_DB_PASSWORD_FILE");
	if (!strncmp(url, "clickhouse://", 13))
		return server_parse(p, url + 13, false, err);
	if (!strncmp(url, "clickhouses://", 14))
		return server_parse(p, url + 14, true, err);
	return err_set(
		err, TACHO_EUSAGE,
		"'%s' is not a database: sqlite:PATH, PATH.db, clickhouse://HOST:PORT/NAME or "
		"clickhouses://HOST:PORT/NAME",
		url);
}

int db_place_find(struct db_place *p, const char *url, struct tacho_error *err)
{
	char *password_file = NULL, *text = NULL;
	const char *file, *password;
	int r;

	*p = (struct db_place){0};
	r = field_take(&p->url, url && *url ? url : environ_get("TACHO_DB"));
	if (r == 0)
		r = field_take(&p->user, environ_get("TACHO_DB_USER"));
	if (r == 0)
		r = field_take(&p->ca, environ_get("TACHO_DB_CA_FILE"));
	if (r == 0)
		r = conf_read(p, &password_file, err);
	if (r == 0 && !p->url) {
		text = path_of_user("XDG_DATA_HOME", "/.local/share/tacho/", "runs.db");
		r = text ? field_take(&p->path, text) : 0;
		r = r == 0 ? field_take(&p->url, text) : r;
		if (!text)
			r = err_set(err, TACHO_EUSAGE, "no database: give --db or set TACHO_DB");
		free(text);
	} else if (r == 0) {
		r = place_parse(p, err);
	}
	password = environ_get("TACHO_DB_PASSWORD");
	file = environ_get("TACHO_DB_PASSWORD_FILE");
	file = file || password ? file : password_file;
	if (r == 0 && p->base && file)
		r = password_read(&p->password, file, err);
	else if (r == 0 && p->base && password)
		r = field_take(&p->password, password) < 0
			    ? TACHO_ENOMEM
			    : password_check(password, "TACHO_DB_PASSWORD", err);
	free(password_file);
	if (r < 0)
		db_place_free(p);
	return r == TACHO_ENOMEM ? err_set(err, r, "no memory for the database") : r;
}

void db_place_free(struct db_place *p)
{
	if (p->password)
		explicit_bzero(p->password, strlen(p->password));
	free(p->url);
	free(p->path);
	free(p->base);
	free(p->database);
	free(p->user);
	free(p->password);
	free(p->ca);
	*p = (struct db_place){0};
}
