# SPDX-License-Identifier: Apache-2.0
# For programs whose build says find_package(TT-Metalium) and links TT::Metalium.
include(CMakeFindDependencyMacro)
find_dependency(Tacho HINTS "${CMAKE_CURRENT_LIST_DIR}/..")
foreach(name Metalium STL CommonPCH)
	if(NOT TARGET TT::${name})
		add_library(TT::${name} INTERFACE IMPORTED)
		set_target_properties(TT::${name} PROPERTIES INTERFACE_LINK_LIBRARIES Tacho::metalium)
	endif()
endforeach()
