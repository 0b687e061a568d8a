/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Defaults of the address sanitizer for all fuzz targets. Inputs are small and many: a large
 * quarantine makes each allocation touch new pages, and the stack of each costs more than the call
 * itself. Run a crashing input again with ASAN_OPTIONS=malloc_context_size=30 for a full
 * report.
 */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "quarantine_size_mb=8:thread_local_quarantine_size_kb=64:malloc_context_size=0:"
	       "max_malloc_fill_size=64:allocator_release_to_os_interval_ms=-1";
}
