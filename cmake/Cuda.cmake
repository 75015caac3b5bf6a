# The GPU: a module, libarne_cuda.so, which the library loads when it is asked for a device, and the benchmark
# arne_gpu_bench. Off, with one line that says so, where there is no nvcc.

set(ARNE_CUDA_ARCHITECTURE 90 CACHE STRING "The CUDA architecture to compile for (90: H100, H200)")
option(ARNE_CUDA "Build the GPU module where nvcc is found" ON)

if(NOT ARNE_CUDA OR ARNE_SANITIZE OR ARNE_FUZZ)
    message(STATUS "GPU: off in this build")
    return()
endif()
include(CheckLanguage)
find_program(ARNE_NVCC nvcc HINTS $ENV{CUDA_PATH} /usr/local/cuda PATH_SUFFIXES bin)
if(NOT ARNE_NVCC)
    message(STATUS "GPU: off, nvcc was not found")
    return()
endif()
if(NOT DEFINED ENV{CUDACXX})
    set(ENV{CUDACXX} ${ARNE_NVCC})
endif()
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
    message(STATUS "GPU: off, ${ARNE_NVCC} does not work here")
    return()
endif()
set(CMAKE_CUDA_ARCHITECTURES ${ARNE_CUDA_ARCHITECTURE})
enable_language(CUDA)
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
message(STATUS "GPU: on, with nvcc ${CMAKE_CUDA_COMPILER_VERSION} for sm_${ARNE_CUDA_ARCHITECTURE}")

# --- The module ----------------------------------------------------------------------------------

add_library(arne_cuda MODULE src/gpu/device.cu)
set(cuda_targets arne_cuda)
foreach(type float double)
    add_library(arne_cuda_${type} OBJECT src/gpu/kernels.cu)
    target_compile_definitions(arne_cuda_${type} PRIVATE ARNE_CUDA=${type})
    target_sources(arne_cuda PRIVATE $<TARGET_OBJECTS:arne_cuda_${type}>)
    list(APPEND cuda_targets arne_cuda_${type})
endforeach()
target_compile_definitions(arne_cuda PRIVATE ARNE_CUDA=double) # it only reads the robot's layout
foreach(target IN LISTS cuda_targets)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_include_directories(${target} PRIVATE src include ${PROJECT_BINARY_DIR}/texts)
endforeach()
install(TARGETS arne_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)

# --- The benchmark -------------------------------------------------------------------------------

if(NOT ARNE_BENCH)
    return()
endif()
if(NOT ARNE_HAVE_EXPAT)
    message(STATUS "GPU benchmark: off, its robot needs the URDF reader")
    return()
endif()
# The robot and its generated code are made at build time, so that the program reads no file.
set(embedded ${PROJECT_BINARY_DIR}/gpu_bench)
file(MAKE_DIRECTORY ${embedded})
add_executable(arne_gpu_embed EXCLUDE_FROM_ALL bench/gpu_embed.c)
target_include_directories(arne_gpu_embed PRIVATE src)
target_link_libraries(arne_gpu_embed PRIVATE arne_static m)
set(gpu_texts ${embedded}/robot.inl ${embedded}/float.inl ${embedded}/double.inl)
add_custom_command(OUTPUT ${gpu_texts} VERBATIM
    COMMAND arne_gpu_embed ${PROJECT_SOURCE_DIR}/robots/arm7.urdf ${embedded}
    DEPENDS arne_gpu_embed ${PROJECT_SOURCE_DIR}/robots/arm7.urdf)
add_custom_target(arne_gpu_texts DEPENDS ${gpu_texts})

# Half a minute of nvcc: only for those who ask (make bench-gpu).
add_executable(arne_gpu_bench EXCLUDE_FROM_ALL bench/gpu.cu bench/gpu_check.cu)
function(arne_add_generated name type)
    add_library(arne_gpu_${name} OBJECT EXCLUDE_FROM_ALL bench/gpu_generated.cu)
    add_dependencies(arne_gpu_${name} arne_gpu_texts)
    target_include_directories(arne_gpu_${name} PRIVATE ${embedded})
    target_compile_definitions(arne_gpu_${name} PRIVATE BENCH_REAL=${type} BENCH_TEXT="${type}.inl"
                                                        BENCH_LAUNCH=launch_${name})
    target_compile_options(arne_gpu_${name} PRIVATE ${ARGN})
    target_sources(arne_gpu_bench PRIVATE $<TARGET_OBJECTS:arne_gpu_${name}>)
endfunction()
arne_add_generated(float float)
arne_add_generated(float_fast float -use_fast_math)
arne_add_generated(double double)
add_dependencies(arne_gpu_bench arne_gpu_texts arne_cuda)
target_include_directories(arne_gpu_bench PRIVATE ${embedded})
# Only what it uses: it needs no parser where it runs.
target_link_options(arne_gpu_bench PRIVATE LINKER:--as-needed)
target_link_libraries(arne_gpu_bench PRIVATE arne_static m)

# Kernels as the library compiles them when it runs, beside the same by nvcc.
add_executable(arne_gpu_nvcc EXCLUDE_FROM_ALL bench/gpu_nvcc.c)
target_link_libraries(arne_gpu_nvcc PRIVATE arne_static m)
