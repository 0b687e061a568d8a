/* SPDX-License-Identifier: Apache-2.0 */
#include "tacho_all.inc"
