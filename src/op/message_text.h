/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Op records as messages: the grammar of op/messages.h, for .tracy files, Tracy viewers, the log of
 * messages, and lists of messages.
 */
#ifndef OP_MESSAGE_TEXT_H
#define OP_MESSAGE_TEXT_H

#include "base/buf.h"
#include "trace/trace.h"

/*
 * Turns an OP or OP_TRACE row into the message that clients of Tracy send, whose text is in TEXT
 * until its next use. Other rows stay as they are. 0 or TACHO_ENOMEM.
 */
int op_row_message(struct trace_row *row, struct buf *text);

#endif
