/* SPDX-License-Identifier: Apache-2.0 */
/* An instrumented library that is loaded, used and unloaded by plugins.c. */
#include <tacho/tacho.h>

__attribute__((visibility("default"))) int plugin_work(int n);

int plugin_work(int n)
{
	TACHO_ZONE("plugin");

	TACHO_MESSAGE("from the plugin");
	TACHO_PLOT("plugin plot", n);
	return n + 1;
}
