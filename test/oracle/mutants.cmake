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

macro(shadow_mutant name right wrong)
  mutant(history/shadow.h ShadowHistory ${name} "${right}" "${wrong}")
endmacro()
shadow_mutant(OverwritesTheReader "if (reader_ordered) {" "if (true) {")
shadow_mutant(ForgetsTheWriter
              "if (cell.writer != kNoStrand && !now.Ordered(cell.writer)) return false;" "")
shadow_mutant(ForgetsTheReaderOnWrite "return reader_ordered;" "return true;")
shadow_mutant(FillsAcrossADifference "*cell == agreed" "true")
shadow_mutant(KeepsTheLastAtomicWrite "resets = now.kind == AccessKind::kWrite"
              "resets = IsWrite(now.kind)")
shadow_mutant(ResetsUnderLocks "&& now.locks == kNoLocks;\n    ShadowLists" ";\n    ShadowLists")
shadow_mutant(DropsWhateverPrecedes "ConflictsWithin(e.kind, now.kind) &&" "")
shadow_mutant(SkipsWhateverIsKept "ConflictsWithin(now.kind, e.kind) &&" "")
shadow_mutant(DropsWithoutRegardToLocks "Subset(now, now.locks, e.locks)" "true")
shadow_mutant(SkipsWithoutRegardToLocks "Subset(now, e.locks, now.locks)" "true")
shadow_mutant(KeepsOneReaderAlways "C::kOneReader && !ordered" "!ordered")
shadow_mutant(ForgetsTheEndOfACell "(offset + size - 1) >> page.shift == index" "true")
shadow_mutant(TakesAPartForTheWhole "bytes == page.AllBytes() && now.IsPlain()" "now.IsPlain()")
shadow_mutant(RetiresUnchecked "CheckWrite(now, page, *cell, at, bytes);" "")
shadow_mutant(IsQuietForManyReaders "if (!C::kOneReader) return false;\n    quiet_" "quiet_")
shadow_mutant(DoesNotClearParts "e.bytes &= ~bytes;" "")
shadow_mutant(WritesWholePagesUnchecked "if (whole && page.shift != kUniform"
              "if (page.shift != kUniform && end - first >= 8")

mutant(reach/sp_bags.h SpBags DropsThePBag "bags_.Union(p_bag, Index(task))" "static_cast<void>(0)")
mutant(reach/sp_bags.h SpBags DropsTheAsyncs "bags_.Union(Index(task), *asyncs)"
       "static_cast<void>(0)")
mutant(reach/sp_bags.h SpBags JoinsNothing "bags_.Union(Index(task), *p_bag)"
       "static_cast<void>(0)")
mutant(reach/sp_bags.h SpBags ChildStaysInS "bags_.Relabel(Index(task), kP)" "static_cast<void>(0)")
mutant(reach/sp_bags.h SpBags BagsWithoutClassCheck "return outside;" "return nullptr;")
mutant(reach/sp_order.h SpOrder OrderWithoutClassCheck "return outside;" "return nullptr;")
mutant(reach/sp_order.h SpOrder JoinsBehindTheLastChild "if (last == OrderList::kBase) {"
       "if (true) {")
mutant(reach/sp_order.h SpOrder JoinsBeforeTheAsyncs "asyncs ? *asyncs : now_" "now_")
mutant(reach/sp_order.h SpOrder EnglishTwice "now_ = creator;" "")

get_property(includes GLOBAL PROPERTY MUTANT_INCLUDES)
file(CONFIGURE OUTPUT ${MUTANT_DIR}/mutants.h CONTENT "${includes}" @ONLY)
