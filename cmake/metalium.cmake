# SPDX-License-Identifier: Apache-2.0
# Programs written for tt-metal: each header that they include leads to tacho/metalium.hpp. The names are generated from
# these lists and installed in a folder of their own, which pkg-config tacho-metalium and find_package(TT-Metalium) add.
set(metalium_headers
	allocator assert device_impl base_types bfloat16 bfloat4 bfloat8 buffer buffer_distribution_spec buffer_types circular_buffer
	circular_buffer_config command_queue constants core_coord data_types device device_types dispatch_core_common distributed
	event global_semaphore hal hal_types host_api kernel_types logger math mesh_buffer mesh_command_queue mesh_config mesh_coord
	mesh_device mesh_device_view mesh_event mesh_trace_id mesh_workload profiler_optional_metadata profiler_types program
	runtime_args_data semaphore kernel shape shape2d sub_device sub_device_types system_mesh tensor_accessor_args test_tiles tile
	tt_align tt_backend_api_types tt_metal tt_metal_profiler util utils work_split
	experimental/profiler experimental/realtime_profiler
	experimental/metal2_host_api/advanced_options experimental/metal2_host_api/dataflow_buffer_spec
	experimental/metal2_host_api/kernel_spec experimental/metal2_host_api/node_coord experimental/metal2_host_api/program
	experimental/metal2_host_api/program_run_args experimental/metal2_host_api/program_spec
	experimental/metal2_host_api/semaphore_spec experimental/metal2_host_api/work_unit_spec)
list(TRANSFORM metalium_headers PREPEND tt-metalium/)
list(TRANSFORM metalium_headers APPEND .hpp)
list(APPEND metalium_headers
	tt-metalium/circular_buffer_constants.h hostdevcommon/common_values.hpp hostdevcommon/kernel_structs.h
	hostdevcommon/profiler_common.h umd/device/types/arch.hpp umd/device/types/core_coordinates.hpp umd/device/types/xy_pair.hpp
	umd/device/tt_xy_pair.h third_party/umd/device/tt_xy_pair.h tt_stl/assert.hpp tt_stl/fmt.hpp tt_stl/overloaded.hpp tt_stl/reflection.hpp
	tt_stl/small_vector.hpp tt_stl/span.hpp tt_stl/strong_type.hpp tt-logger/tt-logger.hpp tools/profiler/op_profiler.hpp
	umd/device/types/cluster_descriptor_types.hpp umd/device/types/arch.h umd/device/types/xy_pair.h
	umd/device/tt_core_coordinates.h umd/device/tt_arch_types.h umd/device/tt_cluster_descriptor.h umd/device/tt_soc_descriptor.h
	magic_enum/magic_enum.hpp autograd/auto_context.hpp core/tt_profiler.hpp)
# Those of 2024, with and without the first folder.
set(metalium_old
	common/assert common/bfloat16 common/constants common/core_coord common/logger common/test_tiles
	common/work_split common/bfloat8 common/bfloat4 common/math common/utils common/tt_backend_api_types
	impl/buffers/semaphore impl/buffers/circular_buffer impl/event/event impl/kernels/kernel impl/kernels/kernel_types
	impl/device/device_pool
	detail/tt_metal detail/util host_api impl/buffers/buffer impl/device/device impl/dispatch/command_queue
	impl/profiler/tt_metal_profiler impl/program/program hostdevcommon/common_values)
set(metalium_dir ${PROJECT_BINARY_DIR}/metalium)
foreach(header ${metalium_headers})
	file(CONFIGURE OUTPUT ${metalium_dir}/${header} CONTENT "#pragma once\n#include <tacho/metalium.hpp>\n")
endforeach()
set(old_text "#pragma once\n#ifndef TACHO_METALIUM_API\n#define TACHO_METALIUM_API 2024\n#endif\n#include <tacho/metalium.hpp>\n")
foreach(header ${metalium_old})
	file(CONFIGURE OUTPUT ${metalium_dir}/tt_metal/${header}.hpp CONTENT "${old_text}")
	if(NOT EXISTS ${metalium_dir}/${header}.hpp)
		file(CONFIGURE OUTPUT ${metalium_dir}/${header}.hpp CONTENT "${old_text}")
	endif()
endforeach()
foreach(header tt_metal/hostdevcommon/profiler_common.h tt_metal/common/core_coord.h common/core_coord.h
		third_party/magic_enum/magic_enum.hpp tt_metal/hostdevcommon/common_runtime_address_map.h
		hostdevcommon/common_runtime_address_map.h test_tiles.hpp bfloat16.hpp logger.hpp constants.hpp assert.hpp
		device/tt_arch_types.h tt_backend_api_types.hpp)
	file(CONFIGURE OUTPUT ${metalium_dir}/${header} CONTENT "${old_text}")
endforeach()
foreach(header tt_metal/common/tilize_untilize.hpp common/tilize_untilize.hpp)
	file(CONFIGURE OUTPUT ${metalium_dir}/${header} CONTENT "${old_text}#include <tacho/metalium/tilize.hpp>\n")
endforeach()
foreach(header tt-metalium/tilize_utils.hpp tt-metalium/tilize_untilize.hpp)
	file(CONFIGURE OUTPUT ${metalium_dir}/${header} CONTENT
		"#pragma once\n#include <tacho/metalium.hpp>\n#include <tacho/metalium/tilize.hpp>\n")
endforeach()
# A name of fmt since version 11.
file(CONFIGURE OUTPUT ${metalium_dir}/fmt/base.h CONTENT
	"#if __has_include_next(<fmt/base.h>)\n#include_next <fmt/base.h>\n#else\n#include <fmt/format.h>\n#endif\n")

# TRACY_ENABLE: the programs' zones count, as with tt-metal's own package.
add_library(tacho_metalium INTERFACE)
target_compile_features(tacho_metalium INTERFACE cxx_std_20)
target_compile_definitions(tacho_metalium INTERFACE FMT_HEADER_ONLY TRACY_ENABLE)
# The pragma of base.hpp does not reach programs that use the header precompiled.
target_compile_options(tacho_metalium INTERFACE -Wno-narrowing)
target_include_directories(tacho_metalium INTERFACE
	$<BUILD_INTERFACE:${metalium_dir}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/tacho/tt>)
target_link_libraries(tacho_metalium INTERFACE libtacho_device)
set_target_properties(tacho_metalium PROPERTIES EXPORT_NAME metalium)
install(DIRECTORY ${metalium_dir}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tacho/tt)
install(TARGETS tacho_metalium libtacho_device EXPORT TachoTargets)

set(metalium_package ${CMAKE_INSTALL_LIBDIR}/cmake/TT-Metalium)
install(FILES cmake/TT-MetaliumConfig.cmake DESTINATION ${metalium_package})
configure_file(cmake/tacho-metalium.pc.in ${PROJECT_BINARY_DIR}/tacho-metalium.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tacho-metalium.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
