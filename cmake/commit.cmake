# SPDX-License-Identifier: Apache-2.0
# commit.h, with the commit that "tacho version" prints. It is looked up on every build, but the file changes
# only with the commit, and only src/tacho.c includes it.
#
# In a git checkout git says which commit it is; in an archive made by "git archive", git has written it into
# cmake/commit.txt; TACHO_COMMIT overrides both (for packages); otherwise it stays empty.
set(TACHO_COMMIT "" CACHE STRING "the commit that \"tacho version\" prints; empty: ask git")
set(commit_dir ${CMAKE_BINARY_DIR}/commit)
set(commit_write ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUTPUT=${commit_dir}/commit.h
	-DCOMMIT=${TACHO_COMMIT} -P ${PROJECT_SOURCE_DIR}/cmake/write_commit.cmake)
# Now as well: editors and clang-tidy read the sources of a tree that was never built.
execute_process(COMMAND ${commit_write})
add_custom_target(commit BYPRODUCTS ${commit_dir}/commit.h COMMAND ${commit_write}
	COMMENT "Looking up the commit" VERBATIM)
add_dependencies(tacho commit)
target_include_directories(tacho PRIVATE ${commit_dir})
