#include "tacho_all.inc"
