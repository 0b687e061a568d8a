#include "compute_kernel_api.h"
