/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the NoC events of a program as JSON. */
#include "ttlog/devnoc.h"

#include "ttlog/devrow.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* True if transfers of this kind have a destination core. */
static bool has_target(const char *type)
{
	return !op_noc_is_multicast(type) && !strstr(type, "WITH_STATE") &&
	       !strstr(type, "BARRIER") && !strstr(type, "FLUSH");
}

/* Keys in alphabetical order, as other writers have them. */
void devnoc_entry(struct json *j, const struct devnoc_run *run, const struct devnoc_entry *e)
{
	struct op_noc_word w = op_noc_word(e->word);
	bool zone = e->phase != NULL, addressed = !zone && e->addresses;

	json_object(j, NULL);
	if (addressed)
		json_uint(j, "dst_addr", devrow_noc(e->addresses).to);
	if (!zone && has_target(e->type)) {
		json_uint(j, "dx", w.x);
		json_uint(j, "dy", w.y);
	} else if (!zone && op_noc_is_multicast(e->type)) {
		json_uint(j, "mcast_end_x", w.end_x);
		json_uint(j, "mcast_end_y", w.end_y);
		json_uint(j, "mcast_start_x", w.x);
		json_uint(j, "mcast_start_y", w.y);
	}
	if (!zone) {
		json_text(j, "noc", w.noc ? "NOC_1" : "NOC_0");
		if (addressed)
			json_uint(j, "noc_status_counter", devrow_noc(e->addresses).counter);
		json_uint(j, "num_bytes", w.bytes);
	}
	json_string(j, "op_name", run->name, run->name_len);
	if (!zone && !strncmp(e->type, "WRITE", 5))
		json_bool(j, "posted", w.posted);
	json_text(j, "proc", e->risc);
	json_uint(j, "run_host_id", run->id);
	if (addressed)
		json_uint(j, "src_addr", devrow_noc(e->addresses).from);
	json_uint(j, "src_device_id", run->device);
	json_uint(j, "sx", e->x);
	json_uint(j, "sy", e->y);
	json_uint(j, "timestamp", e->cycles);
	if (zone) {
		json_text(j, "zone", e->type);
		json_text(j, "zone_phase", e->phase);
	} else {
		json_text(j, "type", e->type);
		json_int(j, "vc", w.vc);
	}
	json_end(j);
}

void devnoc_file_name(struct buf *out, const struct devnoc_run *run)
{
	buf_addf(out, "noc_trace_dev%u", run->device);
	if (run->name_len)
		buf_addc(out, '_');
	for (size_t i = 0; i < run->name_len && i < 100; i++)
		buf_addc(out, isalnum((unsigned char)run->name[i]) ? run->name[i] : '_');
	buf_addf(out, "_ID%" PRIu64, run->id);
	if (run->session)
		buf_addf(out, "_traceID%" PRIu64, run->trace << 32 | run->session);
	buf_adds(out, ".json");
}
