// What the detector could not see: modules and objects that were not compiled with taskrace, and tasks
// that were not made by its interface.
//
// Thread rule: pure functions of the files. Cost: the symbol table of each instrumented module.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/log.h"

namespace taskrace::report {

// Libraries without instrumentation that the program used; not those of every program (libc, ...),
// which the detector models.
std::vector<std::string> UninstrumentedModules(const std::map<int, LoggedModule>& modules);

// Sources whose objects were linked into the module at `path` but carry no
// marker. Empty if stripped.
std::vector<std::string> UninstrumentedObjects(const std::string& path);

// Sources of the module at `path` with instructions of which the pass does not know what they touch.
std::vector<std::string> SourcesWithUnknownAccesses(const std::string& path);

// The module at `path` can make tasks of oneTBB's own, by its algorithms or those of std::execution::par.
bool MakesTasksOfTbb(const std::string& path);

}  // namespace taskrace::report
