/* The token: what a visitor must know. */
#include "ring/ring.h"
#include "web/private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The token is kept until the machine is started anew, where nobody else can read it: so a page
 * that is open survives a server that is started again.
 */
static int token_file(bool make)
{
	struct ring_place place;
	int fd;

	if (ring_place_open(&place, make) < 0)
		return -1;
	fd = own_file_open(place.fd, ".view-token", make ? O_WRONLY | O_CREAT | O_EXCL : O_RDONLY);
	close(place.fd);
	return fd;
}

static bool token_read(char *token)
{
	int fd = token_file(false);
	struct stat st;
	bool ok = fd >= 0 && fstat(fd, &st) == 0 && !(st.st_mode & 077) &&
		  read(fd, token, WEB_TOKEN - 1) == WEB_TOKEN - 1;

	if (fd >= 0)
		close(fd);
	token[WEB_TOKEN - 1] = 0;
	return ok && strspn(token, "0123456789abcdef") == WEB_TOKEN - 1;
}

static void token_keep(const char *token)
{
	int fd = token_file(true);

	if (fd < 0)
		return;
	/* What is cut short is not taken for a token by the next: no more can be done here. */
	if (write(fd, token, WEB_TOKEN - 1) < 0)
		errno = 0;
	close(fd);
}

int token_make(char *token)
{
	uint8_t random[(WEB_TOKEN - 1) / 2];

	if (token_read(token))
		return 0;
	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return TACHO_EINTERNAL;
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(token + 2 * i, 3, "%02x", random[i]);
	token_keep(token);
	return 0;
}
