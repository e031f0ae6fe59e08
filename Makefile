# The commands a person types. Everything else is CMake: see CMakePresets.json.
JOBS ?= $(shell nproc)

.PHONY: all build deps demo test test-long install format tidy clean
all: build

deps:
	@./cmake/deps.sh

build: deps
	@cmake --preset release > build.log 2>&1 || { cat build.log; exit 1; }
	@rm -f build.log
	@cmake --build --preset release -j $(JOBS) -- --quiet

demo: build
	@./examples/demo.sh build/bin/taskrace

test: build
	@ctest --test-dir build --output-on-failure -j $(JOBS) --progress

test-long: build
	@TASKRACE_LONG=1 ctest --test-dir build --output-on-failure -j $(JOBS)

PREFIX ?= /usr/local
install: build
	@cmake --install build --prefix $(PREFIX)

format:
	@git ls-files '*.h' '*.hpp' '*.cc' '*.cpp' '*.c' | xargs clang-format-19 -i

tidy: build
	@git ls-files 'detect/*.cc' 'exec/*.cc' 'runtime/*.cc' 'report/*.cc' 'driver/*.cc' | xargs clang-tidy-19 -p build --quiet

clean:
	@rm -rf build build-*
