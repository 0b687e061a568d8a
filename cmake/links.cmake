# SPDX-License-Identifier: Apache-2.0
# The names under which other tool chains know our verbs: links beside the program, installed too.
set(TACHO_LINKS tt-perf-report tt_profile tracy-csvexport csvexport-release tracy-capture
	capture-release tracy tracy-profiler Tracy-release)
foreach(link ${TACHO_LINKS})
	add_custom_command(TARGET tacho POST_BUILD
		COMMAND ${CMAKE_COMMAND} -E create_symlink tacho ${CMAKE_BINARY_DIR}/${link})
	# A program of that name that is there, such as Tracy's own viewer, stays.
	install(CODE "set(at \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/${link})
		if(EXISTS \${at} AND NOT IS_SYMLINK \${at})
			message(STATUS \"Not replaced: \${at}\")
		else()
			execute_process(COMMAND ${CMAKE_COMMAND} -E create_symlink tacho \${at})
		endif()")
endforeach()
# Where guides to tt-metal look for two of them.
add_custom_command(TARGET tacho POST_BUILD COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/tools/profiler/bin)
foreach(link capture-release csvexport-release)
	add_custom_command(TARGET tacho POST_BUILD
		COMMAND ${CMAKE_COMMAND} -E create_symlink ../../../tacho ${CMAKE_BINARY_DIR}/tools/profiler/bin/${link})
endforeach()
