# SPDX-License-Identifier: Apache-2.0
# libtacho: what programs link. Needs libc alone and exports only tacho_* and ___tracy_* names.
file(GLOB client_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/client/*.c ${PROJECT_SOURCE_DIR}/src/cfi/*.c)
add_library(tacho_client OBJECT ${client_sources})
target_include_directories(tacho_client PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_SOURCE_DIR}/src)
# A debug build without this would measure the debug build.
target_compile_options(tacho_client PRIVATE -O2 -Wpedantic)
# libc's functions are bound when the program is loaded: at a first call in a signal handler that would take 3 KB of its stack.
target_compile_options(tacho_client PRIVATE -fno-plt)

set(client_map ${PROJECT_SOURCE_DIR}/src/client/libtacho.map)
add_library(libtacho SHARED $<TARGET_OBJECTS:tacho_client>)
add_library(libtacho_static STATIC $<TARGET_OBJECTS:tacho_client>)
set_target_properties(libtacho libtacho_static PROPERTIES OUTPUT_NAME tacho EXPORT_NAME tacho)
set_target_properties(libtacho_static PROPERTIES EXPORT_NAME tacho_static)
set_target_properties(libtacho PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0 LINK_DEPENDS ${client_map})
# nodelete: threads call back into the library when they end, so dlclose() must not take it away.
target_link_options(libtacho PRIVATE -Wl,--version-script=${client_map} -Wl,-z,nodelete -Wl,-z,now)
foreach(lib libtacho libtacho_static)
	target_include_directories(${lib} PUBLIC
		$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
	target_link_libraries(${lib} PUBLIC Threads::Threads)
	if(ENABLE_TRACY OR TT_RUNTIME_ENABLE_PERF_TRACE)
		target_compile_definitions(${lib} INTERFACE TRACY_ENABLE)
	endif()
endforeach()

# Installation: pkg-config tacho, and find_package(Tacho) with Tacho::tacho and Tacho::tacho_static.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tacho)
install(TARGETS libtacho libtacho_static EXPORT TachoTargets)
install(EXPORT TachoTargets NAMESPACE Tacho:: DESTINATION ${package_dir})
configure_package_config_file(cmake/TachoConfig.cmake.in ${PROJECT_BINARY_DIR}/TachoConfig.cmake
	INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TachoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TachoConfig.cmake ${PROJECT_BINARY_DIR}/TachoConfigVersion.cmake
	DESTINATION ${package_dir})
file(RELATIVE_PATH pc_include ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
if(ENABLE_TRACY OR TT_RUNTIME_ENABLE_PERF_TRACE)
	set(pc_defines " -DTRACY_ENABLE")
endif()
configure_file(cmake/tacho.pc.in ${PROJECT_BINARY_DIR}/tacho.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tacho.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tacho ${PROJECT_SOURCE_DIR}/include/tracy
	DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
