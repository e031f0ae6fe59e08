# Mutants of the OpenMP front end: its library with one source file broken. The test runs the interpreter with it and
# expects that the oracle does not agree.
get_target_property(openmp_sources taskrace_omp SOURCES)
get_target_property(openmp_options taskrace_omp COMPILE_OPTIONS)
get_target_property(openmp_directory taskrace_omp SOURCE_DIR)

# The classes of programs where it is caught, and the file.
function(openmp_mutant name classes file right wrong)
  set(source ${openmp_directory}/${file})
  file(READ ${source} text)
  string(FIND "${text}" "${right}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "mutant ${name}: ${file} has no '${right}'")
  endif()
  string(REPLACE "${right}" "${wrong}" text "${text}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  set(directory ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name})
  file(CONFIGURE OUTPUT ${directory}/${file} CONTENT "${text}" @ONLY)
  set(target openmp_mutant_${name})
  set(objects $<TARGET_OBJECTS:taskrace_omp>)
  string(REPLACE "." "[.]" pattern "${file}")
  add_library(${target} SHARED ${directory}/${file}
              $<FILTER:${objects},EXCLUDE,/${pattern}[.]o$>)
  target_compile_options(${target} PRIVATE ${openmp_options} -O0)
  target_link_libraries(${target} PRIVATE taskrace_rt)
  target_link_options(${target} PRIVATE -nostdlib++)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME taskrace_omp LIBRARY_OUTPUT_DIRECTORY ${directory}
                                             BUILD_RPATH ${TASKRACE_LIBRARY_DIR})
  separate_arguments(classes)
  add_test(NAME openmp.mutant_${name}
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mutant_test.sh $<TARGET_FILE:openmp_agreement> ${taskrace_bin}/taskrace
            ${PROJECT_SOURCE_DIR} ${directory} ${classes})
endfunction()

openmp_mutant(units_precede_what_follows_the_loop nowait team.cc
              "RunningLoop* const units = Detecting()->UnitsLeave();"
              "Detecting()->UnitsEnd();\n  RunningLoop* const units = nullptr;")
openmp_mutant(similar_static_loops_are_parallel similar team.cc "(*at)->trips == trips" "trips == 0")
openmp_mutant(a_unit_comes_after_all_units_of_a_similar_loop similar team.cc "units.trips == 0 || !is_paired"
              "units.trips < UINT64_MAX || !is_paired")
openmp_mutant(a_lock_tells_nothing aware team.cc
              "if (executor != nullptr && !executor->HasUnits()) MakeAware();" "")
openmp_mutant(sections_have_the_same_threads nowait loops.cc "!Here().in_doacross && !is_sections"
              "!Here().in_doacross")
openmp_mutant(chunks_are_iterations loops loops.cc "chunk > 1 ?" "chunk < 0 ?")
openmp_mutant(a_single_block_is_the_threads_own nowait synchronization.cc
              "BeginUnits({.count = 1, .index = taskrace::kSingleBlock}, OPENMP_CALLER);" "")
openmp_mutant(a_master_block_tells_all_threads aware synchronization.cc
              "if (Here().number != 0) return 0;" "if (Here().number != 0) return MakeAware(), 0;")
openmp_mutant(ordered_blocks_are_parallel ordered synchronization.cc
              "if (Here().team->size > 1) __taskrace_happens_after(OrderedTag());" "")
openmp_mutant(a_taskgroup_does_not_wait tasks tasks.cc
              "if (!IsIncluded()) Detecting()->FinishBegin(&group->finish, pc);" "")
openmp_mutant(readers_of_a_dependence_are_in_order depend dependences.cc
              "kind != kOut && kind == entry.kind" "false")
openmp_mutant(mutexinoutset_is_no_lock depend dependences.cc
              "if (kind == kMutexInOutSet) locks_.Append(dependence.address);" "")
