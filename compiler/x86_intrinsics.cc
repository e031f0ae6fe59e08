#include "compiler/x86_intrinsics.h"

#include <llvm/IR/DerivedTypes.h>

namespace taskrace {

using llvm::FixedVectorType;

namespace {

constexpr int kResult = -1;

// Numbers are those of the call's arguments.
struct Effect {
  enum class Shape {
    kNone,     // hints, and what is done to caches
    kBytes,    // `bytes`
    kValue,    // as many as `value` has
    kLanes,    // the lanes of `value` that `mask` has, of `bytes` each if that is not 0
    kIndexed,  // the same, each at its index times the last argument
  };
  Shape shape = Shape::kNone;
  AccessKind kind = AccessKind::kRead;
  int pointer = 0;
  int value = kResult;
  int mask = 0;
  int indices = 0;
  unsigned bytes = 0;
};

constexpr Effect Nothing() { return {}; }
constexpr Effect Bytes(AccessKind kind, int pointer, unsigned bytes) {
  return {.shape = Effect::Shape::kBytes, .kind = kind, .pointer = pointer, .bytes = bytes};
}
constexpr Effect Value(AccessKind kind, int pointer, int value) {
  return {.shape = Effect::Shape::kValue, .kind = kind, .pointer = pointer, .value = value};
}
constexpr Effect Lanes(AccessKind kind, int pointer, int mask, int value, unsigned bytes = 0) {
  return {.shape = Effect::Shape::kLanes,
          .kind = kind,
          .pointer = pointer,
          .value = value,
          .mask = mask,
          .bytes = bytes};
}
constexpr Effect Indexed(AccessKind kind, int pointer, int indices, int mask, int value) {
  return {.shape = Effect::Shape::kIndexed,
          .kind = kind,
          .pointer = pointer,
          .value = value,
          .mask = mask,
          .indices = indices};
}

struct Entry {
  llvm::StringLiteral name;  // all that begin with it
  Effect effects[2];
};

using enum AccessKind;
constexpr Entry kEntries[] = {
#define X86(name, ...) {"llvm.x86." name, {__VA_ARGS__}},
#include "compiler/x86_intrinsics.def"
#undef X86
};

const Entry* Find(llvm::StringRef name) {
  if (!name.starts_with("llvm.x86.")) return nullptr;
  const auto* found =
      llvm::find_if(kEntries, [&](const Entry& entry) { return name.starts_with(entry.name); });
  return found != std::end(kEntries) ? found : nullptr;
}

void CheckEffect(AccessChecks& checks, llvm::IntrinsicInst& call, const Effect& effect) {
  auto argument = [&call](int index) { return call.getArgOperand(index); };
  llvm::Value* pointer = argument(effect.pointer);
  llvm::Type* type = effect.value == kResult ? call.getType() : argument(effect.value)->getType();
  switch (effect.shape) {
    case Effect::Shape::kNone:
      break;
    case Effect::Shape::kBytes:
      checks.Range(effect.kind, pointer, effect.bytes);
      break;
    case Effect::Shape::kValue:
      checks.Access(effect.kind, pointer, type);
      break;
    case Effect::Shape::kLanes:
      if (type->isX86_MMXTy()) {
        type = FixedVectorType::get(llvm::Type::getInt8Ty(call.getContext()), 8);
      } else if (effect.bytes != 0) {
        type = FixedVectorType::get(llvm::IntegerType::get(call.getContext(), 8 * effect.bytes),
                                    llvm::cast<FixedVectorType>(type)->getNumElements());
      }
      checks.MaskedVector(effect.kind, pointer, checks.BitsOfMask(argument(effect.mask)), type);
      break;
    case Effect::Shape::kIndexed:
      checks.IndexedLanes(effect.kind, pointer, argument(effect.indices),
                          argument(call.arg_size() - 1), checks.BitsOfMask(argument(effect.mask)),
                          type);
      break;
  }
}

}  // namespace

bool IsKnownX86Intrinsic(const llvm::Function& function) {
  return Find(function.getName()) != nullptr;
}

bool IsUnknownX86Intrinsic(const llvm::Function& function) {
  return function.getName().starts_with("llvm.x86.") && !function.doesNotAccessMemory() &&
         llvm::any_of(
             function.args(),
             [](const llvm::Argument& argument) { return argument.getType()->isPointerTy(); }) &&
         !IsKnownX86Intrinsic(function);
}

void CheckX86Intrinsic(AccessChecks& checks, llvm::IntrinsicInst& call) {
  const Entry* entry = Find(call.getCalledFunction()->getName());
  if (entry == nullptr) return;
  for (const Effect& effect : entry->effects) CheckEffect(checks, call, effect);
}

}  // namespace taskrace
