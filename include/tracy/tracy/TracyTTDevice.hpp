/* For programs whose include path is the folder above: <tracy/TracyTTDevice.hpp>. */
#include "../TracyTTDevice.hpp"
