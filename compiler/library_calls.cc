#include "compiler/library_calls.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <array>
#include <optional>

#include "compiler/atomic_order.h"
#include "compiler/format_calls.h"
#include "compiler/hook_calls.h"
#include "compiler/places.h"
#include "compiler/statistics.h"

namespace taskrace {

using llvm::dyn_cast;

namespace {

struct Size {
  enum class Kind {
    kBytes,     // `value` bytes
    kElements,  // argument, times `value`
    kProduct,   // of two arguments
    kStringIn,  // the string that the argument points to, with its terminator; characters of `value` bytes
    kBoundedStringIn,  // the same, of at most the other argument's characters
    kResult,           // the result; negative: nothing
    kResultTimes,      // the result times the argument
    kResultPlusOne,    // (the result + 1) * `value`; negative result: nothing
    kResultBounded,    // (the result + 1, at most the argument) * `value`
    kThroughResult,  // from the pointer through the result; null: `value` bytes, or the argument times `value`
    kBeforeResult,    // from the pointer to the first field of the result
    kStringIfResult,  // the string that is there now, if the result is not null
    kStreamCount,     // gcount() of the istream that the argument is
  };
  Kind kind = Kind::kBytes;
  int argument = -1;
  int other = -1;
  uint64_t value = 0;
};

constexpr Size Bytes(uint64_t bytes) { return {Size::Kind::kBytes, -1, -1, bytes}; }
constexpr Size Elements(int argument, uint64_t bytes) {
  return {Size::Kind::kElements, argument, -1, bytes};
}
constexpr Size Argument(int argument) { return Elements(argument, 1); }
constexpr Size Product(int argument, int other) { return {Size::Kind::kProduct, argument, other}; }
constexpr Size StringIn(int argument) { return {Size::Kind::kStringIn, argument, -1, 1}; }
constexpr Size StringIn(int argument, int most) {
  return {Size::Kind::kBoundedStringIn, argument, most, 1};
}
constexpr uint64_t kWideBytes = 4;
constexpr Size WideStringIn(int argument) {
  return {Size::Kind::kStringIn, argument, -1, kWideBytes};
}
constexpr Size WideStringIn(int argument, int most) {
  return {Size::Kind::kBoundedStringIn, argument, most, kWideBytes};
}
constexpr Size Result() { return {Size::Kind::kResult}; }
constexpr Size ResultTimes(int argument) { return {Size::Kind::kResultTimes, argument}; }
constexpr Size ResultPlusOne(uint64_t bytes = 1) {
  return {Size::Kind::kResultPlusOne, -1, -1, bytes};
}
constexpr Size ResultPlusOneAtMost(int argument, uint64_t bytes = 1) {
  return {Size::Kind::kResultBounded, argument, -1, bytes};
}
constexpr Size ThroughResultOr(Size size) {
  return {Size::Kind::kThroughResult, size.argument, -1, size.value};
}
constexpr Size BeforeResult() { return {Size::Kind::kBeforeResult}; }
constexpr Size StringIfResult() { return {Size::Kind::kStringIfResult}; }
constexpr Size StreamCount(int argument) { return {Size::Kind::kStreamCount, argument}; }

struct Effect {
  enum class Kind {
    kNone,
    kRead,
    kWrite,
    kAtomicRead,
    kAtomicWrite,
    kAppend,
    kReadString,
    kReadBoundedString,
    kReadWideString,
    kReadBoundedWideString,
    kReadObject,
    kWriteObject,
    kReadBuffers,
    kWriteBuffers,
  };
  Kind kind = Kind::kNone;
  int pointer = -1;
  Size size = {};
  bool may_be_null = false;
};

constexpr Effect Read(int pointer, Size size) { return {Effect::Kind::kRead, pointer, size}; }
constexpr Effect Write(int pointer, Size size) { return {Effect::Kind::kWrite, pointer, size}; }
constexpr Effect AtomicRead(int pointer, Size size) {
  return {Effect::Kind::kAtomicRead, pointer, size};
}
constexpr Effect AtomicWrite(int pointer, Size size) {
  return {Effect::Kind::kAtomicWrite, pointer, size};
}
constexpr Effect Append(int pointer, Size size) { return {Effect::Kind::kAppend, pointer, size}; }
constexpr Effect ReadString(int pointer) { return {Effect::Kind::kReadString, pointer}; }
constexpr Effect ReadString(int pointer, int most) {
  return {Effect::Kind::kReadBoundedString, pointer, Argument(most)};
}
constexpr Effect ReadWideString(int pointer) { return {Effect::Kind::kReadWideString, pointer}; }
constexpr Effect ReadWideString(int pointer, int most) {
  return {Effect::Kind::kReadBoundedWideString, pointer, Argument(most)};
}
// What an array of struct iovec lists; `count`: the argument with its length.
constexpr Effect ReadBuffers(int pointer, int count) {
  return {Effect::Kind::kReadBuffers, pointer, Argument(count)};
}
constexpr Effect WriteBuffers(int pointer, int count) {
  return {Effect::Kind::kWriteBuffers, pointer, Argument(count)};
}
constexpr Effect ReadObject(int pointer) { return {Effect::Kind::kReadObject, pointer}; }
constexpr Effect WriteObject(int pointer) { return {Effect::Kind::kWriteObject, pointer}; }
constexpr Effect Maybe(Effect effect) {
  effect.may_be_null = true;
  return effect;
}

struct Entry {
  llvm::StringLiteral name;
  bool is_prefix;
  std::array<Effect, 3> effects;
};

constexpr Entry kEntries[] = {
#define FUNCTION(name, ...) {name, false, {__VA_ARGS__}},
#define PREFIX(name, ...) {name, true, {__VA_ARGS__}},
#include "compiler/library_calls.def"
#undef FUNCTION
#undef PREFIX
};

const Entry* Find(llvm::StringRef name) {
  static const llvm::StringMap<const Entry*> functions = [] {
    llvm::StringMap<const Entry*> map;
    for (const Entry& entry : kEntries) {
      if (!entry.is_prefix) map[entry.name] = &entry;
    }
    return map;
  }();
  if (const Entry* entry = functions.lookup(name)) return entry;
  if (!name.starts_with("_Z") && !name.starts_with("__atomic_")) return nullptr;
  const Entry* longest = nullptr;
  for (const Entry& entry : kEntries) {
    if (entry.is_prefix && name.starts_with(entry.name) &&
        (!longest || entry.name.size() > longest->name.size())) {
      longest = &entry;
    }
  }
  return longest;
}

bool IsAfterCall(const Effect& effect) {
  return effect.kind == Effect::Kind::kWriteObject || effect.kind == Effect::Kind::kWriteBuffers ||
         effect.size.kind >= Size::Kind::kResult;
}

// Emits the checks of one call. An effect whose arguments do not have the types that the table
// expects (another function of the same name) is left out.
class Checker {
 public:
  Checker(llvm::CallBase* call, const LocalMemory& local) : call_(call), local_(local) {
    first_ = call->arg_size() > 0 && call->paramHasAttr(0, llvm::Attribute::StructRet) ? 1 : 0;
  }

  bool emitted() const { return emitted_; }

  void Check(llvm::IRBuilderBase& builder, const Effect& effect) {
    llvm::Value* pointer = PointerArgument(effect.pointer);
    if (!pointer || !(IsOfBuffers(effect) || IsChecked(effect, pointer))) return;
    switch (effect.kind) {
      case Effect::Kind::kNone:
        break;
      case Effect::Kind::kRead:
        Access(builder, AccessKind::kRead, effect, pointer, pointer);
        break;
      case Effect::Kind::kWrite:
        Access(builder, AccessKind::kWrite, effect, pointer, pointer);
        break;
      case Effect::Kind::kAtomicRead:
        Atomic(builder, AccessKind::kAtomicRead, effect, pointer);
        break;
      case Effect::Kind::kAtomicWrite:
        Atomic(builder, AccessKind::kAtomicWrite, effect, pointer);
        break;
      case Effect::Kind::kAppend:
        Access(builder, AccessKind::kWrite, effect, pointer,
               builder.CreatePtrAdd(pointer,
                                    Times(builder, LengthOf(builder, pointer, effect.size.value),
                                          effect.size.value)));
        break;
      case Effect::Kind::kReadString:
        String(builder, effect, pointer, nullptr);
        break;
      case Effect::Kind::kReadBoundedString:
        if (llvm::Value* most = IntegerArgument(builder, effect.size.argument)) {
          String(builder, effect, pointer, most);
        }
        break;
      case Effect::Kind::kReadWideString:
        WideString(builder, effect, pointer, nullptr);
        break;
      case Effect::Kind::kReadBoundedWideString:
        if (llvm::Value* most = IntegerArgument(builder, effect.size.argument)) {
          WideString(builder, effect, pointer, most);
        }
        break;
      case Effect::Kind::kReadBuffers:
      case Effect::Kind::kWriteBuffers:
        Buffers(builder, effect, pointer);
        break;
      case Effect::Kind::kReadObject:
        Object(builder, AccessKind::kRead, pointer);
        break;
      case Effect::Kind::kWriteObject:
        Object(builder, AccessKind::kWrite, pointer);
        break;
    }
  }

 private:
  // Its array may be private where the buffers are not.
  static bool IsOfBuffers(const Effect& effect) {
    return effect.kind == Effect::Kind::kReadBuffers || effect.kind == Effect::Kind::kWriteBuffers;
  }

  llvm::Value* Raw(int argument) const {
    const unsigned index = first_ + argument;
    return argument >= 0 && index < call_->arg_size() ? call_->getArgOperand(index) : nullptr;
  }

  llvm::Value* PointerArgument(int argument) const {
    llvm::Value* value = Raw(argument);
    return value && value->getType()->isPointerTy() ? value : nullptr;
  }

  llvm::Value* IntegerArgument(llvm::IRBuilderBase& builder, int argument) const {
    llvm::Value* value = Raw(argument);
    if (!value || !value->getType()->isIntegerTy()) return nullptr;
    return builder.CreateSExtOrTrunc(value, SizeType(builder));
  }

  bool IsChecked(const Effect& effect, llvm::Value* pointer) const {
    if (effect.may_be_null && llvm::isa<llvm::ConstantPointerNull>(pointer)) return false;
    switch (PlaceOf(pointer, local_)) {
      case Place::kShared:
      case Place::kThreadLocal:  // Its address leaves in this call: its history has just begun.
        return true;
      case Place::kConstant:
        return effect.kind == Effect::Kind::kWrite;
      case Place::kPrivate:
      case Place::kForeign:
        return false;
    }
    llvm_unreachable("all places are handled");
  }

  llvm::Value* Zero(llvm::IRBuilderBase& builder) const {
    return llvm::ConstantInt::get(SizeType(builder), 0);
  }
  llvm::Value* One(llvm::IRBuilderBase& builder) const {
    return llvm::ConstantInt::get(SizeType(builder), 1);
  }

  llvm::Value* Times(llvm::IRBuilderBase& builder, llvm::Value* count, uint64_t bytes) const {
    return bytes == 1 ? count
                      : builder.CreateMul(count, llvm::ConstantInt::get(SizeType(builder), bytes));
  }

  // The program's own strlen or strnlen, or wcslen or wcsnlen where a character has kWideBytes. The strings have been
  // checked by now.
  llvm::Value* LengthOf(llvm::IRBuilderBase& builder, llvm::Value* string, uint64_t bytes = 1,
                        llvm::Value* most = nullptr) const {
    llvm::Module* module = call_->getModule();
    llvm::IntegerType* size = SizeType(builder);
    const bool is_wide = bytes == kWideBytes;
    llvm::CallInst* length =
        most ? builder.CreateCall(module->getOrInsertFunction(is_wide ? "wcsnlen" : "strnlen", size,
                                                              builder.getPtrTy(), size),
                                  {string, most})
             : builder.CreateCall(module->getOrInsertFunction(is_wide ? "wcslen" : "strlen", size,
                                                              builder.getPtrTy()),
                                  {string});
    length->setDoesNotThrow();
    return length;
  }

  // The result as a size, 0 where it is negative.
  llvm::Value* ResultOrZero(llvm::IRBuilderBase& builder) const {
    llvm::Value* result = builder.CreateSExtOrTrunc(call_, SizeType(builder));
    return builder.CreateSelect(builder.CreateICmpSLT(result, Zero(builder)), Zero(builder),
                                result);
  }

  // The result + 1, 0 where it is negative.
  llvm::Value* ResultPlusOneOrZero(llvm::IRBuilderBase& builder) const {
    llvm::Value* result = builder.CreateSExtOrTrunc(call_, SizeType(builder));
    return builder.CreateSelect(builder.CreateICmpSLT(result, Zero(builder)), Zero(builder),
                                builder.CreateAdd(result, One(builder)));
  }

  llvm::Value* Distance(llvm::IRBuilderBase& builder, llvm::Value* from, llvm::Value* to) const {
    llvm::IntegerType* size = SizeType(builder);
    return builder.CreateSub(builder.CreatePtrToInt(to, size), builder.CreatePtrToInt(from, size));
  }

  llvm::Value* BytesOf(llvm::IRBuilderBase& builder, const Size& size, llvm::Value* pointer) const {
    llvm::IntegerType* type = SizeType(builder);
    llvm::Type* result = call_->getType();
    llvm::Value* argument = IntegerArgument(builder, size.argument);
    switch (size.kind) {
      case Size::Kind::kBytes:
        return llvm::ConstantInt::get(type, size.value);
      case Size::Kind::kElements:
        return argument ? builder.CreateMul(argument, llvm::ConstantInt::get(type, size.value))
                        : nullptr;
      case Size::Kind::kProduct: {
        llvm::Value* other = IntegerArgument(builder, size.other);
        return argument && other ? builder.CreateMul(argument, other) : nullptr;
      }
      case Size::Kind::kStringIn: {
        llvm::Value* string = PointerArgument(size.argument);
        if (!string) return nullptr;
        return Times(builder,
                     builder.CreateAdd(LengthOf(builder, string, size.value), One(builder)),
                     size.value);
      }
      case Size::Kind::kBoundedStringIn: {
        llvm::Value* string = PointerArgument(size.argument);
        llvm::Value* most = IntegerArgument(builder, size.other);
        if (!string || !most) return nullptr;
        return Times(builder,
                     builder.CreateAdd(LengthOf(builder, string, size.value, most), One(builder)),
                     size.value);
      }
      case Size::Kind::kResult:
        return result->isIntegerTy() ? ResultOrZero(builder) : nullptr;
      case Size::Kind::kResultTimes:
        return result->isIntegerTy() && argument
                   ? builder.CreateMul(ResultOrZero(builder), argument)
                   : nullptr;
      case Size::Kind::kResultPlusOne:
        return result->isIntegerTy() ? builder.CreateMul(ResultPlusOneOrZero(builder),
                                                         llvm::ConstantInt::get(type, size.value))
                                     : nullptr;
      case Size::Kind::kResultBounded:
        return result->isIntegerTy() && argument
                   ? Times(builder,
                           builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin,
                                                         ResultPlusOneOrZero(builder), argument),
                           size.value)
                   : nullptr;
      case Size::Kind::kThroughResult: {
        if (!result->isPointerTy()) return nullptr;
        llvm::Value* through =
            builder.CreateAdd(Distance(builder, pointer, call_),
                              llvm::ConstantInt::get(type, argument ? size.value : 1));
        llvm::Value* otherwise = argument ? Times(builder, argument, size.value)
                                          : llvm::ConstantInt::get(type, size.value);
        return builder.CreateSelect(builder.CreateIsNull(call_), otherwise, through);
      }
      case Size::Kind::kBeforeResult: {
        auto* pair = dyn_cast<llvm::StructType>(result);
        if (!pair || pair->getNumElements() == 0 || !pair->getElementType(0)->isPointerTy()) {
          return nullptr;
        }
        return Distance(builder, pointer, builder.CreateExtractValue(call_, 0));
      }
      case Size::Kind::kStringIfResult: {
        if (!result->isPointerTy()) return nullptr;
        // Where there is no result, the length of the empty string before it: no branch is needed.
        llvm::Value* failed = builder.CreateIsNull(call_);
        llvm::Value* string =
            builder.CreateSelect(failed, builder.CreateGlobalString("", "__taskrace_empty"), call_);
        llvm::Value* bytes = builder.CreateAdd(LengthOf(builder, string), One(builder));
        return builder.CreateSelect(failed, Zero(builder), bytes);
      }
      case Size::Kind::kStreamCount: {
        // std::basic_istream: the vptr, then _M_gcount.
        llvm::Value* stream = PointerArgument(size.argument);
        return stream ? builder.CreateLoad(type, builder.CreateConstGEP1_64(type, stream, 1))
                      : nullptr;
      }
    }
    llvm_unreachable("all sizes are handled");
  }

  void Access(llvm::IRBuilderBase& builder, AccessKind kind, const Effect& effect,
              llvm::Value* pointer, llvm::Value* address) {
    llvm::Value* size = BytesOf(builder, effect.size, pointer);
    if (!size) return;
    if (effect.may_be_null) {
      size = builder.CreateSelect(builder.CreateIsNull(pointer), Zero(builder), size);
    }
    CallAccessHook(builder, kind, address, size);
    emitted_ = true;
  }

  void Atomic(llvm::IRBuilderBase& builder, AccessKind kind, const Effect& effect,
              llvm::Value* pointer) {
    CallAcquireHook(builder, pointer, AtomicOrderOfCall(kind));
    Access(builder, kind, effect, pointer, pointer);
    CallReleaseHook(builder, pointer, AtomicOrderOfCall(kind));
  }

  void String(llvm::IRBuilderBase& builder, const Effect& effect, llvm::Value* string,
              llvm::Value* most) {
    if (effect.may_be_null) {
      string = builder.CreateSelect(builder.CreateIsNull(string),
                                    builder.CreateGlobalString("", "__taskrace_empty"), string);
    }
    CheckString(builder, string, most);
    emitted_ = true;
  }

  void WideString(llvm::IRBuilderBase& builder, const Effect& effect, llvm::Value* string,
                  llvm::Value* most) {
    if (effect.may_be_null) {
      auto* empty = builder.CreateGlobalString(llvm::StringRef("\0\0\0", kWideBytes - 1),
                                               "__taskrace_empty_wide");
      empty->setAlignment(llvm::Align(kWideBytes));
      string = builder.CreateSelect(builder.CreateIsNull(string), empty, string);
    }
    llvm::Value* characters =
        builder.CreateAdd(LengthOf(builder, string, kWideBytes, most), One(builder));
    if (most) {
      characters = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, characters, most);
    }
    CallAccessHook(builder, AccessKind::kRead, string, Times(builder, characters, kWideBytes));
    emitted_ = true;
  }

  void Buffers(llvm::IRBuilderBase& builder, const Effect& effect, llvm::Value* vectors) {
    llvm::Value* count = Raw(effect.size.argument);
    if (!count || !count->getType()->isIntegerTy(32)) return;
    if (effect.kind == Effect::Kind::kReadBuffers) {
      CallBuffersHook(builder, vectors, count, nullptr);
    } else if (call_->getType()->isIntegerTy()) {
      CallBuffersHook(builder, vectors, count, builder.CreateSExtOrTrunc(call_, SizeType(builder)));
    } else {
      return;
    }
    emitted_ = true;
  }

  // A std::string: where its characters are, how many there are, and the characters (when written,
  // with their terminator).
  void Object(llvm::IRBuilderBase& builder, AccessKind kind, llvm::Value* object) {
    llvm::IntegerType* type = SizeType(builder);
    CallAccessHook(builder, kind, object, llvm::ConstantInt::get(type, 16));
    llvm::Value* characters = builder.CreateLoad(builder.getPtrTy(), object);
    llvm::Value* length = builder.CreateLoad(type, builder.CreateConstGEP1_64(type, object, 1));
    if (kind == AccessKind::kWrite) length = builder.CreateAdd(length, One(builder));
    CallAccessHook(builder, kind, characters, length);
    emitted_ = true;
  }

  llvm::CallBase* call_;
  const LocalMemory& local_;
  unsigned first_;
  bool emitted_ = false;
};

}  // namespace

bool CheckLibraryCall(llvm::CallBase* call, const LocalMemory& local) {
  const llvm::Function* callee = call->getCalledFunction();
  if (!callee || !callee->isDeclaration() || callee->isIntrinsic() ||
      call->hasMetadata(llvm::LLVMContext::MD_nosanitize)) {
    return false;
  }
  bool emitted = CheckFormatArguments(call, local);
  if (const Entry* entry = Find(callee->getName())) {
    Checker checker(call, local);
    BuilderBefore before(call);
    std::optional<BuilderAfter> after;
    for (const Effect& effect : entry->effects) {
      if (effect.kind == Effect::Kind::kNone) continue;
      if (!IsAfterCall(effect)) {
        checker.Check(before, effect);
      } else if (!call->isMustTailCall()) {
        if (!after) after.emplace(call);
        checker.Check(*after, effect);
      }
    }
    emitted |= checker.emitted();
  }
  if (emitted) ++Counters::kLibraryCalls;
  return emitted;
}

}  // namespace taskrace
