// An item belongs to one stage at a time, with all it refers to.
// RUN: cd %S
// RUN: %taskrace c++ -O0 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace c++ -O2 %s -o %t && %taskrace run %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=lattice2d %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=multibags+ %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=donesets %t 2>&1 | %FileCheck %s
// RUN: %taskrace run --engine=promises %t 2>&1 | %FileCheck %s
#include <memory>
#include <optional>
#include <string>
#include <taskrace/tasks.hpp>
#include <vector>

std::size_t total;

int main() {
  taskrace::pipeline(
      [next = 0]() mutable -> std::optional<std::unique_ptr<std::string>> {
        if (next == 5) return std::nullopt;
        return std::make_unique<std::string>(30, static_cast<char>('a' + next++));
      },
      taskrace::parallel([](std::unique_ptr<std::string> text) {
        *text += "and more";
        return text;
      }),
      taskrace::serial([seen = 0](std::unique_ptr<std::string> text) mutable {
        std::vector<char> bytes(text->begin(), text->end());
        bytes.push_back(static_cast<char>('0' + seen++));
        return bytes;
      }),
      taskrace::parallel([](std::vector<char>&& bytes) {
        bytes[0] = 'x';
        return bytes.size();
      }),
      taskrace::serial([](std::size_t size) { total += size; }));
  return total != 5 * 39;
}
// CHECK: {{^}}taskrace: no races in 20 tasks
