#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds Tacho by the name and with the options that guides to tt-metal give. The profiler is always part of it.
usage="usage: ./build_metal.sh [-b Release|RelWithDebInfo|Debug] [--enable-profiler] [--build-tt-train] [--clean] [--help]"
cd "$(dirname "$0")" || exit 1
type=
while [ $# != 0 ]; do
	case $1 in
	-b | --build-type)
		[ $# -gt 1 ] || { echo "build_metal.sh: $1 needs a value; $usage" >&2; exit 2; }
		type=$2
		shift
		;;
	--build-type=*) type=${1#*=} ;;
	--release) type=Release ;;
	--debug | --development) type=Debug ;;
	-p | --enable-profiler | --enable-profile | --enable-tracy) ;; # always on
	--build-tt-train | --build-tests | --build-programming-examples | --build-all) ;; # examples and tests are always built
	--without-python-bindings | --enable-ccache | -c | -e | --export-compile-commands) ;;
	--clean) exec make clean ;;
	-h | --help) echo "$usage"; exit 0 ;;
	*) echo "build_metal.sh: there is no option $1; $usage" >&2; exit 2 ;;
	esac
	shift
done
case $type in
'' | Release | RelWithDebInfo) exec make setup all ;;
Debug)
	make setup && cmake --preset debug && cmake --build --preset debug -j "$(nproc)"
	;;
*) echo "build_metal.sh: there is no build type $type; $usage" >&2; exit 2 ;;
esac
