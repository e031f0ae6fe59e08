// Reading demangled C++ function names: what the function is called, and a short form for people.
//
// A name is `return-type qualified<args>::name<args>(parameters) cv`; the parts nest, and operators
// and lambdas bend the rules. These functions are for display and matching: a name that they
// misread is shown or compared as a whole. Thread rule: pure functions. Cost: linear in the name.
#pragma once

#include <string>
#include <string_view>

namespace taskrace::report {

// `_ZN2ns1fEi` -> `ns::f(int)`; a name that is not mangled stays as it is.
std::string Demangled(const std::string& symbol);
// Without what the compiler adds to a name of the source: `trace[abi:cxx11]` and the
// `counter.llvm.393` of ThinLTO.
std::string SourceName(std::string_view name);
// `void ns::f<int>(std::vector<int>&)` -> `ns::f<int>`: no return type, no parameters.
std::string NameWithArguments(std::string_view function);
// The same without template arguments: `ns::f`.
std::string QualifiedName(std::string_view function);
// At most about `most` columns: our builds' namespaces and default template arguments dropped, then
// parameters, then all template arguments, then cut.
std::string ShortName(std::string_view function, size_t most);

}  // namespace taskrace::report
