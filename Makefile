# make demo        build for this machine and show what Arne does
# make test        build and run every test, also under the sanitisers
#
# Both install the Debian packages they miss. The rest is for those who work on Arne:
#
# make quick       one build with warnings as errors, and the tests that need seconds
# make             the library and the program, in build/
# make install     install them; PREFIX=/usr/local unless told
# make python      the Python module, a wheel in build/python
# make wasm        the library for browsers: build/wasm, and the playground in build/playground.html
# make docs        the documentation as a site with search, in build/docs
# make pictures    draw the robots for their README again
# make bench       compare the speed with other libraries; leaves build/bench.csv
# make bench-gpu   the same on a GPU; compares with nvcc
# make check       format, clang-tidy, layers, locale, spelling
# make format      reformat all sources
# make test-wasm   the library for browsers against the program, and the playground in Chromium
# make test-long   make test, then the tests that compute in a build for this machine, generated code on a
#                  simulated microcontroller, lanes on a simulated ARM64, every allocation failing in turn,
#                  make test-wasm, a minute of fuzzing per target, 200 killed runs, 300 pairs of runs, 50 killed ranks of
#                  sweeps, and every way to install Arne, packages with lintian and their own tests too
# make fuzz        every fuzz target for TIME seconds (60); what it learns is kept in fuzz-corpus/
# make coverage    lines and branches that the tests reach, by folder
# make dist        the source archive, with the bundle of the viewer in it: build/arne-VERSION.tar.gz
# make release     what is published, in build/release: wheel, Debian packages, source archive, checksums
# make clean       remove build/

PREFIX ?= /usr/local
TIME ?= 60
JOBS   ?= $(shell nproc)
PYTHON ?= /usr/bin/python3

# Some tests wait for locks, browsers and killed processes: one more than there are cores.
CTEST = ctest --output-on-failure --no-label-summary --parallel $(shell expr $(JOBS) + 1)
PRODUCTS = arne_shared arne_static arne_program
# The thread sanitiser cannot always place its shadow where addresses are randomised widely.
NO_ASLR = $(shell setarch -R true 2>/dev/null && echo setarch -R)

FOLDERS = $(wildcard include src cli tests bench examples)
SOURCES = $(shell find $(FOLDERS) -name '*.[ch]' -o -name '*.cpp')

# $(call build,PRESET,DIRECTORY,TARGETS): configures and builds.
define build
	@cmake --preset $(1)
	@cmake --build $(2) --parallel $(JOBS) --target $(3)
endef

.NOTPARALLEL:
.PHONY: all demo quick test test-packages test-release test-clang test-native test-asan test-tsan \
        test-long fuzz coverage python release docs pictures wasm wasm-module test-wasm bench bench-gpu install dist format check check-packages check-format check-tidy \
        check-layers check-locale \
        check-web check-spelling clean

all:
	@tools/install-packages build
	$(call build,release,build,$(PRODUCTS))

demo:
	@tools/install-packages build
	$(call build,native,build/native,arne_program)
	@sh examples/identify_arm/run.sh build/native/arne robots build/demo/identify_arm >build/demo-identify_arm.txt
	build/native/arne demo --examples examples --out build/demo
	@echo "Open build/demo/index.html in a browser. The program is build/native/arne:"
	@echo "    export PATH=\"\$$PWD/build/native:\$$PATH\""

# Quick check while editing: one build, and the tests without the label `slow`.
quick:
	@tools/install-packages build test
	$(call build,dev,build/dev,all)
	$(CTEST) --test-dir build/dev --label-exclude slow

# The release build comes last, so that its summary is the last word.
test: test-packages test-clang test-asan test-tsan test-release

test-packages:
	@tools/install-packages build test python

test-release:
	$(call build,release,build,all)
	$(CTEST) --test-dir build

# A second opinion on our warnings; without clang there is none. Asked when it runs, not before: the
# packages may just have been installed.
test-clang:
	@if command -v clang >/dev/null; then \
	    cmake --preset dev-clang && \
	    cmake --build build/dev-clang --parallel $(JOBS) --target $(PRODUCTS); \
	fi

# The kernels of the release build are compiled for each instruction set, and tested in each: a
# build for one machine has little of its own.
test-native:
	$(call build,native,build/native,arne_tests)
	$(CTEST) --test-dir build/native --label-regex computes

# These compute for minutes under a sanitiser; other tests run the same code. `make test-long` runs
# them.
LONG_UNDER_ASAN = ^(trajectory|regressor|identify_noise|scaling|optimal_control|receding_horizon|threads|plan_pushed|plan_derivatives|plan_loads|plan_search|plan_optima|plan_forbidden|rods|fmi_description|simulate_papers|cli/plan_pairs|corpora/.*|examples/(stair|lift|jump|gait|parking)|.*/functions)$$

# The search for leaks guesses where libraries that are loaded later keep what belongs to a thread,
# and may guess wrong and crash: it is told not to look there.
test-asan:
	$(call build,asan,build/asan,all)
	ASAN_OPTIONS=intercept_tls_get_addr=0 $(CTEST) --test-dir build/asan --exclude-regex '$(LONG_UNDER_ASAN)'

test-tsan:
	$(call build,tsan,build/tsan,test_batch test_threads)
	$(NO_ASLR) $(CTEST) --test-dir build/tsan

test-long: test test-native
	@tools/install-packages build test python docs fuzz long embedded arm64
	ASAN_OPTIONS=intercept_tls_get_addr=0 $(CTEST) --test-dir build/asan --tests-regex '$(LONG_UNDER_ASAN)'
	ARNE=build/arne ROBOTS=robots sh tests/codegen/cortex_m.sh
	sh tests/cross/neon.sh . build/neon
	$(call build,fuzz,build/fuzz,fuzz_targets)
	$(CTEST) --test-dir build/fuzz --label-regex fuzz
	sh tests/locales.sh build || [ $$? -eq 77 ]
	ARNE=build/arne ROBOTS=robots KILLS=200 sh tests/cli/killed.sh
	ARNE=build/arne ROBOTS=robots PAIRS=300 sh tests/cli/run_folder.sh
	ARNE=$(CURDIR)/build/arne ROBOTS=$(CURDIR)/robots KILLS=50 sh tests/cli/sweep_killed.sh
	ARNE_LONG=1 $(CTEST) --test-dir build --tests-regex '^python/pytest'
	tools/make-dist build
	sh tests/docs/install.sh build/arne-*.tar.gz
	tools/build-docs build/arne build/docs
	sh tests/browser/run.sh build/web-modules-tests tests/browser/site.mjs build/docs build/pictures/site || [ $$? -eq 77 ]
	sh tests/browser/run.sh build/web-modules-tests tests/browser/pages.mjs build/arne build/tests/make_run $(CURDIR)/robots build/pictures || [ $$? -eq 77 ]
	ARNE=$(CURDIR)/build/arne ROBOTS=$(CURDIR)/robots ARNE_LONG=1 sh tests/cli/walker.sh
	ARNE_LONG=1 build/tests/test_gait
	ARNE_LONG=1 build/tests/test_plan_optima
	ARNE_LONG=1 $(PYTHON) tests/draws/draws.py build/tests/run_scenarios --draws 1000
	ARNE_LONG=1 sh examples/jump/test.sh - build/arne robots
	ARNE_LONG=1 sh examples/stair/test.sh - build/arne robots
	ARNE_LONG=1 sh examples/trot/test.sh - build/arne robots
	$(MAKE) test-wasm
	JOBS=$(JOBS) ARNE_LONG=1 ARNE=build/arne ROBOTS=robots sh tests/faults/run.sh build/tests/libarne_faults.so
	ARNE_LONG=1 ARNE=build/arne ROBOTS=robots sh tests/faults/steps.sh build/tests/libarne_faults.so

python:
	@tools/install-packages build python
	$(call build,release,build,arne_python_all)
	ARNE_BUILD=build $(PYTHON) python/backend.py build/python

release: python
	@tools/install-packages build docs debian
	tools/make-release build/release

docs:
	@tools/install-packages build docs
	$(call build,release,build,arne_program)
	tools/build-docs build/arne build/docs

pictures:
	@tools/install-packages build test
	$(call build,release,build,arne_program)
	sh tests/browser/run.sh build/web-modules-tests web/draw.mjs build/arne robots robots/pictures

# Takes a minute of processor time, and a package of 500 MB: so nothing else asks for it.
wasm-module:
	@tools/install-packages build wasm
	@tools/build-wasm build/wasm || [ $$? -eq 77 ]

wasm: wasm-module
	$(call build,release,build,arne_program)
	@if [ -s build/web/playground.html ]; then cp build/web/playground.html build/ && echo build/playground.html; fi

test-wasm: wasm
	@tools/install-packages test
	ARNE=build/arne ROBOTS=robots WASM=build/wasm sh tests/wasm/run.sh build/web-modules-tests build/web/playground.html build/pictures

fuzz:
	@tools/install-packages build test fuzz
	$(call build,fuzz,build/fuzz,fuzz_targets)
	tools/fuzz $(TIME) build/fuzz/tests fuzz-corpus

# Tests that fail are no matter here; make test is for that. Left out are tests that need an
# installed Arne or compile what it generates, and failing allocations, which gcov itself does not
# survive.
coverage:
	@tools/install-packages build test coverage
	$(call build,coverage,build/coverage,all)
	-$(CTEST) --test-dir build/coverage --exclude-regex '^(codegen/|consumer|install|library|browser|peers|faults|docs/(control-loop|payload))'
	tools/coverage build/coverage

bench:
	@tools/install-packages build bench
	@tools/time-build build/timing
	@cmake --preset native -DARNE_PACKAGED=$(CURDIR)/build/timing/libarne.a
	@cmake --build build/native --parallel $(JOBS) --target arne_bench arne_packaged arne_program arne_plan_bench arne_number_bench \
		arne_optimal_control_bench arne_capture_bench
	build/native/arne_bench --csv build/bench.csv --packaged build/native/arne_packaged.so
	build/native/arne_plan_bench
	build/native/arne_optimal_control_bench
	build/native/arne_capture_bench
	build/native/bench/arne_number_bench
	@tools/time-files build/native/arne robots
	@tools/time-generated build/native/arne robots
	@tools/time-peers build/native/arne_bench

bench-gpu:
	@tools/install-packages build
	$(call build,release,build,arne_gpu_nvcc arne_program)
	build/arne bench --gpu robots/arm7.urdf robots/quadruped.yaml robots/humanoid.yaml
	build/bench/arne_gpu_nvcc nvcc build/gpu_nvcc robots/arm7.urdf robots/quadruped.urdf robots/humanoid.yaml

install:
	@tools/install-packages build
	@cmake --preset release -DCMAKE_INSTALL_PREFIX=$(PREFIX)
	@cmake --build build --parallel $(JOBS) --target $(PRODUCTS)
	@cmake --install build

dist:
	@tools/install-packages build
	@tools/make-dist build

format:
	@tools/install-packages check
	clang-format -i $(SOURCES)

check: check-packages check-format check-layers check-locale check-spelling check-web check-tidy

check-packages:
	@tools/install-packages build test check

# The formatter leaves comments alone, since they hold tables and equations: their width is looked
# at here.
check-format:
	clang-format --dry-run --Werror $(SOURCES)
	@! grep -nE '^.{101,}' $(SOURCES) | grep -E '^[^:]+:[0-9]+: *//'

check-layers:
	tools/check-layers

check-locale:
	tools/check-locale

# TypeScript and its linter, where npm has them.
check-web:
	@sh tests/browser/run.sh build/web-modules-tests types || [ $$? -eq 77 ]

check-spelling:
	codespell --ignore-words tools/codespell-ignore.txt --skip 'build,.git,*.json,*.csv,./tests/golden/*.txt'

# The library and the program; in tests the analyser does not see that a failed assertion leaves.
check-tidy:
	@cmake --preset dev-clang
	find src cli -name '*.c' | xargs -n 1 -P $(JOBS) clang-tidy --quiet -p build/dev-clang

clean:
	rm -rf build
