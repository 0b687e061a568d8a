# libtacho_device: devices for programs, with the software device inside. It records through libtacho.
target_compile_definitions(tacho_device PRIVATE
	TACHO_SOURCE_FIRMWARE="${PROJECT_SOURCE_DIR}/firmware"
	TACHO_SOURCE_INCLUDE="${PROJECT_SOURCE_DIR}/include"
	TACHO_SHARE="${CMAKE_INSTALL_DATADIR}/tacho/firmware" TACHO_INCLUDE="${CMAKE_INSTALL_INCLUDEDIR}")
target_include_directories(tacho_device PUBLIC ${PROJECT_SOURCE_DIR}/firmware/include)
install(DIRECTORY firmware/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tacho/firmware)
install(DIRECTORY include/tools DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
configure_file(cmake/tacho-device.pc.in ${PROJECT_BINARY_DIR}/tacho-device.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tacho-device.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

file(WRITE ${CMAKE_BINARY_DIR}/device_empty.c "")
add_library(libtacho_device SHARED ${CMAKE_BINARY_DIR}/device_empty.c)
set_target_properties(libtacho_device PROPERTIES INSTALL_RPATH "\$ORIGIN" OUTPUT_NAME tacho_device EXPORT_NAME tacho_device
	VERSION ${PROJECT_VERSION} SOVERSION 0)
target_link_libraries(libtacho_device PUBLIC libtacho
	PRIVATE -Wl,--whole-archive $<TARGET_FILE:tacho_device> -Wl,--no-whole-archive
		$<TARGET_FILE:tacho_tensix> $<TARGET_FILE:tacho_clock> $<TARGET_FILE:tacho_base> m)
add_dependencies(libtacho_device tacho_device tacho_tensix tacho_clock tacho_base)
install(TARGETS libtacho_device)
