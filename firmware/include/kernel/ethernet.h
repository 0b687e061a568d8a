/* SPDX-License-Identifier: Apache-2.0 */
/* Ethernet: writes into L1 of the core at the other end of the link. */
#ifndef TACHO_KERNEL_ETHERNET_H
#define TACHO_KERNEL_ETHERNET_H

#include "tacho_hw.h"

#define TACHO_ETH(queue, reg) REG32(0xFFB90000 + (queue)*0x1000 + (reg))

FORCE_INLINE uint32_t eth_txq_is_busy(uint32_t queue)
{
	return TACHO_ETH(queue, 0x4);
}

/* In words of 16 bytes. */
FORCE_INLINE void eth_send_packet(uint32_t queue, uint32_t from, uint32_t to, uint32_t words)
{
	while (eth_txq_is_busy(queue))
		;
	TACHO_ETH(queue, 0x14) = from << 4;
	TACHO_ETH(queue, 0x1C) = to << 4;
	TACHO_ETH(queue, 0x18) = words << 4;
	TACHO_ETH(queue, 0x4) = 2;
}

/* Writes a register or a word of L1 of the other core. Everything sent before has then arrived. */
FORCE_INLINE void eth_write_remote_reg(uint32_t queue, uint32_t address, uint32_t value)
{
	while (eth_txq_is_busy(queue))
		;
	TACHO_ETH(queue, 0x1C) = address;
	TACHO_ETH(queue, 0x44) = value;
	TACHO_ETH(queue, 0x4) = 4;
}

/* Addresses and size: multiples of 16. */
FORCE_INLINE void eth_send_bytes(uint32_t from, uint32_t to, uint32_t size)
{
	eth_send_packet(0, from >> 4, to >> 4, size >> 4);
}

#endif
