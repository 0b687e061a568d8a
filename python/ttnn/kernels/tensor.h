/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes where a page of a tensor is: tensors are interleaved over DRAM banks or the cores' L1.
 */
#ifndef TENSOR_H
#define TENSOR_H

#include "dataflow_api.h"

FORCE_INLINE uint64_t tensor_page(uint32_t page, uint32_t base, uint32_t in_l1, uint32_t page_size)
{
	return in_l1 ? tacho_page_l1(page, base, page_size)
		     : tacho_page_dram(page, base, page_size);
}

#endif
