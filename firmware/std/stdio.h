/* Kernels include it for nothing: they print by DPRINT. */
#include <stddef.h>
