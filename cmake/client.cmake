# libtacho: what programs link. Needs libc alone and exports only tacho_* and ___tracy_* names.
file(GLOB client_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/client/*.c ${PROJECT_SOURCE_DIR}/src/client/*.cpp)
