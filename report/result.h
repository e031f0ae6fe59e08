// Result<T>: a value, or a sentence for the user that says why there is none.
//
// The sentence is in lower case, names the file or option, and says what to do.
// Thread rule: a value.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace taskrace::report {

// Converts to a failed Result of any type.
struct Error {
  std::string text;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : error_(std::move(error.text)) {}

  explicit operator bool() const { return value_.has_value(); }
  // Requires: there is a value.
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  // Requires: there is none.
  const std::string& error() const { return error_; }

 private:
  std::optional<T> value_;
  std::string error_;
};

}  // namespace taskrace::report
