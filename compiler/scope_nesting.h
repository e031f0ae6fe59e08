// Do the joins of all scopes that a module makes nest? Then one reader per location is enough, and
// the program may run on the cheapest engine; what cannot be proved here is left to engines that
// keep more.
//
// Nests:      a scope that is a variable, used for nothing but its own members, in the function that
//             declares it, and not while a scope declared later in that function lives. While the
//             function's callees run, no task can join it.
// Runs:       before anything is inlined, where the members are still calls.
//
// Thread rule: as for the module, which is not changed. Cost: linear in the functions with scopes.
#ifndef TASKRACE_COMPILER_SCOPE_NESTING_H_
#define TASKRACE_COMPILER_SCOPE_NESTING_H_

#include <llvm/IR/Module.h>

namespace taskrace {

bool AllScopesNest(const llvm::Module& module);

}  // namespace taskrace

#endif  // TASKRACE_COMPILER_SCOPE_NESTING_H_
