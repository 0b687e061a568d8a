# SPDX-License-Identifier: Apache-2.0
# Run on every build by cmake/commit.cmake, with SOURCE, OUTPUT and COMMIT.
if(NOT COMMIT)
	file(READ ${SOURCE}/cmake/commit.txt COMMIT)
	string(SUBSTRING "${COMMIT}" 0 10 COMMIT)
endif()
if(COMMIT MATCHES "^\\$") # not from "git archive"
	set(COMMIT "")
	# Not the repository of somebody who has unpacked us inside of it: the .git must be ours.
	if(EXISTS ${SOURCE}/.git)
		execute_process(COMMAND git describe --always --abbrev=10 --dirty --exclude=*
			WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE COMMIT ERROR_QUIET
			OUTPUT_STRIP_TRAILING_WHITESPACE)
	endif()
endif()
set(text "#define TACHO_COMMIT \"${COMMIT}\"\n")
set(before "")
if(EXISTS ${OUTPUT})
	file(READ ${OUTPUT} before)
endif()
if(NOT text STREQUAL before)
	file(WRITE ${OUTPUT} "${text}")
endif()
