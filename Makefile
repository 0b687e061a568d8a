# SPDX-License-Identifier: Apache-2.0
# Thin front of CMake: the presets in CMakePresets.json do the work.
JOBS ?= $(shell nproc)

all: build/build.ninja
	@cmake --build build -j $(JOBS)

build/build.ninja:
	@cmake --preset release >/dev/null

.PHONY: all setup setup-tests demo demo-fleet check test test-all bench fuzz install deb wheel clean
setup:
	@scripts/setup

setup-tests:
	@scripts/setup --tests

demo: setup all
	@scripts/demo

demo-fleet: setup all
	@scripts/demo-fleet

check: setup-tests
	@scripts/check

test: setup-tests
	@scripts/test

test-all:
	@scripts/setup --tests --packages
	@scripts/check
	@scripts/test --all

bench: all
	@scripts/bench

fuzz: setup-tests
	@scripts/fuzz

# What is installed is reported in a few lines: each file is in build/install_manifest.txt.
install: setup all
	@cmake --install build $(if $(PREFIX),--prefix "$(PREFIX)") >build/install.log || { cat build/install.log; exit 1; }
	@scripts/after-install "$(PREFIX)"

# Debian packages, and a wheel for one interpreter (PYTHON=python3.12), in dist/.
deb:
	@scripts/setup --packages
	@scripts/deb

wheel: setup
	@scripts/wheel

clean:
	@rm -rf build build-asan build-tsan build-debug build-clang build-fuzz build-pip dist
