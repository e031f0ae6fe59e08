# Mutants of the parallel detector: a header with one rule broken, in front of the real one. What
# depth-first order hides is said so: only other orders can show it. A last argument says which accesses are moved
# out of loops.
function(parallel_mutant name header class hides right wrong)
  set(moves kNone ${ARGN})
  list(GET moves -1 moves)
  set(target parallel_mutant_${name})
  add_executable(${target} parallel_mutant_test.cc)
  put_broken_header_in_front(${target} ${header} "${right}" "${wrong}")
  target_compile_definitions(${target} PRIVATE MUTANT_CLASS=${class} MUTANT_HIDES=${hides}
                                               MUTANT_MOVES=Moves::${moves})
  target_link_libraries(${target} PRIVATE taskrace_oracle GTest::gtest_main)
  unoptimized(${target})
  add_test(NAME oracle.${target} COMMAND ${target})
endfunction()

set(rules parallel/cell_rules.h)
# Algorithm 2 as printed.
parallel_mutant(null_second_reader ${rules} kFinish true
                "if (parallel1) {\n      r2 = c.Record();" "if (parallel1) {")
parallel_mutant(first_two_readers ${rules} AtFewPlaces\(kFinish\) true
                "< c.LcaDepth(r1, r2)) r1 = c.Record()" "< c.LcaDepth(r1, r2)) return")
parallel_mutant(write_forgets_second_reader ${rules} kFinish false
                "racing |= kSecondReader;" "racing |= kNone;")
parallel_mutant(read_forgets_writer ${rules} kSp false "return races ? kWriter : kNone;"
                "return races ? kNone : kNone;")
parallel_mutant(left_or_right parallel/task_tree.h kSp false "return {IsLeft(u, v, below), depth};"
                "return {true, depth};")
parallel_mutant(split_cells_are_empty parallel/split_cells.h kSp false
                "cells{VersionedWords(all), VersionedWords(all)}"
                "cells{VersionedWords(all), VersionedWords()}")
parallel_mutant(lines_are_alike ds/versioned_line.h kSp false "return differs == 0;" "return true;")
parallel_mutant(lines_that_differ_begin_empty ds/versioned_line.h kSp false
                "other.store(pair, std" "other.store(0, std")
parallel_mutant(opened_cells_are_empty parallel/shadow_directory.h kSp false
                "if (!(all == Words{})) Fill(open, all);" "")
parallel_mutant(open_blocks_end_early parallel/parallel_history.h kSp false
                "AccessCells(cursor, cells, first, end, last, c)"
                "AccessCells(cursor, cells, first, first + 1, last, c)")
parallel_mutant(runs_change_one_cell parallel/parallel_history.h kSp false
                "RunOfLine run(line, from, from + alike)" "RunOfLine run(line, from, from + 1)")
parallel_mutant(bits_race_unseen parallel/parallel_history.h kSp false
                "if (change.racing != kNone) return {};" "")
parallel_mutant(bits_are_all_reads parallel/parallel_history.h kSp false
                "is_write ? write : read);" "read);")
parallel_mutant(lines_race_unseen parallel/parallel_history.h kSp false
                "if (change.racing != kNone) return 0;" "")
parallel_mutant(outlook_has_no_exception parallel/known_relations.h kFinish true
                "outlook.parent == parent_ && outlook.except != step_.node"
                "outlook.parent == parent_")
parallel_mutant(outlook_has_no_order parallel/task_tree.h kFinish true
                "return {!u.is_async && is_left, u" "return {!u.is_async, u")
parallel_mutant(all_is_settled_at_any_join parallel/root_alone.h kFinish false
                "is_alone_ || &group != first_" "is_alone_")
parallel_mutant(regions_outlive_their_nodes parallel/worker.h kFinish false
                "relations_.ForgetNodes();" "")
parallel_mutant(regions_begin_below_the_meeting parallel/known_relations.h kFinish false
                "if (relation.lca_depth < tree_.Depth(above)) region =" "region =")
# Loops.
parallel_mutant(regions_have_no_exception parallel/known_relations.h WithLoops\(kSp\) true
                "region.outlook.parent == parent_ &&\n        region.outlook.except != step_.node"
                "region.outlook.parent == parent_")
parallel_mutant(iterations_come_one_after_the_other parallel/task_tree.h WithLoops\(kSp\) false
                "&& !IsIteration(u)" "")
parallel_mutant(task_forgets_its_first_strand parallel/task_tree.h WithLoops\(kSp\) false
                "return {is_first, depth" "return {false, depth")
parallel_mutant(iterations_precede_those_that_are_tasks reach/dpst.h WithLoops\(kSp\) false
                "At(other).first == step.strand" "true")
parallel_mutant(outlook_of_an_iteration_in_its_loop parallel/task_tree.h WithLoops\(kSp\) false
                "if (relation.lca_depth >= depth || is_in_loop) {" "if (relation.lca_depth >= depth) {")
parallel_mutant(iterations_have_one_number parallel/worker.h WithLoops\(kSp\) false
                "static_cast<uint32_t>(k)));\n    part.k = k;" "0));\n    part.k = k;")
parallel_mutant(iterations_share_their_strand parallel/worker.h WithLoops\(kAtomics\) false
                "is_fresh_ = false;\n    Context context" "Context context")
parallel_mutant(iterations_that_meet_are_one_part parallel/worker.h WithLoops\(kSp\) false
                "if (IterationsMayConflict(moved, part.of.count)) {" "if (false) {" kAll)
parallel_mutant(every_loop_is_alone parallel/worker.h WithLoops\(kSp\) false
                "loop.is_alone = IsAlone();" "loop.is_alone = true;" kAll)
parallel_mutant(moved_accesses_of_the_first_iteration_only parallel/worker.h WithLoops\(kSp\) false
                "if (k - moved.k >= moved.count) return;" "if (k != moved.k) return;" kSome)
