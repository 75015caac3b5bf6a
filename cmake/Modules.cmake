# Modules: shared objects libarne_NAME.so that hold what needs a solver. The library loads them when
# planning or stiff integration starts (src/base/module.c says where it looks), so it needs no
# solver to be linked or to run.
#
# Each is off, with one line that says so, where its solver is missing.

include(CheckIncludeFile)
check_include_file(dlfcn.h ARNE_HAVE_DLOPEN)
if(ARNE_HAVE_DLOPEN)
    file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_property(SOURCE src/base/module.c APPEND PROPERTY COMPILE_DEFINITIONS ARNE_HAVE_DLOPEN
        ARNE_BIN_TO_LIB="${bin_to_lib}" ARNE_LIBDIR="${CMAKE_INSTALL_FULL_LIBDIR}")
    set_property(SOURCE src/gpu/nvrtc.c src/gpu/driver.c APPEND PROPERTY COMPILE_DEFINITIONS ARNE_HAVE_DLOPEN)
endif()

# arne_add_module(NAME SOURCE...): the target arne_NAME. It brings its own copy of what it calls of the library.
function(arne_add_module name)
    add_library(arne_${name} MODULE ${ARGN})
    target_include_directories(arne_${name} PRIVATE src include)
    target_link_libraries(arne_${name} PRIVATE arne_internal m)
    target_link_options(arne_${name} PRIVATE LINKER:--exclude-libs,ALL LINKER:--as-needed)
    arne_harden(arne_${name})
    arne_protect(arne_${name})
    set_target_properties(arne_${name} PROPERTIES SKIP_BUILD_RPATH ON) # CMake would end it with an empty element
    add_dependencies(arne_shared arne_${name})
    add_dependencies(arne_static arne_${name})
    install(TARGETS arne_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

if(NOT ARNE_HAVE_DLOPEN)
    message(STATUS "Planning and stiff integration: off, this system cannot load modules")
    return()
endif()

# --- FMI -----------------------------------------------------------------------------------------

# The binary of FMUs: a module that `arne generate --for fmi` copies. It needs no solver, only the
# readers.
file(GLOB sources CONFIGURE_DEPENDS src/modules/fmi/*.c)
arne_add_module(fmi ${sources})
target_link_libraries(arne_fmi PRIVATE ${reader_libraries} ${CMAKE_DL_LIBS})
if(NOT ARNE_SANITIZE)
    target_link_options(arne_fmi PRIVATE LINKER:--strip-all) # every FMU has a copy
endif()

# --- Ipopt ---------------------------------------------------------------------------------------

# Ipopt throws exceptions; ten lines of C++ catch them.
if(PkgConfig_FOUND)
    pkg_check_modules(ARNE_IPOPT QUIET IMPORTED_TARGET ipopt)
endif()
include(CheckLanguage)
if(NOT CMAKE_CXX_COMPILER)
    unset(CMAKE_CXX_COMPILER CACHE) # it may have been installed since the last time
endif()
check_language(CXX)
if(NOT ARNE_IPOPT_FOUND)
    message(STATUS "Planning: off, Ipopt was not found")
elseif(NOT CMAKE_CXX_COMPILER)
    message(STATUS "Planning: off, there is no C++ compiler")
else()
    message(STATUS "Planning: on, with Ipopt ${ARNE_IPOPT_VERSION}")
    enable_language(CXX)
    file(GLOB sources CONFIGURE_DEPENDS src/modules/ipopt/*.c src/modules/ipopt/*.cpp)
    arne_add_module(ipopt ${sources})
    set_target_properties(arne_ipopt PROPERTIES CXX_VISIBILITY_PRESET hidden)
    target_compile_options(arne_ipopt PRIVATE $<$<COMPILE_LANGUAGE:C>:-fexceptions>) # they pass through
    target_link_libraries(arne_ipopt PRIVATE lapack)
    # A copy of Ipopt of the module's own, with hidden names, takes our linear solver without a
    # change to the libipopt.so of others in the process (src/modules/ipopt/linear_solver.c).
    # Debian's libipopt.a is compiled for programs, not for shared objects: it can be linked into
    # one together with a static libstdc++, whose data are then in the same object.
    find_library(ARNE_IPOPT_ARCHIVE libipopt.a HINTS ${ARNE_IPOPT_LIBDIR})
    set(archive_needs ${ARNE_IPOPT_LIBRARIES})
    list(REMOVE_ITEM archive_needs ipopt)
    list(PREPEND archive_needs ${ARNE_IPOPT_ARCHIVE})
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_INCLUDES ${ARNE_IPOPT_INCLUDE_DIRS})
    set(CMAKE_REQUIRED_FLAGS -fPIC)
    set(CMAKE_REQUIRED_LINK_OPTIONS -shared -static-libstdc++ LINKER:--exclude-libs,ALL LINKER:-z,defs)
    set(CMAKE_REQUIRED_LIBRARIES ${archive_needs})
    check_cxx_source_compiles("
        extern \"C\" {
        #include <IpStdCInterface.h>
        #include <HSLLoader.h>
        }
        int use(IpoptProblem p) { LSL_setMA57(0, 0, 0, 0, 0); return IpoptSolve(p, 0, 0, 0, 0, 0, 0, 0); }
        IpoptProblem make() { return CreateIpoptProblem(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0); }
        " ARNE_IPOPT_PRIVATE)
    foreach(name INCLUDES FLAGS LINK_OPTIONS LIBRARIES)
        unset(CMAKE_REQUIRED_${name})
    endforeach()
    if(ARNE_IPOPT_PRIVATE)
        target_include_directories(arne_ipopt SYSTEM PRIVATE ${ARNE_IPOPT_INCLUDE_DIRS})
        target_compile_options(arne_ipopt PRIVATE ${ARNE_IPOPT_CFLAGS_OTHER})
        target_compile_definitions(arne_ipopt PRIVATE ARNE_IPOPT_PRIVATE)
        target_link_libraries(arne_ipopt PRIVATE ${archive_needs})
        target_link_options(arne_ipopt PRIVATE -static-libstdc++)
    else()
        message(STATUS "Planning: MUMPS solves all linear systems, for there is no libipopt.a that a module can contain")
        target_link_libraries(arne_ipopt PRIVATE PkgConfig::ARNE_IPOPT)
    endif()
endif()

# --- MPI -----------------------------------------------------------------------------------------

# One module each for Open MPI and MPICH, which can be installed side by side: their compilers know
# where they are.
function(arne_add_mpi name title)
    find_program(ARNE_MPICC_${name} mpicc.${name})
    if(NOT ARNE_MPICC_${name})
        message(STATUS "Sweeps over ranks of ${title}: off, mpicc.${name} was not found")
        return()
    endif()
    if(name STREQUAL openmpi)
        set(compile --showme:compile)
        set(link --showme:link)
    else()
        set(compile -compile_info)
        set(link -link_info)
    endif()
    execute_process(COMMAND ${ARNE_MPICC_${name}} ${compile} OUTPUT_VARIABLE compile_line RESULT_VARIABLE bad)
    execute_process(COMMAND ${ARNE_MPICC_${name}} ${link} OUTPUT_VARIABLE link_line RESULT_VARIABLE worse)
    string(REGEX MATCHALL " -I[^ \n]+" includes " ${compile_line}")
    string(REGEX MATCHALL " -[Ll][^ \n]+" libraries " ${link_line}")
    list(TRANSFORM libraries STRIP)
    if(bad OR worse OR NOT libraries)
        message(STATUS "Sweeps over ranks of ${title}: off, mpicc.${name} does not say what it needs")
        return()
    endif()
    list(TRANSFORM includes REPLACE "^ -I" "")
    list(FILTER libraries EXCLUDE REGEX "^-lc$")
    message(STATUS "Sweeps over ranks of ${title}: on")
    arne_add_module(${name} src/modules/mpi/mpi_messages.c)
    target_compile_definitions(arne_${name} PRIVATE ARNE_MPI_MODULE=arne_${name}_module)
    target_include_directories(arne_${name} SYSTEM PRIVATE ${includes})
    target_link_libraries(arne_${name} PRIVATE ${libraries})
endfunction()
if(NOT ARNE_SANITIZE)
    arne_add_mpi(openmpi "Open MPI")
    arne_add_mpi(mpich "MPICH")
endif()

# --- HDF5 ----------------------------------------------------------------------------------------

if(PkgConfig_FOUND)
    pkg_check_modules(ARNE_HDF5 QUIET IMPORTED_TARGET hdf5-serial)
    if(NOT ARNE_HDF5_FOUND)
        pkg_check_modules(ARNE_HDF5 QUIET IMPORTED_TARGET hdf5)
    endif()
endif()
if(ARNE_HDF5_FOUND)
    message(STATUS "Tables as HDF5: on, with HDF5 ${ARNE_HDF5_VERSION}")
    arne_add_module(hdf5 src/modules/hdf5/table_hdf5.c)
    target_link_libraries(arne_hdf5 PRIVATE PkgConfig::ARNE_HDF5)
else()
    message(STATUS "Tables as HDF5: off, HDF5 was not found")
endif()

# --- SUNDIALS ------------------------------------------------------------------------------------

# The package has no pkg-config file.
find_path(ARNE_SUNDIALS_INCLUDE cvode/cvode.h)
set(sundials ${ARNE_SUNDIALS_INCLUDE})
set(sundials_libraries "")
foreach(name cvode ida nvecserial sunmatrixdense sunlinsoldense)
    find_library(ARNE_sundials_${name} sundials_${name})
    list(APPEND sundials_libraries ${ARNE_sundials_${name}})
    if(NOT ARNE_sundials_${name})
        set(sundials "")
    endif()
endforeach()
if(NOT sundials)
    message(STATUS "Stiff integration: off, SUNDIALS was not found")
else()
    message(STATUS "Stiff integration: on, with SUNDIALS")
    file(GLOB sources CONFIGURE_DEPENDS src/modules/sundials/*.c)
    arne_add_module(sundials ${sources})
    target_include_directories(arne_sundials SYSTEM PRIVATE ${ARNE_SUNDIALS_INCLUDE})
    target_link_libraries(arne_sundials PRIVATE ${sundials_libraries})
endif()
