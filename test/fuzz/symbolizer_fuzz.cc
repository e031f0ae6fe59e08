// Whatever the symbolizer prints, reading it neither crashes nor throws.
#include <string>

#include "report/symbolizer_answers.h"

using namespace taskrace::report;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const Frame& frame : ParseCodeAnswer(text)) {
    IsPlumbing(frame);
    IsMachinery(frame);
    IsSystem(frame);
  }
  for (const auto& answer : SplitAnswers(text)) ParseGlobalAnswer(answer);
  return 0;
}
