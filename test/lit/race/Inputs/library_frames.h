// A library that wraps the task interface, and a container with members that race.
#pragma once
#include <taskrace/tasks.hpp>

namespace adapter {

inline taskrace::scope& tasks() {
  static taskrace::scope all;
  return all;
}

template <class Function>
void start(Function function) {
  tasks().spawn(function);
}
inline void wait() { tasks().sync(); }

struct sequence {
  int values[8];
  int size;
  int last;
  void add(int value) {
    values[size] = value;
    size = size + 1;
    last = value;
  }
};

}  // namespace adapter
