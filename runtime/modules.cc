// Loaded modules, by asking the dynamic loader each time: libraries come and go with dlopen and dlclose, and
// nothing reports that. Modules that were seen once stay known, so that addresses in a library that was
// unloaded can still be symbolised.
#include "runtime/modules.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

namespace taskrace {
namespace {

constexpr char kHere = 0;  // an address in this library

// The addresses that a loaded module covers.
void Extent(const dl_phdr_info& info, uintptr_t& low, uintptr_t& high) {
  low = UINTPTR_MAX;
  high = 0;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    const uintptr_t first = info.dlpi_addr + header.p_vaddr;
    if (first < low) low = first;
    if (first + header.p_memsz > high) high = first + header.p_memsz;
  }
}

}  // namespace

struct Modules::Search {
  Modules* modules;
  uintptr_t address;  // 0: every module
  Module* found;
};

Modules::Module* Modules::Lookup(uintptr_t address) {
  Search search{this, address, nullptr};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        Search& search = *static_cast<Search*>(data);
        Modules& self = *search.modules;
        uintptr_t low, high;
        Extent(*info, low, high);
        if (search.address != 0 && (search.address < low || search.address >= high)) return 0;
        char path[sizeof(Module::path)];
        strncpy(path, info->dlpi_name, sizeof(path) - 1);
        path[sizeof(path) - 1] = '\0';
        if (path[0] == '\0') {  // the executable
          const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
          path[length < 0 ? 0 : length] = '\0';
        }
        Module* known = nullptr;
        for (int i = 0; i < self.size_ && known == nullptr; ++i) {
          Module& module = self.modules_[i];
          if (module.base == info->dlpi_addr && module.low == low &&
              strcmp(module.path, path) == 0) {
            known = &module;
          }
        }
        if (known == nullptr && self.size_ < kMost) {
          known = &self.modules_[self.size_++];
          *known = {.base = info->dlpi_addr, .low = low, .high = high};
          strcpy(known->path, path);
        }
        if (search.address == 0) return 0;
        search.found = known;
        return 1;
      },
      &search);
  // The address may belong to a module that was unloaded.
  for (int i = 0; i < size_ && search.found == nullptr && address != 0; ++i) {
    if (address >= modules_[i].low && address < modules_[i].high) search.found = &modules_[i];
  }
  return search.found;
}

const __taskrace_object* Modules::Register(const __taskrace_object* begin,
                                           const __taskrace_object* end) {
  Module* module = Lookup(reinterpret_cast<uintptr_t>(begin));
  if (module != nullptr && !module->instrumented) {
    module->instrumented = true;
    module->written = false;  // the log may have it as not instrumented
  }
  for (const __taskrace_object* object = begin; object != end; ++object) {
    if (object->abi_version != TASKRACE_ABI_VERSION) return object;
  }
  return nullptr;
}

bool Modules::Find(uintptr_t address, int& module, uintptr_t& offset) {
  Module* found = Lookup(address);
  if (found == nullptr) return false;
  module = static_cast<int>(found - modules_);
  offset = address - found->base;
  return true;
}

uintptr_t Modules::InstrumentedCaller() {
  struct Walk {
    Modules& modules;
    uintptr_t found;
  } walk{*this, 0};
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* data) {
        Walk& walk = *static_cast<Walk*>(data);
        const uintptr_t address = _Unwind_GetIP(frame);
        const Module* module = walk.modules.Lookup(address);
        if (module == nullptr || !module->instrumented) return _URC_NO_REASON;
        walk.found = address;
        return _URC_END_OF_STACK;
      },
      &walk);
  return walk.found;
}

bool Modules::IsRuntimeInterrupted() {
  struct Walk {
    Modules& modules;
    const Module* runtime;
    bool is_interrupted;  // frames from here on existed when the signal arrived
    bool found;
  } walk{*this, Lookup(reinterpret_cast<uintptr_t>(&kHere)), false, false};
  // The stack, from the handler outward: our handler, the frame of the signal, the interrupted code. The
  // question is whether a function of the runtime comes before the program's own code there.
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* data) {
        Walk& walk = *static_cast<Walk*>(data);
        int is_exact = 0;  // not a return address, but the instruction that a signal interrupted
        const uintptr_t address = _Unwind_GetIPInfo(frame, &is_exact);
        walk.is_interrupted |= is_exact != 0;
        if (!walk.is_interrupted) return _URC_NO_REASON;
        const Module* module = walk.modules.Lookup(address);
        walk.found = module != nullptr && module == walk.runtime;
        const bool is_program = module != nullptr && module->instrumented;
        return walk.found || is_program ? _URC_END_OF_STACK : _URC_NO_REASON;
      },
      &walk);
  return walk.found;
}

void Modules::WriteLine(Log& log, Module& module) {
  if (module.written || module.path[0] == '\0') return;
  module.written = true;
  log.BeginLine("module");
  log.Field("id", static_cast<uint64_t>(&module - modules_));
  log.Field("path", module.path);
  log.Field("base", static_cast<uint64_t>(module.base));
  log.Bool("instrumented", module.instrumented);
  log.EndLine();
}

bool Modules::IsThreadLocal(uintptr_t address) {
  return dl_iterate_phdr(
             [](dl_phdr_info* info, size_t, void* data) {
               const uintptr_t address = *static_cast<uintptr_t*>(data);
               for (int i = 0; i < info->dlpi_phnum; ++i) {
                 const ElfW(Phdr)& header = info->dlpi_phdr[i];
                 const uintptr_t block = reinterpret_cast<uintptr_t>(info->dlpi_tls_data);
                 if (header.p_type == PT_TLS && block != 0 && address - block < header.p_memsz)
                   return 1;
               }
               return 0;
             },
             &address) != 0;
}

void Modules::Introduce(Log& log) {
  Lookup(0);
  for (int i = 0; i < size_; ++i) WriteLine(log, modules_[i]);
}

void Modules::Write(Log& log, uintptr_t address) {
  int module = -1;
  uintptr_t offset = address;
  Find(address, module, offset);
  log.BeginArray(nullptr);
  log.Number(module);
  log.Number(static_cast<int64_t>(offset));
  log.EndArray();
}

void Modules::Forget() {
  for (int i = 0; i < size_; ++i) modules_[i].written = false;
}

}  // namespace taskrace
