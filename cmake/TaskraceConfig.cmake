# find_package(Taskrace): the task interface, and detection builds of single targets.
#
#   Taskrace::tasks               <taskrace/tasks.hpp> and <taskrace/annotate.h>; brings oneTBB
#                                 along for targets that are not built for detection
#   taskrace_instrument(target)   builds this target (executable or library) for detection, as
#                                 `taskrace c++` would; needs clang 19 as the project's compiler
#
# With -DCMAKE_CXX_COMPILER=taskrace-c++ the whole project is a detection build, and
# taskrace_instrument has nothing left to do.
get_filename_component(taskrace_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(TASKRACE_COMMAND "${taskrace_prefix}/bin/taskrace")
set(TASKRACE_INSTEAD_OF_COMPILER "${CMAKE_CURRENT_LIST_DIR}/instead_of_compiler.sh")

# Whether the project's own compiler is the wrapper, under whatever name.
if(NOT DEFINED TASKRACE_WHOLE_PROJECT)
  set(taskrace_whole_project FALSE)
  if(CMAKE_CXX_COMPILER_LOADED)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -dM -E -x c++ /dev/null
                    OUTPUT_VARIABLE taskrace_macros ERROR_QUIET)
    if(taskrace_macros MATCHES "#define __TASKRACE__ ")
      set(taskrace_whole_project TRUE)
    endif()
  endif()
  set(TASKRACE_WHOLE_PROJECT ${taskrace_whole_project}
      CACHE INTERNAL "the project's compiler is taskrace-c++")
endif()

if(NOT TARGET Taskrace::tasks)
  add_library(Taskrace::runtime SHARED IMPORTED GLOBAL)
  set_target_properties(Taskrace::runtime PROPERTIES
    IMPORTED_LOCATION "${taskrace_prefix}/lib/taskrace/libtaskrace_rt.so")

  add_library(Taskrace::tasks INTERFACE IMPORTED GLOBAL)
  target_include_directories(Taskrace::tasks INTERFACE "${taskrace_prefix}/include")
  if(NOT TASKRACE_WHOLE_PROJECT)
    # Not required: a project can have detection targets alone. An ordinary one that lacks TBB hears
    # of it by the name of this target.
    find_package(TBB QUIET)
    target_link_libraries(Taskrace::tasks INTERFACE
      "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:TASKRACE_INSTRUMENTED>>>:TBB::tbb>")
  endif()
endif()

function(taskrace_instrument target)
  if(NOT TARGET "${target}")
    message(FATAL_ERROR "taskrace_instrument: there is no target \"${target}\"")
  endif()
  get_target_property(type "${target}" TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    message(FATAL_ERROR
      "taskrace_instrument: \"${target}\" is an INTERFACE library and has nothing to compile")
  endif()
  get_target_property(done "${target}" TASKRACE_INSTRUMENTED)
  if(TASKRACE_WHOLE_PROJECT OR done)
    return()
  endif()
  if(NOT CMAKE_GENERATOR MATCHES "Ninja|Makefiles")
    message(FATAL_ERROR "taskrace_instrument: the generator \"${CMAKE_GENERATOR}\" cannot do it; "
                        "use Ninja or Makefiles, or taskrace-c++ as the compiler")
  endif()
  foreach(language C CXX)
    if(CMAKE_${language}_COMPILER_LOADED AND
       NOT (CMAKE_${language}_COMPILER_ID STREQUAL "Clang" AND
            CMAKE_${language}_COMPILER_VERSION VERSION_GREATER_EQUAL 19 AND
            CMAKE_${language}_COMPILER_VERSION VERSION_LESS 20))
      message(FATAL_ERROR
        "taskrace_instrument: \"${target}\" needs clang 19, but CMAKE_${language}_COMPILER is "
        "${CMAKE_${language}_COMPILER} (${CMAKE_${language}_COMPILER_ID} "
        "${CMAKE_${language}_COMPILER_VERSION}); configure with -DCMAKE_C_COMPILER=clang-19 "
        "-DCMAKE_CXX_COMPILER=clang++-19")
    endif()
  endforeach()
  if(NOT EXISTS "${TASKRACE_COMMAND}")
    message(FATAL_ERROR
      "taskrace_instrument: ${TASKRACE_COMMAND} is missing; build or install Taskrace")
  endif()

  # The wrapper alone knows its flags: it takes the compiler's place for this target, to compile and
  # to link, behind whatever launcher (ccache) the project has.
  foreach(language_wrapper "C cc" "CXX c++")
    separate_arguments(language_wrapper)
    list(GET language_wrapper 0 language)
    list(GET language_wrapper 1 wrapper)
    foreach(step COMPILER LINKER)
      get_target_property(launcher "${target}" ${language}_${step}_LAUNCHER)
      if(NOT launcher)
        set(launcher)
      endif()
      list(PREPEND launcher sh "${TASKRACE_INSTEAD_OF_COMPILER}")
      list(APPEND launcher "${TASKRACE_COMMAND}-${wrapper}" --)
      set_target_properties("${target}" PROPERTIES ${language}_${step}_LAUNCHER "${launcher}")
    endforeach()
  endforeach()
  set_target_properties("${target}" PROPERTIES TASKRACE_INSTRUMENTED TRUE)
  # Who links this library needs the runtime, also when it is not instrumented itself.
  if(NOT type STREQUAL "EXECUTABLE")
    set_property(TARGET "${target}" APPEND PROPERTY INTERFACE_LINK_LIBRARIES Taskrace::runtime)
  endif()
endfunction()
