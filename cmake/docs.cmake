# SPDX-License-Identifier: Apache-2.0
# Man pages and shell completion, made from the tables of verbs and options.
file(GLOB docs_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/docs/*.c)
add_executable(tacho-gendocs ${docs_sources})
target_link_libraries(tacho-gendocs PRIVATE tacho_cmds)
add_custom_command(
	OUTPUT ${CMAKE_BINARY_DIR}/docs.stamp
	COMMAND tacho-gendocs ${CMAKE_BINARY_DIR}
	COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/docs.stamp
	DEPENDS tacho-gendocs
	COMMENT "Making man pages and completions")
add_custom_target(docs ALL DEPENDS ${CMAKE_BINARY_DIR}/docs.stamp)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/notebooks DESTINATION ${CMAKE_INSTALL_DATADIR}/tacho)
# By the paths that guides give, below share/tacho.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/notebooks DESTINATION ${CMAKE_INSTALL_DATADIR}/tacho/tt-train)
install(PROGRAMS ${PROJECT_SOURCE_DIR}/tt_torch/tools/profile.py DESTINATION ${CMAKE_INSTALL_DATADIR}/tacho/tt_torch/tools)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
	PATTERN CMakeLists.txt EXCLUDE)
install(DIRECTORY ${CMAKE_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(DIRECTORY ${CMAKE_BINARY_DIR}/completions/bash/
	DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(DIRECTORY ${CMAKE_BINARY_DIR}/completions/zsh/
	DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(DIRECTORY ${CMAKE_BINARY_DIR}/completions/fish/
	DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
