# Thin front of CMake: the presets in CMakePresets.json do the work.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

all: build/build.ninja
	@cmake --build build -j $(JOBS)

build/build.ninja:
	@cmake --preset release -DCMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null

.PHONY: all setup demo test test-long bench fuzz install clean
setup:
	@scripts/setup

demo: setup all
	@scripts/demo

test: setup
	@scripts/test

test-long: setup
	@scripts/test --long

bench: all
	@scripts/bench

fuzz: setup
	@scripts/fuzz

install: all
	@cmake --install build

clean:
	@rm -rf build build-asan build-tsan build-debug build-fuzz
