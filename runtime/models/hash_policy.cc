// The growth policy of std::unordered_map and similar containers: libstdc++.so decides, we
// say what it touched.

#include <dlfcn.h>

#include <unordered_map>

#include "taskrace/hooks.h"

namespace std {
namespace __detail {
namespace {

// Calls the library's own function on a policy and reports its accesses: it reads the policy, and
// writes _M_next_resize at times.
template <class Result, class... Arguments>
Result Forward(const char* name, const _Prime_rehash_policy* policy, Arguments... arguments) {
  using Function = Result(const _Prime_rehash_policy*, Arguments...);
  Function* real = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  __taskrace_read_range(policy, sizeof(*policy));
  const size_t before = policy->_M_next_resize;
  const Result result = real(policy, arguments...);
  if (policy->_M_next_resize != before) __taskrace_write8(&policy->_M_next_resize);
  return result;
}

}  // namespace

__attribute__((visibility("default"))) std::size_t _Prime_rehash_policy::_M_next_bkt(
    std::size_t least) const {
  return Forward<std::size_t>("_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm", this, least);
}

__attribute__((visibility("default"))) std::pair<bool, std::size_t>
_Prime_rehash_policy::_M_need_rehash(std::size_t buckets, std::size_t elements,
                                     std::size_t inserted) const {
  return Forward<std::pair<bool, std::size_t>>(
      "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm", this, buckets, elements,
      inserted);
}

}  // namespace __detail
}  // namespace std
