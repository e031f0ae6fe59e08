// Reads a command line of clang as far as the wrapper needs: does it compile, does it link, with LTO?
//
// Clang itself gets the user's words unchanged, so a word that is misread here cannot break them; at worst
// flags are added that are not needed, or missing. The one thing that must be right is which options take the
// next word, because that word must not be taken for an input.
#include "driver/command_line.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

namespace taskrace::driver {
namespace {

constexpr std::string_view kIgnorelist = "-ftaskrace-ignorelist=";
constexpr std::string_view kOnlyConstructs = "-ftaskrace-only-constructs";
constexpr std::string_view kRealTbb = "-ftaskrace-real-tbb";

// OpenMP: clang itself gets -fopenmp, its driver does not, so that no other runtime is linked.
constexpr std::string_view kOpenMp[] = {"-fopenmp", "-fopenmp=libomp", "-fopenmp=libiomp5",
                                        "-fopenmp=libgomp"};
constexpr std::string_view kNoOpenMp = "-fno-openmp";
constexpr std::string_view kOpenMpLibraries[] = {"-lomp", "-liomp5", "-lgomp"};
constexpr std::string_view kOpenMpVersion = "-fopenmp-version=";
constexpr std::string_view kOpenMpTargets = "-fopenmp-targets=";

// Options whose value is the next word, which must not be taken for an input.
constexpr std::string_view kTakeNext[] = {"-o",
                                          "-I",
                                          "-D",
                                          "-U",
                                          "-L",
                                          "-x",
                                          "-T",
                                          "-u",
                                          "-z",
                                          "-e",
                                          "-F",
                                          "-l",
                                          "-include",
                                          "-imacros",
                                          "-isystem",
                                          "-iquote",
                                          "-idirafter",
                                          "-iprefix",
                                          "-iwithprefix",
                                          "-iwithprefixbefore",
                                          "-isysroot",
                                          "--sysroot",
                                          "-cxx-isystem",
                                          "-isystem-after",
                                          "-include-pch",
                                          "-MF",
                                          "-MT",
                                          "-MQ",
                                          "-MJ",
                                          "-Xclang",
                                          "-Xlinker",
                                          "-Xassembler",
                                          "-Xpreprocessor",
                                          "-mllvm",
                                          "-target",
                                          "--target",
                                          "-arch",
                                          "-B",
                                          "--param",
                                          "-dumpdir",
                                          "-working-directory",
                                          "-gcc-toolchain",
                                          "-h",
                                          "-soname",
                                          "-rpath",
                                          "-framework",
                                          "-serialize-diagnostics",
                                          "--serialize-diagnostics",
                                          "-A",
                                          "-G",
                                          "--config",
                                          "-main-file-name",
                                          "-fmodule-name",
                                          "-ivfsoverlay",
                                          "-resource-dir"};

// Options after which no code is generated, so that the pass is not needed.
constexpr std::string_view kNoCode[] = {"-E", "-M", "-MM", "-fsyntax-only", "--analyze"};
constexpr std::string_view kStatic[] = {"-static", "--static", "-static-pie", "-static-libstdc++"};
// Options after which nothing is linked.
constexpr std::string_view kNoLink[] = {"-c",        "-S",        "--precompile",
                                        "-emit-ast", "-emit-pch", "--emit-static-lib"};
// Inputs with these suffixes become precompiled headers.
constexpr std::string_view kHeaders[] = {".h", ".hh", ".hp", ".hpp", ".hxx", ".h++", ".H", ".tcc"};

template <class List>
bool Contains(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != std::end(list);
}

// The words of a response file, by the GNU rules: blanks separate, quotes group, a backslash takes
// the next character as it is.
std::vector<std::string> ResponseWords(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = '\0';
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      in_word = true;
    } else if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

class Reader {
 public:
  CommandLine Read(const std::vector<std::string>& user) {
    Expand(user, 0);
    if (!line_.arguments.empty() && line_.arguments[0].starts_with("-cc1")) {
      line_.is_internal = true;
    }
    Classify();
    return std::move(line_);
  }

 private:
  // Limits for response files that include themselves, once or more often.
  static constexpr int kDeepest = 20;
  static constexpr int kMostFiles = 1000;

  // Replaces response files (@FILE) by their words, and removes the wrapper's own options, which clang
  // would refuse. If one was inside a response file, clang must get the expanded words.
  void Expand(const std::vector<std::string>& words, int depth) {
    bool is_value = false;
    for (const std::string& word : words) {
      // What follows -Xclang is for the compiler as it is.
      const bool stands_for_itself = std::exchange(is_value, word == "-Xclang");
      if (!stands_for_itself && IsOwnOption(word)) {
        Own(word);
        line_.had_own_in_response |= depth > 0;
        continue;
      }
      if (word.size() > 1 && word[0] == '@' && depth < kDeepest && files_ < kMostFiles) {
        // As in clang, @FILE without such a file is an ordinary argument. A pipe can be read only once, and clang
        // must read it.
        std::error_code error;
        const std::string name = word.substr(1);
        std::ifstream file;
        if (std::filesystem::is_regular_file(name, error)) file.open(name, std::ios::binary);
        if (file.is_open()) {
          ++files_;
          std::stringstream text;
          text << file.rdbuf();
          Expand(ResponseWords(text.str()), depth + 1);
          continue;
        }
      }
      line_.arguments.push_back(word);
    }
  }

  void Own(const std::string& word) {
    if (word == kOnlyConstructs) {
      line_.only_constructs = true;
    } else if (word == kRealTbb) {
      line_.real_tbb = true;
    } else if (word.starts_with(kIgnorelist)) {
      line_.ignorelists.push_back(word.substr(kIgnorelist.size()));
    } else if (word.starts_with(kOpenMpVersion)) {
      line_.openmp_flags.push_back(word);
    } else if (word.starts_with(kOpenMpTargets)) {
      line_.offloads = true;
    } else if (Contains(kOpenMpLibraries, word)) {
      line_.openmp_library = line_.has_inputs = true;
    } else {
      line_.openmp = word != kNoOpenMp;
    }
  }

  // Requires: response files are expanded.
  void Classify() {
    const std::vector<std::string>& arguments = line_.arguments;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const std::string& word = arguments[i];
      if (word == "-x" && i + 1 < arguments.size()) SetLanguage(arguments[i + 1]);
      if (word == "-l") line_.has_inputs = true;
      if (Contains(kTakeNext, word)) {
        ++i;
      } else if (word == "--") {
        for (++i; i < arguments.size(); ++i) Input(arguments[i]);
      } else if (word == "-" || !word.starts_with('-')) {
        Input(word);
      } else {
        Option(word);
      }
    }
    if (!line_.makes_code || !line_.has_inputs) line_.links = false;
  }

  void SetLanguage(const std::string& language) {
    language_is_header_ = language.ends_with("-header") || language.ends_with("-header-unit");
    language_is_given_ = language != "none";
  }

  void Input(const std::string& name) {
    line_.has_inputs = true;
    const size_t dot = name.rfind('.');
    const bool header_name =
        dot != std::string::npos && Contains(kHeaders, std::string_view(name).substr(dot));
    // Headers become precompiled headers; nothing is linked.
    if (language_is_header_ || (header_name && !language_is_given_)) line_.links = false;
  }

  void Option(const std::string& word) {
    if (Contains(kNoCode, word)) line_.makes_code = false;
    if (Contains(kNoLink, word)) line_.links = false;
    if (word == "-r") line_.relocatable = true;
    if (Contains(kStatic, word)) line_.static_flag = word;
    if (word.starts_with("-l")) line_.has_inputs = true;
    if (word == "-fno-lto") line_.lto = false;
    if (word == "-flto" || word.starts_with("-flto=")) line_.lto = true;
    if (word.starts_with("-fuse-ld=") || word.starts_with("--ld-path=")) {
      line_.chooses_linker = true;
    }
    if (word.starts_with("-fsanitize=") && word.find("thread") != std::string::npos) {
      line_.thread_sanitizer = true;
    }
    if (word == "-fno-sanitize=thread" || word == "-fno-sanitize=all") {
      line_.thread_sanitizer = false;
    }
  }

  CommandLine line_;
  int files_ = 0;  // response files that were read
  bool language_is_header_ = false;
  bool language_is_given_ = false;
};

}  // namespace

bool IsOwnOption(std::string_view word) {
  return word.starts_with(kIgnorelist) || word == kOnlyConstructs || word == kRealTbb ||
         Contains(kOpenMp, word) || word == kNoOpenMp || Contains(kOpenMpLibraries, word) ||
         word.starts_with(kOpenMpVersion) || word.starts_with(kOpenMpTargets);
}

CommandLine ReadCommandLine(const std::vector<std::string>& user) { return Reader().Read(user); }

}  // namespace taskrace::driver
