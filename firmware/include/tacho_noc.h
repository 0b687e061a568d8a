/* SPDX-License-Identifier: Apache-2.0 */
/* The NoC interface: command buffers and counters. dataflow_api.h and the firmware build on
 * it. */
#ifndef TACHO_NOC_H
#define TACHO_NOC_H

#include "tacho_hw.h"

#ifndef TACHO_NIU_STRIDE
#define TACHO_NIU_STRIDE 0x400
#endif
#ifndef TACHO_PACKET
#define TACHO_PACKET 8192
#endif

#define NIU(noc, buffer, reg) \
	REG32(0xFFB20000 + (noc)*0x10000 + (buffer)*TACHO_NIU_STRIDE + (reg)*4)
#define NIU_COUNTER(noc, i) REG32(0xFFB20000 + (noc)*0x10000 + 0x200 + (i)*4)
#define NIU_CONFIG(noc, i)  REG32(0xFFB20000 + (noc)*0x10000 + 0x100 + (i)*4)

enum {
	NIU_TARG_LO,
	NIU_TARG_MID,
	NIU_RET_LO = 3,
	NIU_RET_MID,
	NIU_TAG = 6,
	NIU_CTRL,
	NIU_LEN,
	NIU_DATA,
	NIU_GO
};
enum {
	NIU_ATOMIC_RESP,
	NIU_WRITE_ACK,
	NIU_READ_RESP,
	NIU_READ_SENT = 5,
	NIU_WRITE_SENT = 10,
	NIU_POSTED_SENT
};
/* One buffer per kind of command, so that none has to be set up twice. */
enum { NIU_BUF_WRITE, NIU_BUF_READ, NIU_BUF_INLINE, NIU_BUF_ATOMIC };

#define NIU_CTRL_READ   0x10
#define NIU_CTRL_WRITE  0x12
#define NIU_CTRL_POSTED 0x02
#define NIU_CTRL_INLINE 0x1A
#define NIU_CTRL_ATOMIC 0x11
#define NIU_CTRL_LINKED 0x40
#define NIU_CTRL_MCAST  0x20
#define NIU_CTRL_SOURCE 0x20000

/* x and y are above 36 bits of address; a multicast has the start above the end. */
#define NOC_XY_ADDR(x, y, addr) ((uint64_t)(addr) | (uint64_t)(x) << 36 | (uint64_t)(y) << 42)
#define NOC_MULTICAST_ADDR(x0, y0, x1, y1, addr)                                                 \
	((uint64_t)(addr) | (uint64_t)(x1) << 36 | (uint64_t)(y1) << 42 | (uint64_t)(x0) << 48 | \
	 (uint64_t)(y0) << 54)

FORCE_INLINE void niu_wait(uint32_t noc, uint32_t buffer)
{
	while (NIU(noc, buffer, NIU_GO))
		;
}

FORCE_INLINE void niu_read_packet(uint32_t noc, uint64_t from, uint32_t to, uint32_t size)
{
	niu_wait(noc, NIU_BUF_READ);
	NIU(noc, NIU_BUF_READ, NIU_TARG_LO) = (uint32_t)from;
	NIU(noc, NIU_BUF_READ, NIU_TARG_MID) = (uint32_t)(from >> 32);
	NIU(noc, NIU_BUF_READ, NIU_RET_LO) = to;
	NIU(noc, NIU_BUF_READ, NIU_CTRL) = NIU_CTRL_READ;
	NIU(noc, NIU_BUF_READ, NIU_LEN) = size;
	NIU(noc, NIU_BUF_READ, NIU_GO) = 1;
	noc_reads_num_issued[noc]++;
}

FORCE_INLINE void niu_write_packet(uint32_t noc, uint32_t from, uint64_t to, uint32_t size,
				   uint32_t ctrl)
{
	niu_wait(noc, NIU_BUF_WRITE);
	NIU(noc, NIU_BUF_WRITE, NIU_TARG_LO) = from;
	NIU(noc, NIU_BUF_WRITE, NIU_RET_LO) = (uint32_t)to;
	NIU(noc, NIU_BUF_WRITE, NIU_RET_MID) = (uint32_t)(to >> 32);
	NIU(noc, NIU_BUF_WRITE, NIU_CTRL) = ctrl;
	NIU(noc, NIU_BUF_WRITE, NIU_LEN) = size;
	NIU(noc, NIU_BUF_WRITE, NIU_GO) = 1;
}

/* Software counters start from the hardware's values. */
FORCE_INLINE void niu_sync_counters(uint32_t noc)
{
	noc_reads_num_issued[noc] = NIU_COUNTER(noc, NIU_READ_RESP);
	noc_nonposted_writes_num_issued[noc] = NIU_COUNTER(noc, NIU_WRITE_SENT);
	noc_nonposted_writes_acked[noc] = NIU_COUNTER(noc, NIU_WRITE_ACK);
	noc_nonposted_atomics_acked[noc] = NIU_COUNTER(noc, NIU_ATOMIC_RESP);
	noc_posted_writes_num_issued[noc] = NIU_COUNTER(noc, NIU_POSTED_SENT);
}

#endif
