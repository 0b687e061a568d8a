/* Of it kernels take nothing but types. */
#include <stddef.h>
