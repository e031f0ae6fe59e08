// What taskrace wants to know of an ELF file: its markers, the names of its
// sources, what it imports, its interpreter.
//
// Reads 64-bit little-endian files with section headers; every offset in the file is
// checked, so a damaged file gives fewer answers and no crash. Thread rule: a value. Cost:
// the file is mapped, not read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace taskrace::report {

// A marker that the pass leaves in every object (struct __taskrace_object).
struct ObjectMarker {
  uint32_t abi_version;
  uint32_t constructs;  // __taskrace_construct
  std::string source;
};

class ElfFile {
 public:
  explicit ElfFile(const std::string& path);
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;
  ~ElfFile();

  // False: not there, not readable, or not an ELF file that we read.
  bool IsElf() const { return elf_; }
  bool HasSection(const char* name) const;
  std::vector<ObjectMarker> Markers() const;
  // The STT_FILE symbols: one per object that was linked in. Empty if stripped.
  std::vector<std::string> SourceNames() const;
  // The names that it wants from other modules.
  std::vector<std::string> Imports() const;
  // How its objects were compiled (-frecord-command-line), one command a string.
  std::vector<std::string> CommandLines() const;
  // The dynamic linker that starts it; empty for a static program or a library.
  std::string Interpreter() const;

 private:
  struct Section {
    std::string name;
    uint32_t type;
    uint64_t address;
    std::span<const uint8_t> bytes;
    uint32_t link;
  };

  std::span<const uint8_t> Slice(uint64_t offset, uint64_t size) const;
  // The string at an address of the loaded image.
  std::string StringAt(uint64_t address) const;
  void ReadSections();
  // Of the symbols in tables of this type for which `wanted` is true.
  template <class Wanted>
  std::vector<std::string> SymbolNames(uint32_t table, Wanted wanted) const;

  std::span<const uint8_t> file_;
  std::vector<Section> sections_;
  bool elf_ = false;
};

// The NUL-terminated string at `offset` of a string table.
std::string TableString(std::span<const uint8_t> table, uint64_t offset);

}  // namespace taskrace::report
