# SPDX-License-Identifier: Apache-2.0
# The packages tracy and ttnn, in build/python: the Python files and, of tracy, an extension for every interpreter that is
# found. One folder serves them all, since each looks for its own file name. Without headers of Python
# there is no extension, and everything else is built as ever.
set(TACHO_INTERPRETERS "" CACHE STRING "interpreters to build the package tracy for; empty: all that are found")
set(TACHO_PYTHON_DIR ${CMAKE_INSTALL_LIBDIR}/tacho/python CACHE STRING
	"folder below the prefix that the packages tracy and ttnn are installed to")
set(python_dir ${CMAKE_BINARY_DIR}/python/tracy)
# Where the packages find libtacho: in a wheel, in the build tree, and from lib/tacho/python in an install tree.
set(python_rpath "$ORIGIN/../tracy/_tacho/lib:$ORIGIN/../..:$ORIGIN/../../..")

# An interpreter loads what was built with the address sanitizer when libasan was loaded before (tests/python.sh).
if(TACHO_FUZZ OR TACHO_SANITIZE MATCHES thread)
	set(python_found "")
elseif(NOT TACHO_INTERPRETERS)
	file(GLOB python_found /usr/bin/python3.[0-9]* /usr/local/bin/python3.[0-9]*)
	file(GLOB python_more $ENV{HOME}/.pyenv/versions/3.*/bin/python3)
	find_program(python_first python3)
	list(APPEND python_found ${python_more} ${python_first})
	list(FILTER python_found EXCLUDE REGEX "config$|/shims/")
else()
	set(python_found ${TACHO_INTERPRETERS})
endif()

# What is asked of each: "version;suffix;folder of Python.h", and nothing when it is of no use to us.
set(python_question "import sys, sysconfig, os
i = sysconfig.get_paths()['include']
ok = (3, 9) <= sys.version_info < (3, 14) and sys.implementation.name == 'cpython'
ok = ok and not sysconfig.get_config_var('Py_GIL_DISABLED') and os.path.exists(i + '/Python.h')
print('%d.%d;%s;%s' % (*sys.version_info[:2], sysconfig.get_config_var('EXT_SUFFIX'), i) if ok else '')")

file(GLOB python_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/tracy/*.c)
set(python_suffixes "")
# For the tests, one of each version: those that run as they are, or the one that needs libasan first and is slow.
set(python_list ${CMAKE_BINARY_DIR}/python/interpreters)
if(TACHO_SANITIZE)
	file(WRITE ${python_list} "")
	set(python_list ${CMAKE_BINARY_DIR}/python/sanitized)
endif()
file(WRITE ${python_list}.new "")
foreach(python ${python_found})
	execute_process(COMMAND ${python} -c "${python_question}" OUTPUT_VARIABLE answer ERROR_QUIET
		OUTPUT_STRIP_TRAILING_WHITESPACE)
	list(LENGTH answer length)
	if(NOT length EQUAL 3)
		continue()
	endif()
	list(GET answer 0 version)
	list(GET answer 1 suffix)
	list(GET answer 2 include)
	if(suffix IN_LIST python_suffixes OR (TACHO_SANITIZE AND python_suffixes))
		continue()
	endif()
	file(APPEND ${python_list}.new "${python}\n")
	list(APPEND python_suffixes ${suffix})
	add_library(python_${version} MODULE ${python_sources})
	target_include_directories(python_${version} SYSTEM PRIVATE ${include})
	target_compile_options(python_${version} PRIVATE -O2 -fno-plt)
	target_link_libraries(python_${version} PRIVATE libtacho)
	set_target_properties(python_${version} PROPERTIES PREFIX "" OUTPUT_NAME _tracy SUFFIX ${suffix}
		LIBRARY_OUTPUT_DIRECTORY ${python_dir} BUILD_WITH_INSTALL_RPATH ON
		INSTALL_RPATH "${python_rpath}")
	install(TARGETS python_${version} LIBRARY DESTINATION ${TACHO_PYTHON_DIR}/tracy)
	message(STATUS "Python package tracy for ${python}")
endforeach()

file(RENAME ${python_list}.new ${python_list})

# ttnn is Python on one C library, which serves all interpreters: there is no Python in it.
if(NOT TACHO_FUZZ)
	add_library(ttnn MODULE ${PROJECT_SOURCE_DIR}/python/ttnn/_ttnn.c)
	target_link_libraries(ttnn PRIVATE tacho_nn libtacho_device)
	set_target_properties(ttnn PROPERTIES PREFIX "" OUTPUT_NAME _ttnn C_VISIBILITY_PRESET hidden
		LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/python/ttnn BUILD_WITH_INSTALL_RPATH ON
		INSTALL_RPATH "${python_rpath}")
	install(TARGETS ttnn LIBRARY DESTINATION ${TACHO_PYTHON_DIR}/ttnn)
endif()

file(GLOB_RECURSE python_files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/python
	${PROJECT_SOURCE_DIR}/python/*.py ${PROJECT_SOURCE_DIR}/python/*/py.typed)
list(FILTER python_files INCLUDE REGEX "/")
set(python_copies "")
foreach(file ${python_files})
	add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/python/${file} DEPENDS ${PROJECT_SOURCE_DIR}/python/${file}
		COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/python/${file} ${CMAKE_BINARY_DIR}/python/${file})
	list(APPEND python_copies ${CMAKE_BINARY_DIR}/python/${file})
endforeach()
add_custom_target(python_files ALL DEPENDS ${python_copies})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/tracy ${PROJECT_SOURCE_DIR}/python/ttnn
	DESTINATION ${TACHO_PYTHON_DIR}
	FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)

# Metadata: pip lists the packages, and pytest finds the plugin.
set(python_info ${CMAKE_BINARY_DIR}/tacho-${PROJECT_VERSION}.dist-info)
configure_file(cmake/METADATA.in ${python_info}/METADATA @ONLY)
file(WRITE ${python_info}/entry_points.txt "[pytest11]\ntracy.pytest_plugin = tracy.pytest_plugin\n")
install(DIRECTORY ${python_info} DESTINATION ${TACHO_PYTHON_DIR})

set_source_files_properties(${PROJECT_SOURCE_DIR}/src/cmds/cmd_python.c PROPERTIES COMPILE_DEFINITIONS
	TACHO_PYTHON_DIR="${TACHO_PYTHON_DIR}")
