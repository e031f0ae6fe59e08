# Mutants: a header of the detector with one rule broken and its class renamed, made anew when the
# header changes. A mutant whose line is not found is an error: the rule has moved, so must the
# mutant.
set(MUTANT_DIR ${CMAKE_CURRENT_BINARY_DIR}/mutants)

function(mutant header class name right wrong)
  set(source ${PROJECT_SOURCE_DIR}/detect/${header})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(READ ${source} text)
  string(FIND "${text}" "${right}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "mutant ${name}: ${header} has no «${right}» any more")
  endif()
  string(REPLACE "${right}" "${wrong}" text "${text}")
  string(REGEX REPLACE "([^A-Za-z])${class}([^A-Za-z])" "\\1${name}\\2" text "${text}")
  file(CONFIGURE OUTPUT ${MUTANT_DIR}/${name}.h CONTENT "${text}" @ONLY)
  set_property(GLOBAL APPEND_STRING PROPERTY MUTANT_INCLUDES "#include \"${name}.h\"\n")
endfunction()

# The same for one that is not alone in its header, or that others include: the target finds the broken header
# where the real one is.
function(put_broken_header_in_front target header right wrong)
  set(source ${PROJECT_SOURCE_DIR}/detect/${header})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(READ ${source} text)
  string(FIND "${text}" "${right}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "${target}: ${header} has no «${right}» any more")
  endif()
  string(REPLACE "${right}" "${wrong}" text "${text}")
  set(directory ${CMAKE_CURRENT_BINARY_DIR}/broken_headers/${target})
  file(CONFIGURE OUTPUT ${directory}/detect/${header} CONTENT "${text}" @ONLY)
  target_include_directories(${target} BEFORE PRIVATE ${directory})
endfunction()

macro(shadow_mutant name right wrong)
  mutant(history/shadow.h ShadowHistory ${name} "${right}" "${wrong}")
endmacro()
shadow_mutant(OverwritesTheReader "cell.reader == kNoStrand || now.Ordered(cell.reader))) {" "true)) {")
shadow_mutant(ForgetsTheWriter
              "if (cell.writer != kNoStrand && !now.Ordered(cell.writer)) return false;" "")
shadow_mutant(ForgetsTheReaderOnWrite "if (!ReadersOrdered(now, cell)) return false;" "")
shadow_mutant(FillsAcrossADifference "while (same < cells && differs(cell[same]) == 0) ++same;"
              "same = cells;")
shadow_mutant(KeepsTheLastAtomicWrite "resets = now.kind == AccessKind::kWrite"
              "resets = IsWrite(now.kind)")
shadow_mutant(ResetsUnderLocks "&& now.locks == kNoLocks;\n    ShadowLists" ";\n    ShadowLists")
shadow_mutant(DropsWhateverPrecedes "ConflictsWithin(e.kind, now.kind) &&" "")
shadow_mutant(SkipsWhateverIsKept "ConflictsWithin(now.kind, e.kind) &&" "")
shadow_mutant(DropsWithoutRegardToLocks "Subset(now, now.locks, e.locks)" "true")
shadow_mutant(SkipsWithoutRegardToLocks "Subset(now, e.locks, now.locks)" "true")
shadow_mutant(KeepsOneReaderAlways "C::kOneReader && !ordered" "!ordered")
shadow_mutant(ForgetsTheEndOfACell "if (whole_end < end && whole_end >= whole) part(whole_end);" "")
shadow_mutant(ChangesForAnyStrand "if (change.strand == now.strand) return change;"
              "if (change.strand != kNoStrand) return change;")
shadow_mutant(TakesAPartForTheWhole "spot.bytes == page.AllBytes() && now.IsPlain()" "now.IsPlain()")
shadow_mutant(RetiresUnchecked "CheckWrite(now, page, cell, spot);" "")
shadow_mutant(RetiresAllLikeTheFirst "if (cell != harmless) {\n          CheckWrite"
              "if (harmless.IsEmpty()) {\n          CheckWrite")
shadow_mutant(RetiresStepsUnchecked "CheckWrite(now, page, cell, {from, to - from, 0xFF});" "")
shadow_mutant(TakesAStepForTheRange "if (page.EndOf(step) < to) return false;" "")
shadow_mutant(ChangesTheWholeStep "if (page.BeginOf(step) != from || page.EndOf(step) != to) return false;" "")
shadow_mutant(AsksOneReaderOfMany "return now.Ordered(reader); });" "return now.Ordered(reader) || true; });")
shadow_mutant(DoesNotClearParts "e.bytes &= ~bytes;" "")
shadow_mutant(WritesWholePagesUnchecked "if (is_whole && now.kind" "if (end - first >= 8 && now.kind")

mutant(reach/sp_bags.h SpBags DropsThePBag "bags_.PutIntoP(p_bag, task)" "static_cast<void>(0)")
mutant(reach/sp_bags.h SpBags DropsTheAsyncs "bags_.UniteP(p_bag, *asyncs)" "static_cast<void>(0)")
mutant(reach/sp_bags.h SpBags JoinsNothing "bags_.Join(task, *p_bag)" "static_cast<void>(0)")
mutant(reach/sp_bags.h SpBags ChildStaysInS "bags_.BecomeP(task)" "static_cast<void>(0)")
mutant(reach/task_bags.h TaskBags BagsThatStaySettled "settled_ = settled_of_creators_.Back();" "")
mutant(reach/sp_bags.h SpBags EndsWithWhatItKnew "TaskBags" "BagsThatStaySettled")
mutant(reach/task_bags.h TaskBags BagsThatForgetPBags "++p_bags_;" "p_bags_ = 1;")
mutant(reach/sp_bags.h SpBags SettlesTooSoon "TaskBags" "BagsThatForgetPBags")
mutant(reach/sp_bags.h SpBags BagsWithoutClassCheck "return outside;" "return nullptr;")
mutant(reach/sp_order.h SpOrder OrderWithoutClassCheck "return outside;" "return nullptr;")
mutant(reach/sp_order.h SpOrder JoinsBehindTheLastChild "if (last == OrderList::kBase) {"
       "if (true) {")
mutant(reach/sp_order.h SpOrder JoinsBeforeTheAsyncs "asyncs ? *asyncs : now_" "now_")
mutant(reach/sp_order.h SpOrder EnglishTwice "now_ = creator;" "")

mutant(reach/dpst_engine.h DpstEngine TreeWhoseFinishStaysOpen "open_.PopBack();"
       "open_.Back().group = kNoGroup;")
mutant(reach/dpst_engine.h DpstEngine TreeWithoutAsyncs "tree_.KindOf(below) != Dpst::Kind::kAsync"
       "true")
mutant(reach/dpst_engine.h DpstEngine TreeWithoutClassCheck "return outside;" "return nullptr;")

macro(multibags_mutant name right wrong)
  mutant(reach/multibags.h MultiBags ${name} "${right}" "${wrong}")
endmacro()
multibags_mutant(BagsForAnyGetter "return creator_precedes ? nullptr : &reasons::kCreatorIsParallel"
                 "return nullptr")
multibags_mutant(BagsForAnySecondGet "return bags_.IsInSBag(creator.task) ? nullptr : &reasons::kSecondGet"
                 "return nullptr")
multibags_mutant(BagsWhoseFinishForgetsFutures "for (TaskId child : singles) Get("
                 "for (TaskId child : singles) if (false) Get(")
multibags_mutant(BagsWhoseFutureStaysInS "bags_.BecomeP(task);" "")

macro(multibags_plus_mutant name right wrong)
  mutant(reach/multibags_plus.h MultiBagsPlus ${name} "${right}" "${wrong}")
endmacro()
mutant(ds/closure.h Closure ClosureOfOldArcs "if (HasBit(rows_[c], b)) PutBefore(a, c);" "")
multibags_plus_mutant(PlusWhoseArcsStop "Closure" "ClosureOfOldArcs")
multibags_plus_mutant(PlusWithoutLateArcs "Arc(f, s1);\n      Arc(f, s2);" "")
multibags_plus_mutant(PlusWhoseForkStays "if (!IsAttached(f)) d_nsp_.Union(s, f);" "")
multibags_plus_mutant(PlusWithoutSuccessors "d_nsp_.LabelOf(other).att_succ = NodeOf(t);" "")
multibags_plus_mutant(PlusWhoseForksStayForks
                      "Arc(fork.f, fork.s1);\n    Arc(fork.f, fork.s2);" "")
multibags_plus_mutant(PlusWhoseFinishForgetsFutures
                      "for (TaskId child : singles) Get("
                      "for (TaskId child : singles) if (false) Get(")

macro(donesets_mutant name right wrong)
  mutant(reach/donesets.h DoneSets ${name} "${right}" "${wrong}")
endmacro()
donesets_mutant(SetsThatAlwaysFold "if (ended.made_single) {" "if (false) {")
donesets_mutant(SetsThatFoldOverFutures
                "Include(group.done, number);\n      running_.Back().made_single = true;"
                "Include(group.done, number);")
donesets_mutant(SetsThatBeginTooLate "done, place.began, state)" "done, place.began + 1, state)")
donesets_mutant(SetsThatBeginTooEarly "done, place.began, state)"
                "done, place.began == 0 ? 0 : place.began - 1, state)")
donesets_mutant(SetsWithoutTheFutureItself "Include(done, number);" "")
donesets_mutant(SetsOfGettersOnly "Unite(done, set);" "")

mutant(reach/lattice2d.h Lattice2d JoinsAnybody
       "return in_class ? nullptr : &reasons::kNotTheLeftNeighbour" "return nullptr")
mutant(reach/lattice2d.h Lattice2d HaltedStaysVisited "forest_.Relabel(Index(task), kUnvisited)"
       "static_cast<void>(0)")
mutant(reach/lattice2d.h Lattice2d JoinsNobody "forest_.Union(Index(task), Index(joined));" "")

macro(promises_mutant name right wrong)
  mutant(reach/promises.h Promises ${name} "${right}" "${wrong}")
endmacro()
# An engine whose paths are a mutant.
macro(paths_mutant name right wrong)
  mutant(reach/paths.h Paths PathsOf${name} "${right}" "${wrong}")
  promises_mutant(${name} "Paths" "PathsOf${name}")
endmacro()
paths_mutant(PromisesOfTheTreeLeftOrRight "if (!tree_.IsLeft(a, b, below)) return false;" "")
paths_mutant(PromisesWithJoinsAsTheyAreNow "PushJoinsOf(u, join.point);"
             "Push(u, Current(TaskOf(join.point)).joins);")
paths_mutant(PromisesWhoseScopesWaitForAll "&& Stays(TaskOf(u), tree_.Depth(below.a))" "")
paths_mutant(PromisesThatLookOnce "Push(u, join.rest);" "")
promises_mutant(PromisesThatJoinOnlyInTheTree "|| !paths_.ShowsJoinsOf(child, strand)" "")
promises_mutant(PromisesThatNobodyGets "places_.OnGet(paths_.TaskOf(point), task, strand);" "")
promises_mutant(PromisesThatAreGotOnce "places_.OnGet(paths_.TaskOf(point), task, strand);"
                "places_.OnGet(paths_.TaskOf(point), task, strand);
                 places_.OnOver(paths_.TaskOf(point));")
promises_mutant(PromisesThatTakeInTheRest "paths_.Move(t.last, rest);" "")
promises_mutant(PromisesThatTakeInLateChildren
                " || Index(t.last) != Index(places_.SetBy(task)) + 1" "")

mutant(reach/auto.h Auto AutoThatForgetsFutures "Note({Event::kSingle, how, single, 0})"
       "static_cast<void>(single)")

get_property(includes GLOBAL PROPERTY MUTANT_INCLUDES)
file(CONFIGURE OUTPUT ${MUTANT_DIR}/mutants.h CONTENT "${includes}" @ONLY)
