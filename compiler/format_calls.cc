#include "compiler/format_calls.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Module.h>

#include <optional>

#include "compiler/hook_calls.h"
#include "compiler/places.h"

namespace taskrace {

using llvm::StringRef;

namespace {

struct Family {
  llvm::StringLiteral name;
  unsigned format;  // which argument it is; the conversions' arguments begin after it
  bool scans;
};

constexpr Family kFamilies[] = {
    {"printf", 0, false},         {"fprintf", 1, false},        {"dprintf", 1, false},
    {"sprintf", 1, false},        {"snprintf", 2, false},       {"asprintf", 1, false},
    {"syslog", 1, false},         {"__printf_chk", 1, false},   {"__fprintf_chk", 2, false},
    {"__sprintf_chk", 3, false},  {"__snprintf_chk", 4, false}, {"scanf", 0, true},
    {"fscanf", 1, true},          {"sscanf", 1, true},          {"__isoc99_scanf", 0, true},
    {"__isoc99_fscanf", 1, true}, {"__isoc99_sscanf", 1, true}, {"__isoc23_scanf", 0, true},
    {"__isoc23_fscanf", 1, true}, {"__isoc23_sscanf", 1, true},
};

struct Conversion {
  char letter;
  StringRef length;                   // "", "h", "hh", "l", "ll", "L", ...
  std::optional<uint64_t> width;      // scanf: the largest number of characters
  std::optional<uint64_t> precision;  // printf: the largest number of characters
  bool stars_precision = false;       // the precision is the argument before
  bool suppressed = false;            // scanf %*d: no argument
};

// Takes the first conversion off `format`, adding the arguments that its stars take to `arguments`.
std::optional<Conversion> NextConversion(StringRef& format, bool scans, unsigned& arguments) {
  while (true) {
    const size_t percent = format.find('%');
    if (percent == StringRef::npos) return std::nullopt;
    format = format.drop_front(percent + 1);
    if (!format.consume_front("%")) break;
  }
  Conversion conversion = {};
  auto number = [&format]() -> std::optional<uint64_t> {
    StringRef digits = format.take_while(llvm::isDigit);
    format = format.drop_front(digits.size());
    uint64_t value;
    if (digits.getAsInteger(10, value)) return std::nullopt;
    return value;
  };
  if (scans && format.consume_front("*")) conversion.suppressed = true;
  if (!scans) format = format.ltrim("-+ #0'");
  if (!scans && format.consume_front("*")) ++arguments;
  conversion.width = number();
  // Arguments by position (%1$d) are rare, and not modelled.
  if (format.starts_with("$")) return std::nullopt;
  if (!scans && format.consume_front(".")) {
    if (format.consume_front("*")) {
      ++arguments;
      conversion.stars_precision = true;
    } else {
      conversion.precision = number().value_or(0);
    }
  }
  conversion.length = format.take_while([](char c) { return StringRef("hlLqjzt").contains(c); });
  format = format.drop_front(conversion.length.size());
  if (scans && format.consume_front("m")) return std::nullopt;
  if (format.empty()) return std::nullopt;
  conversion.letter = format.front();
  format = format.drop_front();
  if (scans && conversion.letter == '[') {
    format.consume_front("^");
    format.consume_front("]");
    format = format.drop_front(std::min(format.size(), format.find(']') + 1));
  }
  return conversion;
}

// Bytes that a scanf conversion stores; none if that depends on the input.
std::optional<uint64_t> StoredBytes(const Conversion& conversion) {
  switch (conversion.letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
    case 'n':
      if (conversion.length.empty()) return 4;
      return conversion.length == "hh" ? 1 : conversion.length == "h" ? 2 : 8;
    case 'p':
      return 8;
    case 'c':
      return conversion.width.value_or(1);
    case 's':
    case '[':
      return std::nullopt;
    default:
      return conversion.length == "L" ? 10 : conversion.length == "l" ? 8 : 4;
  }
}

class Checker {
 public:
  Checker(llvm::CallBase* call, const LocalMemory& local) : call_(call), local_(local) {}

  bool emitted() const { return emitted_; }

  void Printed(llvm::IRBuilderBase& builder, const Conversion& conversion, unsigned argument) {
    llvm::Value* pointer = CheckedPointer(argument, AccessKind::kRead);
    if (!pointer) return;
    if (conversion.letter == 'n') {
      Emit(builder, AccessKind::kWrite, pointer, Constant(builder, *StoredBytes(conversion)));
    } else if (conversion.letter == 's' && conversion.length.empty()) {
      llvm::Value* most = nullptr;
      if (conversion.precision) most = Constant(builder, *conversion.precision);
      if (conversion.stars_precision) {
        // A negative precision is none: as a size it is larger than any string.
        most = builder.CreateSExtOrTrunc(call_->getArgOperand(argument - 1), SizeType(builder));
      }
      CheckString(builder, pointer, most);
      emitted_ = true;
    }
  }

  // The conversion number `position` was done if the call returned more than that.
  void Scanned(llvm::IRBuilderBase& builder, const Conversion& conversion, unsigned argument,
               unsigned position) {
    llvm::Value* pointer = CheckedPointer(argument, AccessKind::kWrite);
    if (!pointer) return;
    llvm::Value* done =
        builder.CreateICmpSGT(call_, llvm::ConstantInt::get(call_->getType(), position));
    llvm::Value* size;
    if (std::optional<uint64_t> bytes = StoredBytes(conversion)) {
      size = Constant(builder, *bytes);
    } else {
      llvm::FunctionCallee strlen =
          call_->getModule()->getOrInsertFunction("strlen", SizeType(builder), builder.getPtrTy());
      llvm::Value* string =
          builder.CreateSelect(done, pointer, builder.CreateGlobalString("", "__taskrace_empty"));
      size = builder.CreateAdd(builder.CreateCall(strlen, {string}), Constant(builder, 1));
    }
    Emit(builder, AccessKind::kWrite, pointer,
         builder.CreateSelect(done, size, Constant(builder, 0)));
  }

 private:
  llvm::Value* CheckedPointer(unsigned argument, AccessKind kind) const {
    if (argument >= call_->arg_size()) return nullptr;
    llvm::Value* pointer = call_->getArgOperand(argument);
    if (!pointer->getType()->isPointerTy()) return nullptr;
    const Place place = PlaceOf(pointer, local_);
    return place == Place::kShared || place == Place::kThreadLocal ? pointer : nullptr;
  }

  static llvm::Constant* Constant(llvm::IRBuilderBase& builder, uint64_t value) {
    return llvm::ConstantInt::get(SizeType(builder), value);
  }

  void Emit(llvm::IRBuilderBase& builder, AccessKind kind, llvm::Value* pointer,
            llvm::Value* size) {
    CallAccessHook(builder, kind, pointer, size);
    emitted_ = true;
  }

  llvm::CallBase* call_;
  const LocalMemory& local_;
  bool emitted_ = false;
};

}  // namespace

bool CheckFormatArguments(llvm::CallBase* call, const LocalMemory& local) {
  const StringRef name = call->getCalledFunction()->getName();
  const Family* family =
      llvm::find_if(kFamilies, [name](const Family& candidate) { return candidate.name == name; });
  if (family == std::end(kFamilies) || call->arg_size() <= family->format ||
      !call->getType()->isIntegerTy()) {
    return false;
  }
  llvm::Value* pointer = call->getArgOperand(family->format);
  StringRef format;
  if (!pointer->getType()->isPointerTy()) return false;
  if (!llvm::getConstantStringInfo(pointer, format)) {
    BuilderBefore builder(call);
    CheckString(builder, pointer, nullptr);
    return true;
  }
  Checker checker(call, local);
  unsigned argument = family->format + 1;
  unsigned position = 0;
  std::optional<BuilderAfter> after;
  while (std::optional<Conversion> conversion = NextConversion(format, family->scans, argument)) {
    if (conversion->suppressed) continue;
    if (!family->scans) {
      BuilderBefore builder(call);
      checker.Printed(builder, *conversion, argument);
    } else if (!call->isMustTailCall()) {
      if (!after) after.emplace(call);
      checker.Scanned(*after, *conversion, argument, position);
      if (conversion->letter != 'n') ++position;
    }
    ++argument;
  }
  return checker.emitted();
}

}  // namespace taskrace
