/* placeholder: being written */
#ifndef TACHO_TACHO_H
#define TACHO_TACHO_H
#include <stddef.h>
#include <stdint.h>
#include <tacho/detail.h>
#ifdef __cplusplus
extern "C" {
#endif
TACHO_API void tacho_message(const char *text, size_t len, unsigned severity, uint32_t color);
#define TACHO_CAT_(a, b) a##b
#define TACHO_CAT(a, b) TACHO_CAT_(a, b)
struct tacho_zone_ { struct tacho_srcloc *loc; uint64_t begun; };
static inline void tacho_zone_leave_(struct tacho_zone_ *z) { tacho_end(z->loc, z->begun); }
#define TACHO_ZONE(zname) \
	static struct tacho_srcloc TACHO_CAT(tacho_loc_, __LINE__) = {zname, __func__, __FILE__, __LINE__, 0, 0, 0}; \
	__attribute__((cleanup(tacho_zone_leave_), unused)) struct tacho_zone_ TACHO_CAT(tacho_zone_, __LINE__) = \
	{&TACHO_CAT(tacho_loc_, __LINE__), tacho_begin(&TACHO_CAT(tacho_loc_, __LINE__))}
#ifdef __cplusplus
}
#endif
#endif
