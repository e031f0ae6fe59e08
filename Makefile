# The commands a person types. Everything else is CMake: see CMakePresets.json.
JOBS ?= $(shell nproc)

.PHONY: all configure build deps demo micro test test-long install format tidy clean
all: build

deps:
	@./cmake/deps.sh

configure: deps
	@mkdir -p build && cmake --preset release > build/configure.log 2>&1 || { cat build/configure.log; exit 1; }

build: configure
	@cmake --build --preset release -j $(JOBS) -- --quiet

# Only the tool, not its tests.
demo: configure
	@cmake --build --preset release -j $(JOBS) --target taskrace TaskracePass taskrace_rt -- --quiet
	@./examples/demo.sh build/bin/taskrace

test: build
	@./test/run.sh build $(JOBS)

test-long: build
	@TASKRACE_LONG=1 ./test/run.sh build $(JOBS)

# What the parts of the detector cost, one by one.
micro: configure
	@cmake --build --preset release -j $(JOBS) --target taskrace_micro -- --quiet
	@build/bin/taskrace_micro

PREFIX ?= /usr/local
install: build
	@cmake --install build --prefix $(PREFIX)

format:
	@git ls-files '*.h' '*.hpp' '*.cc' '*.cpp' '*.c' ':!test/lit' | xargs clang-format-19 -i

tidy: build
	@git ls-files 'detect/*.cc' 'exec/*.cc' 'runtime/*.cc' 'report/*.cc' 'driver/*.cc' | xargs clang-tidy-19 -p build --quiet

clean:
	@rm -rf build build-*
