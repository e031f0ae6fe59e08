# What `cmake --install` puts under a prefix:
#   bin/                   the command: driver/CMakeLists.txt
#   lib/taskrace/          the pass (compiler/CMakeLists.txt) and the runtime
#   include/taskrace/      the task interface and the hook ABI
#   lib/cmake/Taskrace/    find_package(Taskrace)
#   share/taskrace/bench/  the programs of `taskrace bench`
# The build tree has the same layout, so find_package works on it too.
include(CMakePackageConfigHelpers)

if(TARGET taskrace_rt)
  install(TARGETS taskrace_rt taskrace_tbb taskrace_omp LIBRARY DESTINATION ${TASKRACE_INSTALL_LIBRARY_DIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/taskrace DESTINATION include)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/bench/programs/ DESTINATION share/taskrace/bench)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/taskrace)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/bench/programs ${PROJECT_BINARY_DIR}/share/taskrace/bench SYMBOLIC)

set(taskrace_package_dir ${PROJECT_BINARY_DIR}/lib/cmake/Taskrace)
foreach(file TaskraceConfig.cmake instead_of_compiler.sh)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${file} ${taskrace_package_dir}/${file} COPYONLY)
endforeach()
write_basic_package_version_file(${taskrace_package_dir}/TaskraceConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(DIRECTORY ${taskrace_package_dir} DESTINATION lib/cmake)
