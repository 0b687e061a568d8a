/* Private: reading Chrome traces. */
#ifndef EXPORT_CHROME_READ_H
#define EXPORT_CHROME_READ_H

#include "base/jread.h"
#include "export/export.h"

struct chrome_events;

int chrome_events_open(struct chrome_events **events, int fd, const char *path);
/*
 * 1 and an event, which lives until the next call; 0 at the end. TACHO_EDAMAGED: the file ends too
 * soon or has something else in it; what came before is sound.
 */
int chrome_events_next(struct chrome_events *events, const struct jread_value **event,
		       struct tacho_error *err);
void chrome_events_close(struct chrome_events *events);

#endif
