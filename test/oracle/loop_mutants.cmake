# Mutants of what the detector does for parallel loops. The class of programs, the engine, and which accesses
# are moved out of loops: where it is caught.
function(loop_mutant name header class engine moves right wrong)
  set(target loop_mutant_${name})
  add_executable(${target} loop_mutant_test.cc)
  put_broken_header_in_front(${target} ${header} "${right}" "${wrong}")
  target_compile_definitions(${target} PRIVATE MUTANT_CLASS=${class} MUTANT_ENGINE=${engine}
                                               MUTANT_MOVES=Moves::${moves})
  target_link_libraries(${target} PRIVATE taskrace_oracle GTest::gtest_main)
  unoptimized(${target})
  add_test(NAME oracle.${target} COMMAND ${target})
endfunction()

loop_mutant(task_forgets_its_first_strand loop_table.h kSp SpBags kNone
            "if (const Task* task = TaskWith(u)) return task->strand;" "")
loop_mutant(inner_loop_takes_numbers_of_the_outer loop_table.h kSp SpBags kNone
            "pieces_.Back().loop != loop ||" "")
loop_mutant(iterations_precede_those_that_are_tasks loop_table.h kSp SpBags kNone
            "return loops_[PieceWith(u).loop].strand;"
            "return StrandId{Index(loops_[PieceWith(u).loop].strand) - 1};")
loop_mutant(iterations_are_one_strand detector.h kSp SpBags kNone
            "execution.strand = part.StrandOf(k);" "")
loop_mutant(pending_accesses_meet_the_moved_ones_of_the_running_iteration detector.h kSp SpBags kSome
            "part.k -= Index(part.StrandOf(k)) - Index(access.strand);" "")
loop_mutant(pending_accesses_are_forgotten_at_a_flush detector.h kSp SpBags kNone
            "if (!pending_.Empty()) CheckAllPending();" "pending_.TakeAll();")
loop_mutant(a_write_leaves_what_is_known_of_a_word sibling_accesses.h kSp SpBags kNone
            "slot = stands ? known | Bytes(in_word, in_word + size) : 0;"
            "if (stands) slot = known | Bytes(in_word, in_word + size);")
loop_mutant(an_access_to_half_a_word_is_known_by_the_other_half sibling_accesses.h kSp SpBags kNone
            "if ((bytes & ~slot) != 0) return false;" "")
loop_mutant(reads_are_known_where_others_may_write detector.h kSp SpBags kSome
            " && !moved_.MayMeet(kind, first, size)" "")
loop_mutant(iterations_meet_at_their_first_bytes_only moved_accesses.h kSp SpBags kAll
            "if (a.count <= 1) return false;" "if (a.count <= 1 || a.first != b.first) return false;")
loop_mutant(iterations_that_meet_are_one_strand detector.h kSp SpBags kAll
            "if (moved_.MayConflict()) CompareMoved();" "")
loop_mutant(iterations_of_the_first_access_only detector.h kSp SpBags kAll
            "[begin, end] = moved_.Iterations()"
            "[begin, end] = MovedAccesses::Span{moved_[0].k, moved_[0].k + moved_[0].count}")
loop_mutant(moved_accesses_have_places_of_others moved_accesses.h kSp SpBags kSome
            "if (number >= access.count || access.kind != by.kind) continue;"
            "if (access.kind != by.kind) continue;")
loop_mutant(a_whole_loop_is_always_alone detector.h kSp SpBags kAll "loop_is_alone_ = is_alone_;"
            "loop_is_alone_ = true;")
loop_mutant(accesses_that_stay_do_not_meet_moved_ones moved_accesses.h kSp SpBags kSome
            "if (boxes_[i].Touches(first, size)) return true;" "")
loop_mutant(reads_that_stay_meet_no_possible_writes moved_accesses.h kSp SpBags kZoned
            "std::max(written_.end, possibly_written_.end)" "possibly_written_.end")
loop_mutant(possible_accesses_meet_no_moved_ones moved_accesses.h kSp SpBags kZoned
            "if (MayConflict(possible_[i], next_[j])) return kEverywhere;" "")
loop_mutant(possible_accesses_do_not_meet_each_other moved_accesses.h kSp SpBags kZoned
            "if (MayConflict(possible_[i], possible_[j])) return kEverywhere;" "")
loop_mutant(iterations_have_raced_with_the_moved_ones detector.h kSp SpBags kSome
            "if (u >= compared_from_) return true;" "")
loop_mutant(moved_ones_are_hidden_by_those_that_stay detector.h kSp SpBags kSome
            "iterations_history_.Access(" "history_.Access(")
