# SPDX-License-Identifier: Apache-2.0
# The viewer's page, web/dist as it is committed, becomes part of the program: packed, and taken in by
# the assembler's .incbin.
file(GLOB_RECURSE web_files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/web/dist ${PROJECT_SOURCE_DIR}/web/dist/*)
find_program(GZIP gzip REQUIRED)
set(web_dir ${CMAKE_BINARY_DIR}/web)
set(web_symbols "")
set(web_table "")
set(web_packed "")
set(web_number 0)
foreach(file ${web_files})
	set(source ${PROJECT_SOURCE_DIR}/web/dist/${file})
	set(packed ${web_dir}/${web_number}.gz)
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
	file(SHA256 ${source} hash)
	string(SUBSTRING ${hash} 0 16 hash)
	add_custom_command(OUTPUT ${packed}
		COMMAND ${CMAKE_COMMAND} -E make_directory ${web_dir}
		COMMAND ${GZIP} -9nc ${source} > ${packed}
		DEPENDS ${source} VERBATIM)
	string(APPEND web_symbols "EMBED(asset_${web_number}, \"${packed}\")\n")
	string(APPEND web_table "\t{\"/${file}\", asset_${web_number}, asset_${web_number}_end, \"${hash}\"},\n")
	list(APPEND web_packed ${packed})
	math(EXPR web_number "${web_number} + 1")
endforeach()
file(CONFIGURE OUTPUT ${web_dir}/table.c @ONLY CONTENT [[
/* Made by cmake/web.cmake. */
#include "http/assets.h"

#define EMBED(name, file)                                                                          \
	__asm__(".section .rodata\n.balign 16\n" #name ":\n.incbin \"" file "\"\n" #name           \
		"_end:\n.byte 0\n.previous\n");                                                    \
	extern const char name[], name##_end[];

@web_symbols@
const struct asset assets[] = {
@web_table@	{0},
};
const size_t asset_count = sizeof(assets) / sizeof(*assets) - 1;
]])
set_source_files_properties(${web_dir}/table.c PROPERTIES OBJECT_DEPENDS "${web_packed}")
target_sources(tacho_http PRIVATE ${web_dir}/table.c)
