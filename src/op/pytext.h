/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values as Python's str() and repr() print them: the report's cells have that form, and its
 * readers depend on it ("{'a': 'b'}", "[1.5; 2.0]", "True", "None").
 */
#ifndef OP_PYTEXT_H
#define OP_PYTEXT_H

#include "base/buf.h"
#include "base/jread.h"

/* str(): a string is itself, everything else its repr(). */
void pytext_str(struct buf *out, const struct jread_value *v);
void pytext_repr(struct buf *out, const struct jread_value *v);

#endif
