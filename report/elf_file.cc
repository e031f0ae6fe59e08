#include "report/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace taskrace::report {
namespace {

constexpr char kMarkerSection[] = "taskrace_objects";

// The layout of struct __taskrace_object in the file.
struct RawMarker {
  uint32_t abi_version;
  uint32_t constructs;
  uint64_t source;
};
static_assert(sizeof(RawMarker) == 16);

template <class T>
bool Load(std::span<const uint8_t> bytes, uint64_t offset, T& value) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return false;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return true;
}

}  // namespace

std::string TableString(std::span<const uint8_t> table, uint64_t offset) {
  if (offset >= table.size()) return "";
  const auto begin = table.begin() + static_cast<ptrdiff_t>(offset);
  return {begin, std::find(begin, table.end(), 0)};
}

ElfFile::ElfFile(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return;
  struct stat status;
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    const auto size = static_cast<size_t>(status.st_size);
    void* mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapped != MAP_FAILED) file_ = {static_cast<const uint8_t*>(mapped), size};
  }
  close(descriptor);
  Elf64_Ehdr header;
  elf_ = Load(file_, 0, header) && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB;
  if (elf_) ReadSections();
}

ElfFile::~ElfFile() {
  if (!file_.empty()) munmap(const_cast<uint8_t*>(file_.data()), file_.size());
}

std::span<const uint8_t> ElfFile::Slice(uint64_t offset, uint64_t size) const {
  if (offset > file_.size() || file_.size() - offset < size) return {};
  return file_.subspan(offset, size);
}

void ElfFile::ReadSections() {
  Elf64_Ehdr header;
  Load(file_, 0, header);
  std::vector<Elf64_Shdr> raw;
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    if (!Load(file_, header.e_shoff + i * sizeof section, section)) return;
    raw.push_back(section);
  }
  std::span<const uint8_t> names;
  if (header.e_shstrndx < raw.size()) {
    names = Slice(raw[header.e_shstrndx].sh_offset, raw[header.e_shstrndx].sh_size);
  }
  for (const Elf64_Shdr& section : raw) {
    const bool has_bytes = section.sh_type != SHT_NOBITS;
    sections_.push_back(
        {TableString(names, section.sh_name), section.sh_type, section.sh_addr,
         has_bytes ? Slice(section.sh_offset, section.sh_size) : std::span<const uint8_t>(),
         section.sh_link});
  }
}

bool ElfFile::HasSection(const char* name) const {
  return std::ranges::any_of(sections_, [&](const Section& s) { return s.name == name; });
}

std::string ElfFile::StringAt(uint64_t address) const {
  for (const Section& section : sections_) {
    if (section.address != 0 && address >= section.address &&
        address - section.address < section.bytes.size()) {
      return TableString(section.bytes, address - section.address);
    }
  }
  return "";
}

std::vector<ObjectMarker> ElfFile::Markers() const {
  // In a position-independent file a pointer's value is the addend of its relocation.
  std::map<uint64_t, uint64_t> relocated;
  for (const Section& section : sections_) {
    if (section.type != SHT_RELA) continue;
    Elf64_Rela entry;
    for (uint64_t at = 0; Load(section.bytes, at, entry); at += sizeof entry) {
      if (ELF64_R_TYPE(entry.r_info) == R_X86_64_RELATIVE) {
        relocated[entry.r_offset] = static_cast<uint64_t>(entry.r_addend);
      }
    }
  }
  std::vector<ObjectMarker> markers;
  for (const Section& section : sections_) {
    if (section.name != kMarkerSection) continue;
    RawMarker marker;
    for (uint64_t at = 0; Load(section.bytes, at, marker); at += sizeof marker) {
      const uint64_t where = section.address + at + offsetof(RawMarker, source);
      const auto found = relocated.find(where);
      markers.push_back({marker.abi_version, marker.constructs,
                         StringAt(found == relocated.end() ? marker.source : found->second)});
    }
  }
  return markers;
}

template <class Wanted>
std::vector<std::string> ElfFile::SymbolNames(uint32_t table, Wanted wanted) const {
  std::vector<std::string> names;
  for (const Section& section : sections_) {
    if (section.type != table || section.link >= sections_.size()) continue;
    Elf64_Sym symbol;
    for (uint64_t at = 0; Load(section.bytes, at, symbol); at += sizeof symbol) {
      if (!wanted(symbol)) continue;
      std::string name = TableString(sections_[section.link].bytes, symbol.st_name);
      if (!name.empty()) names.push_back(std::move(name));
    }
  }
  return names;
}

std::vector<std::string> ElfFile::SourceNames() const {
  return SymbolNames(SHT_SYMTAB, [](const Elf64_Sym& symbol) {
    return ELF64_ST_TYPE(symbol.st_info) == STT_FILE;
  });
}

std::vector<std::string> ElfFile::Imports() const {
  return SymbolNames(SHT_DYNSYM,
                     [](const Elf64_Sym& symbol) { return symbol.st_shndx == SHN_UNDEF; });
}

std::vector<std::string> ElfFile::CommandLines() const {
  std::vector<std::string> lines;
  for (const Section& section : sections_) {
    if (section.name != ".GCC.command.line") continue;
    for (uint64_t at = 0; at < section.bytes.size(); at += lines.back().size() + 1) {
      lines.push_back(TableString(section.bytes, at));
    }
  }
  return lines;
}

std::string ElfFile::Interpreter() const {
  Elf64_Ehdr header;
  if (!elf_ || !Load(file_, 0, header)) return "";
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!Load(file_, header.e_phoff + i * sizeof segment, segment)) break;
    if (segment.p_type == PT_INTERP) {
      return TableString(Slice(segment.p_offset, segment.p_filesz), 0);
    }
  }
  return "";
}

}  // namespace taskrace::report
