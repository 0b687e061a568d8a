# SPDX-License-Identifier: Apache-2.0
# libtacho_device: devices for programs, with the software device inside. It records through libtacho.
#
# Kernels do not depend on how the host's part is built: build-asan shares the folder of generated headers, whose path
# is part of a kernel's command, and the cache of compiled kernels with build.
set(kernel_dir ${CMAKE_BINARY_DIR})
if(TACHO_SANITIZE)
	string(REGEX REPLACE "-[a-z]+$" "" kernel_dir ${CMAKE_BINARY_DIR})
endif()
target_compile_definitions(tacho_device PRIVATE
	TACHO_SOURCE_FIRMWARE="${PROJECT_SOURCE_DIR}/firmware"
	TACHO_SOURCE_FORWARD="${kernel_dir}/forward"
	TACHO_SOURCE_INCLUDE="${PROJECT_SOURCE_DIR}/include"
	TACHO_SHARE="${CMAKE_INSTALL_DATADIR}/tacho")
target_include_directories(tacho_device PUBLIC ${PROJECT_SOURCE_DIR}/firmware/include)
# Kernels get their headers from a folder of their own: the one for host programs can be /usr/include, whose
# headers of libc are not for them.
install(DIRECTORY firmware/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tacho/firmware)
install(DIRECTORY include/tools DESTINATION ${CMAKE_INSTALL_DATADIR}/tacho/include)
include(cmake/kernel_headers.cmake)
install(FILES include/tacho/kernel_profiler.h DESTINATION ${CMAKE_INSTALL_DATADIR}/tacho/include/tacho)
install(FILES include/tacho/metalium/enums.hpp DESTINATION ${CMAKE_INSTALL_DATADIR}/tacho/include/tacho/metalium)
configure_file(cmake/tacho-device.pc.in ${PROJECT_BINARY_DIR}/tacho-device.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tacho-device.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

file(WRITE ${CMAKE_BINARY_DIR}/device_empty.c "")
add_library(libtacho_device SHARED ${CMAKE_BINARY_DIR}/device_empty.c)
set_target_properties(libtacho_device PROPERTIES INSTALL_RPATH "\$ORIGIN" OUTPUT_NAME tacho_device EXPORT_NAME tacho_device
	VERSION ${PROJECT_VERSION} SOVERSION 0)
# libtacho comes after what needs it: linkers that default to --as-needed would drop it otherwise.
target_link_libraries(libtacho_device
	PRIVATE -Wl,--whole-archive $<TARGET_FILE:tacho_device> -Wl,--no-whole-archive
		$<TARGET_FILE:tacho_ttlog> $<TARGET_FILE:tacho_op> $<TARGET_FILE:tacho_tensix> $<TARGET_FILE:tacho_clock> $<TARGET_FILE:tacho_base> m
	PUBLIC libtacho)
add_dependencies(libtacho_device tacho_device tacho_ttlog tacho_op tacho_tensix tacho_clock tacho_base)
