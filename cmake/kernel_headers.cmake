# SPDX-License-Identifier: Apache-2.0
# The names under which kernels include the kernel API, old and new: each is a header of one line, made
# here, that includes the one of firmware/include/kernel that has the content.
set(forward ${kernel_dir}/forward)

function(kernel_header target)
	foreach(name ${ARGN})
		file(CONFIGURE OUTPUT ${forward}/${name} CONTENT "#include \"${target}\"\n" @ONLY)
		if(name MATCHES "^(api|internal|experimental)/")
			foreach(folder hw/inc tt_metal/hw/inc)
				file(CONFIGURE OUTPUT ${forward}/${folder}/${name} CONTENT "#include \"${target}\"\n" @ONLY)
			endforeach()
		endif()
	endforeach()
endfunction()

set(compute_names
	add_int_sfpu atan2 bcast binary_bitwise_sfpu binary_comp binary_fmod binary_max_min binary_remainder
	binary_shift blank cb_api common common_globals compute_kernel_api compute_kernel_hw_startup
	copy_dest_values cumsum div_int32_floor div_int32_sfpu eltwise_binary eltwise_binary_sfpu ema gcd isclose
	layernorm lcm logsigmoid mask matmul mul_int_sfpu mul_int32_sfpu pack pack_untilize quantization
	reconfig_data_format reg_api reshuffle sfpu_binary_bcast situ_glu softmax src_order sub_int_sfpu
	tile_move_copy tilize transpose transpose_dest transpose_wh transpose_wh_dest untilize welford xlogy
	sentinel/compute_kernel_sentinel
	experimental/sdpa_sub_custom experimental/indexer_mul_custom experimental/matmul_custom
	experimental/fast_untilize
	eltwise_unary/activations eltwise_unary/addcdiv eltwise_unary/addcmul eltwise_unary/binop_with_scalar
	eltwise_unary/bitwise eltwise_unary/bitwise_and eltwise_unary/bitwise_not eltwise_unary/bitwise_or
	eltwise_unary/bitwise_xor eltwise_unary/cbrt eltwise_unary/clamp eltwise_unary/comp eltwise_unary/digamma
	eltwise_unary/dropout eltwise_unary/eltwise_unary eltwise_unary/elu eltwise_unary/erf_erfc
	eltwise_unary/erfinv eltwise_unary/exp eltwise_unary/fill eltwise_unary/fmod eltwise_unary/gelu
	eltwise_unary/hardmish eltwise_unary/hardtanh eltwise_unary/i0 eltwise_unary/i1 eltwise_unary/identity
	eltwise_unary/isinf_isnan eltwise_unary/left_shift eltwise_unary/lerp eltwise_unary/lgamma
	eltwise_unary/log1p eltwise_unary/logical_not eltwise_unary/logical_not_noti eltwise_unary/mac
	eltwise_unary/mish eltwise_unary/negative eltwise_unary/polygamma eltwise_unary/prelu eltwise_unary/rand
	eltwise_unary/rdiv eltwise_unary/recip eltwise_unary/relu eltwise_unary/remainder
	eltwise_unary/reverseops eltwise_unary/right_shift eltwise_unary/rounding eltwise_unary/rpow
	eltwise_unary/rsqrt eltwise_unary/rsub eltwise_unary/selu eltwise_unary/sfpu_int_sum
	eltwise_unary/sfpu_split_includes eltwise_unary/shift eltwise_unary/snake_beta eltwise_unary/softcap
	eltwise_unary/softplus eltwise_unary/sqrt eltwise_unary/tanh_derivative eltwise_unary/tanhshrink
	eltwise_unary/threshold eltwise_unary/topk eltwise_unary/trigonometry eltwise_unary/typecast
	eltwise_unary/where eltwise_unary/xielu)
foreach(name ${compute_names})
	kernel_header(kernel/compute.h api/compute/${name}.h compute_kernel_api/${name}.h)
endforeach()
kernel_header(kernel/reduce.h api/compute/reduce.h compute_kernel_api/reduce.h api/compute/reduce_custom.h)
kernel_header(compute_kernel_api.h tt_metal/include/compute_kernel_api.h)

kernel_header(dataflow_api.h tt_metal/hw/inc/dataflow_api.h)
foreach(name dataflow_api noc circular_buffer dataflow_buffer endpoints noc_semaphore)
	kernel_header(kernel/any.h api/dataflow/${name}.h)
endforeach()
foreach(name noc circular_buffer dataflow_buffer endpoints noc_semaphore core_local_mem lock tensor)
	kernel_header(kernel/any.h experimental/${name}.h)
endforeach()
foreach(name noc_traits tensor_accessor tensor_accessor_args tensor_binding_token page local_tensor_accessor
		pages_address_iterator shard_pages_address_iterator)
	kernel_header(kernel/any.h api/tensor/${name}.h)
endforeach()
kernel_header(kernel/any.h
	accessor/tensor_accessor.h accessor/tensor_accessor_args.h tensor_accessor.h
	api/alignment.h api/core_local_mem.h api/kernel_thread_globals.h api/scratchpad.h api/lock.h
	ckernel.h llk_defs.h ckernel_globals.h ckernel_sfpu.h defines_generated.h llk_math_common_api.h
	llk_pack_api.h llk_unpack_common_api.h llk_unpack_AB_api.h llk_math_binary_api.h llk_math_common.h
	llk_math_eltwise_binary.h tensor_shape.h internal/firmware_common.h firmware_common.h
	ckernel_defs.h ckernel_include.h risc_common.h risc_attribs.h dev_mem_map.h noc_parameters.h
	noc_nonblocking_api.h circular_buffer.h circular_buffer_interface.h core_config.h tensix_types.h
	noc/noc_parameters.h internal/risc_attribs.h internal/circular_buffer_interface.h
	internal/dataflow/dataflow_api_addrgen.h internal/dataflow/dataflow_api_common.h hostdev/dev_msgs.h
	internal/mod_div_lib.h internal/tt-1xx/risc_common.h tensix.h
	hostdevcommon/common_values.hpp hostdevcommon/kernel_structs.h hostdevcommon/tensor_accessor/arg_config.hpp
	eth_l1_address_map.h tt_metal/hostdevcommon/common_values.hpp
	tt-metalium/constants.hpp tt-metalium/buffer_types.hpp tt-metalium/circular_buffer_constants.h
	tt_metal/common/constants.hpp tt_metal/api/tt-metalium/constants.hpp)
kernel_header(kernel/sfpu_calls.h
	experimental/llk_sfpu/ckernel_sfpu_sdpa.h experimental/llk_sfpu/ckernel_sfpu_sdpa_fw.h
	llk_math_eltwise_unary_sfpu_macros.h)
kernel_header(kernel/args.h api/compile_time_args.h compile_time_args.h experimental/kernel_args.h)
kernel_header(kernel/numeric.h
	api/numeric/bfloat16.h api/numeric/float32.h api/numeric/int32.h utils/bfloat16.h)
foreach(name dprint device_print dprint_pages dprint_tile assert waypoint ring_buffer pause checkpoint dump)
	kernel_header(kernel/print.h api/debug/${name}.h)
	if(NOT name STREQUAL dprint)
		kernel_header(kernel/print.h debug/${name}.h)
	endif()
endforeach()
kernel_header(tacho/kernel_profiler.h tt_metal/tools/profiler/kernel_profiler.hpp)

# What kernels may include and the API does not have: an error that names it, not a missing file.
function(kernel_header_refused what)
	foreach(name ${ARGN})
		file(CONFIGURE OUTPUT ${forward}/${name} CONTENT "#error \"${what} is not supported: docs/kernels.md\"\n" @ONLY)
	endforeach()
endfunction()
kernel_header_refused("fabric (streams of the NoC overlay)" noc_overlay_parameters.h
	tt_metal/fabric/hw/inc/tt_fabric_api.h tt_metal/fabric/hw/inc/noc_addr.h
	tt_metal/fabric/hw/inc/edm_fabric/fabric_connection_manager.hpp)
kernel_header_refused("SFPI, the vector types of another compiler," sfpi.h)
kernel_header_refused("the firmware of Ethernet cores" eth_fw_api.h)

install(DIRECTORY ${forward}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tacho/firmware/forward)
