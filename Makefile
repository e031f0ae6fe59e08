# The commands a person types. Everything else is CMake: see CMakePresets.json.
JOBS ?= $(shell nproc)

.PHONY: all configure build deps demo micro test test-long test-all quick check-dev check-asan check-tsan install format \
        tidy package clean
all: build

deps:
	@./cmake/deps.sh

configure: deps
	@mkdir -p build && cmake --preset release > build/configure.log 2>&1 || { cat build/configure.log; exit 1; }

build: configure
	@cmake --build --preset release -j $(JOBS) -- --quiet

# Only the tool, not its tests.
demo: configure
	@cmake --build --preset release -j $(JOBS) --target taskrace TaskracePass taskrace_rt taskrace_omp -- --quiet
	@./examples/demo.sh build/bin/taskrace

test: build
	@./test/run.sh build $(JOBS)

test-long: build
	@TASKRACE_LONG=1 ./test/run.sh build $(JOBS)

# The tool and the unit tests of one folder of test/, which are named like the folder: make quick PART=detect.
PART ?= report
quick: configure
	@cmake --build --preset release -j $(JOBS) --target taskrace TaskracePass taskrace_rt test/$(PART)/all -- --quiet
	@ctest --preset quick -R '^$(PART)[._]' -j $(JOBS)

# Checked builds: invariants after every mutation, AddressSanitizer, ThreadSanitizer. They build and run the unit
# tests; programs under detection are left to the release build, whose runtime is the real one.
CHECKED_PARTS = detect exec report
check-dev check-asan check-tsan: check-%: deps
	@mkdir -p build-$* && cmake --preset $* > build-$*/configure.log 2>&1 || { cat build-$*/configure.log; exit 1; }
	@cmake --build --preset $* -j $(JOBS) --target $(CHECKED_PARTS:%=test/%/all) -- --quiet
	@ctest --preset $* -j $(JOBS)

# Everything: hours.
test-all: test-long tidy check-dev check-asan check-tsan

# What the parts of the detector cost, one by one.
micro: configure
	@cmake --build --preset release -j $(JOBS) --target taskrace_micro -- --quiet
	@build/bin/taskrace_micro

PREFIX ?= /usr/local
install: build
	@cmake --install build --prefix $(PREFIX)

# An archive of an installed tree, in build/.
VERSION = $(shell sed -n 's/^project(Taskrace VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
package: build
	@cmake --install build --prefix build/package/taskrace-$(VERSION) > build/package.log
	@tar -C build/package -czf build/taskrace-$(VERSION).tar.gz taskrace-$(VERSION)
	@echo build/taskrace-$(VERSION).tar.gz

format:
	@git ls-files '*.h' '*.hpp' '*.cc' '*.cpp' '*.c' ':!test/lit' | xargs clang-format-19 -i

# clang-tidy with the checks of .clang-tidy, on sources and, through them, on headers.
tidy: build
	@git ls-files 'exec/*.cc' 'runtime/*.cc' 'report/*.cc' 'driver/*.cc' 'compiler/*.cc' | \
	  xargs -P $(JOBS) -n 1 clang-tidy-19 -p build --quiet

clean:
	@rm -rf build build-*
