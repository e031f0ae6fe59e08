#include "compiler/ignore_list.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/GlobPattern.h>
#include <llvm/Support/LineIterator.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/VirtualFileSystem.h>

namespace taskrace {

namespace {

constexpr llvm::StringLiteral kSection = "taskrace";

llvm::cl::list<std::string> ignorelist_option(
    "taskrace-ignorelist", llvm::cl::value_desc("file"),
    llvm::cl::desc("do not instrument the functions and files in this list"));

// The file's name as the compiler has it, without dots, and absolute: once each.
std::set<std::string> NamesOf(llvm::StringRef file, llvm::StringRef directory) {
  llvm::SmallString<128> clean(file);
  llvm::sys::path::remove_dots(clean, /*remove_dot_dot=*/true);
  llvm::SmallString<128> absolute(file);
  llvm::sys::fs::make_absolute(directory, absolute);
  llvm::sys::path::remove_dots(absolute, /*remove_dot_dot=*/true);
  return {file.str(), clean.str().str(), absolute.str().str()};
}

// The rules of a list that are for us: line and text.
std::vector<std::pair<unsigned, std::string>> RulesOf(const std::string& path) {
  std::vector<std::pair<unsigned, std::string>> rules;
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file) return rules;
  bool is_ours = true;
  for (llvm::line_iterator line(**file, /*SkipBlanks=*/true, '#'); !line.is_at_eof(); ++line) {
    llvm::StringRef text = line->trim();
    if (text.consume_front("[")) {
      text.consume_back("]");
      llvm::Expected<llvm::GlobPattern> section = llvm::GlobPattern::create(text);
      is_ours = section && section->match(kSection);
      if (!section) llvm::consumeError(section.takeError());
    } else if (is_ours && !text.empty()) {
      rules.emplace_back(line.line_number(), text.str());
    }
  }
  return rules;
}

}  // namespace

IgnoreList IgnoreList::FromCommandLine(llvm::LLVMContext& context) {
  IgnoreList list;
  for (const std::string& path : ignorelist_option) {
    std::string error;
    std::unique_ptr<llvm::SpecialCaseList> rules =
        llvm::SpecialCaseList::create({path}, *llvm::vfs::getRealFileSystem(), error);
    if (rules) {
      list.files_.push_back({path, std::move(rules), {}});
    } else {
      context.emitError("taskrace: ignore list: " + error);
    }
  }
  return list;
}

bool IgnoreList::Matches(llvm::StringRef prefix, llvm::StringRef name) {
  bool any = false;
  for (File& file : files_) {
    if (unsigned line = file.rules->inSectionBlame(kSection, prefix, name); line != 0) {
      file.used.insert(line);
      any = true;
    }
  }
  return any;
}

bool IgnoreList::Covers(const llvm::Function& function) {
  if (files_.empty()) return false;
  const std::string mangled = function.getName().str();
  const std::string main_file = function.getParent()->getSourceFileName();
  llvm::SmallString<128> here;
  llvm::sys::fs::current_path(here);
  const llvm::DISubprogram* subprogram = function.getSubprogram();
  const std::set<std::string> main_names = NamesOf(main_file, here);
  const std::set<std::string> names =
      subprogram ? NamesOf(subprogram->getFilename(), subprogram->getDirectory()) : main_names;
  bool any = Matches("fun", mangled);
  any |= Matches("fun", llvm::demangle(mangled));
  for (const std::string& name : names) any |= Matches("src", name);
  for (const std::string& name : main_names) any |= Matches("mainfile", name);
  return any;
}

void IgnoreList::RemarkOnUnusedRules(const llvm::Module& module) const {
  const auto defined = llvm::find_if(
      module, [](const llvm::Function& function) { return !function.isDeclaration(); });
  if (defined == module.end()) return;
  llvm::OptimizationRemarkEmitter emitter(&*defined);
  for (const File& file : files_) {
    if (!emitter.allowExtraAnalysis("taskrace")) return;
    for (const auto& [line, text] : RulesOf(file.path)) {
      if (file.used.contains(line)) continue;
      emitter.emit(llvm::OptimizationRemarkMissed(
                       "taskrace", "IgnoreRule", llvm::DiagnosticLocation(defined->getSubprogram()),
                       &defined->getEntryBlock())
                   << "rule '" << text << "' of " << file.path << ", line " << std::to_string(line)
                   << ", matches no function of this file");
    }
  }
}

}  // namespace taskrace
