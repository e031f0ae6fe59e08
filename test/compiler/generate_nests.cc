// Writes random loop nests as C++: generate_nests COUNT SEED > nests.inc
//
// A nest is a function of an address and four numbers, and returns a number that all its reads go
// into. Loops go up and down, in several steps, with constant, passed and triangular bounds, are
// left early or go on early; accesses are conditional, strided, scattered, of all sizes; between
// them are calls of a quiet function and boundaries. Walkers are variables that the data moves, as in
// a merge or a partition. Chains are lists whose links are read and, mostly, written. Tables are where accesses find their pointer and step in every iteration
// again, and statements change them now and then. nest_accesses.h says what an access is.
//
// Every third nest has a parallel loop, of parallel_for or of units. What its iterations do depends on nothing that another one
// writes, though they write what others touch.
//
// Bounds and factors are small, so that a nest stays within some thousand bytes of its address.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace {

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  void Nest(unsigned number) {
    std::printf(
        "std::uint64_t Nest%u([[maybe_unused]] unsigned char* base, [[maybe_unused]] long n,\n"
        "    [[maybe_unused]] long m, [[maybe_unused]] int k, [[maybe_unused]] long s) {\n"
        "  std::uint64_t sum = 1;\n  table = {base, 1};\n",
        number);
    variables_.clear();
    is_parallel_ = number % 3 == 2;
    if (is_parallel_) {
      ParallelNest();
      return;
    }
    depth_ = Below(3) + 1;
    has_boundary_ = Below(4) == 0;
    walkers_.clear();
    may_walk_ = Below(2) == 0;
    if (may_walk_) Walker(2);
    if (may_walk_ && Below(2) == 0) Walker(2);
    if (Below(4) == 0) Statement(2);
    Loop(2);
    if (Below(3) == 0) Statement(2);
    if (Below(4) == 0) Loop(2);
    std::printf("  return sum;\n}\n");
  }

 private:
  unsigned Below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }
  template <std::size_t N>
  const char* OneOf(const char* const (&choices)[N]) {
    return choices[Below(N)];
  }

  void Line(unsigned indent, const std::string& text) {
    std::printf("%*s%s\n", static_cast<int>(indent), "", text.c_str());
  }

  std::string Bound() {
    if (!variables_.empty() && Below(3) == 0) {
      return variables_[Below(variables_.size())] + OneOf({"", " + 1", " + 2"});
    }
    return OneOf({"n", "m", "k", "5", "8", "n", "m", "n - 1"});
  }

  // The sum of an iteration is its own, and leads to nothing but a write.
  void ParallelNest() {
    walkers_.clear();
    may_walk_ = false;
    has_boundary_ = Below(6) == 0;
    Line(2, "Write(HEADER.base, base);");
    Line(2, "Write(HEADER.step, 1L);");
    if (Below(3) == 0) Statement(2);
    const std::string type = OneOf({"long", "int", "std::size_t", "unsigned", "short"});
    const bool is_signed = type == "long" || type == "int" || type == "short";
    const std::string from = is_signed ? OneOf({"0", "0", "k", "-3", "m"}) : "0";
    const std::string to = is_signed ? OneOf({"n", "m", "8", "n + 2"}) : "n < 0 ? 0 : n";
    // Units run one after the other on a thread, whose variable they may share.
    const bool are_units = Below(3) == 0;
    if (are_units) {
      Line(2, "long mine = n;");
      Line(2, "trace::Share(&mine);");
    }
    const std::string by_reference = are_units || Below(2) == 0 ? "[&](" : "[=](";
    Line(2, (are_units ? "Units" : "taskrace::parallel_for") + std::string("(static_cast<") + type +
                ">(" + from + "), static_cast<" + type + ">(" + to + "), " + by_reference + type +
                " index) {");
    Line(4, "const long a = static_cast<long>(index);");
    Line(4, "std::uint64_t sum = 1;");
    variables_.push_back("a");
    // One statement is often all: what is read from memory after a write may be another thing then.
    for (unsigned statements = Below(2) * Below(3) + 1; statements > 0; --statements) {
      depth_ = Below(2) + 2;
      if (Below(3) == 0) {
        Loop(4);
      } else {
        Statement(4);
      }
    }
    if (are_units && Below(2) == 0) {
      Line(4,
           "if (" + std::string(OneOf({"a % 3 == 1", "n > m", "true"})) + ") mine = mine * 3 + a;");
      Line(4, "sum += mine;");
    }
    if (Below(4) == 0) {
      Line(4, "Write(RESULT(3), Read(RESULT(3)) + sum);");
    } else {
      Line(4, "Write(RESULT(a), sum);");
    }
    variables_.pop_back();
    Line(2, "});");
    if (Below(3) == 0) Statement(2);
    std::printf("  Write(RESULT(40), sum);\n  return 1;\n}\n");
  }

  // A variable that the data moves: an index, or a pointer.
  struct Moving {
    std::string name;
    bool is_pointer, only_up;
  };

  void Walker(unsigned indent) {
    const std::string name = "w" + std::to_string(walkers_.size());
    const std::string start =
        variables_.empty() || Below(2) == 0 ? std::to_string(Below(9)) : variables_.back();
    if (Below(3) == 0) {
      Line(indent, "double* " + name + " = &AT(double, " + start + ");");
      walkers_.push_back({name, true, false});
      return;
    }
    const std::string type = OneOf({"long", "int", "long", "unsigned"});
    // Not below 0 if it has no sign.
    Line(indent, type + " " + name + " = static_cast<" + type + ">((" + start + ") & 15);");
    walkers_.push_back({name, false, type == "unsigned"});
  }

  // Between what a walker stays, give or take a few steps an iteration.
  static std::string IsNear(const Moving& walker) {
    const std::string place =
        walker.is_pointer ? "(" + walker.name + " - &AT(double, 0))" : walker.name;
    return walker.only_up ? "(" + place + " < 60u)" : "(" + place + " < 60 && " + place + " > -60)";
  }

  static std::string At(const Moving& walker, const std::string& type) {
    return walker.is_pointer ? "*" + walker.name : "AT(" + type + ", " + walker.name + ")";
  }

  void Walk(unsigned indent) {
    const Moving walker = walkers_[Below(walkers_.size())];
    const std::string type = walker.is_pointer ? "double" : Type();
    const std::string look = "((sum = sum * 31 + Bits(Read(" + At(walker, type) + "))) & 3) != 0";
    switch (Below(8)) {
      case 0:
        Line(indent, "while (" + IsNear(walker) + " && " + look + ") ++" + walker.name + ";");
        break;
      case 1:
        Line(indent, "while (" + look + " && " + IsNear(walker) + ") " +
                         (walker.only_up ? "++" : "--") + walker.name + ";");
        break;
      case 2:
        Line(indent,
             "do { ++" + walker.name + "; } while (" + look + " && " + IsNear(walker) + ");");
        break;
      case 3:
        AddToSum(indent, "Bits(Read(" + At(walker, type) + "))");
        Line(indent,
             walker.name + " += " + OneOf({"(sum >> 3) & 1", "1", "2", "(sum & 4) ? 2 : 1"}) + ";");
        break;
      case 4:
        Line(indent, "Write(" + At(walker, type) + ", Number<" + type + ">(sum));");
        Line(indent, "if (" + Condition() + ") ++" + walker.name + ";");
        break;
      case 5:
        AddToSum(indent, "Bits(Read(" + At(walker, type) + "))");
        if (!walker.only_up) {
          Line(indent, walker.name + " -= " + OneOf({"(sum >> 5) & 1", "1", "3"}) + ";");
        }
        break;
      case 6:
        Line(indent, "if (" + Condition() + ") Write(" + At(walker, type) + ", Number<" + type +
                         ">(5)), ++" + walker.name + ";");
        break;
      default:
        AddToSum(indent, "Bits(Read(" + At(walker, type) + "))");
    }
    if (!variables_.empty()) Line(indent, "if (!" + IsNear(walker) + ") break;");
  }

  // Walks along a list of cells, which go on and end as their links say, and changes it on the way.
  void Chain(unsigned indent) {
    Line(indent, "std::uint32_t* link = &AT(Cell, " + std::to_string(Below(8)) + ").next;");
    const bool looks_first = Below(2) == 0;
    Line(indent, "for (int cells = 0; cells < 12; ++cells) {");
    if (looks_first) {
      Line(indent + 2, "const std::uint32_t at = Read(*link);");
    } else {
      Line(indent + 2, "const std::uint32_t at = static_cast<std::uint32_t>(sum >> 7);");
    }
    Line(indent + 2, "sum = sum * 31 + at;");
    if (Below(4) != 0) Line(indent + 2, "if ((sum & 7) == 0) break;");
    Line(indent + 2, "Cell& cell = AT(Cell, at % 32);");
    Line(indent + 2, "const std::uint32_t next = Read(cell.next);");
    AddToSum(indent + 2, "next");
    if (Below(3) == 0) Line(indent + 2, "if ((sum & 7) == 3) break;");
    if (has_boundary_ && Below(3) == 0) Line(indent + 2, "if (sum & 1) Boundary();");
    if (Below(3) == 0) AddToSum(indent + 2, "Read(cell.tag)");
    const std::string number = "static_cast<std::uint32_t>(sum >> 9)";
    if (Below(3) == 0) {
      Line(indent + 2, "Write(*link, " + number + ");");
      Line(indent + 2, "link = &cell.next;");
    } else {
      Line(indent + 2, "if (" + Condition() + ") {");
      if (Below(5) != 0) Line(indent + 4, "Write(*link, " + number + ");");
      Line(indent + 4, "link = &cell.next;");
      Line(indent + 2, "} else {");
      if (Below(3) != 0) Line(indent + 4, "Write(cell.next, " + number + " + 1);");
      if (Below(3) != 0) Line(indent + 4, "Write(*link, next + 1);");
      Line(indent + 2, "}");
    }
    Line(indent, "}");
    if (Below(4) == 0) Line(indent, "Write(*link, 9u);");
  }

  // Linear in the variables, now and then not.
  std::string Index() {
    if (variables_.empty()) return std::to_string(Below(12) + 1);
    if (Below(12) == 0) {
      return "static_cast<long>((" + variables_.back() + " * " + variables_.front() + ") % 13)";
    }
    if (Below(14) == 0) {
      if (is_parallel_) return "static_cast<long>(Read(CONSTANT(" + variables_.back() + ")) & 31)";
      return "static_cast<long>(Read(AT(unsigned char, " + variables_.back() + ")) & 31)";
    }
    std::string index = std::to_string(static_cast<int>(Below(20)) - 6);
    for (const std::string& variable : variables_) {
      switch (Below(6)) {
        case 0:
          break;
        case 1:
          index += " + " + variable + " * s";
          break;
        case 2:
          index += " - " + variable;
          break;
        case 3:
          index += " + " + variable + " * " + std::to_string(Below(8) + 1);
          break;
        default:
          index += " + " + variable;
      }
    }
    return index;
  }

  std::string Type() {
    return OneOf({"std::uint8_t", "std::uint16_t", "std::uint32_t", "float", "std::uint64_t",
                  "double", "double", "std::int32_t"});
  }

  std::string Condition() {
    if (is_parallel_ && Below(3) == 0) {
      return "((sum = sum * 31 + Read(CONSTANT(" + (variables_.empty() ? "5" : variables_.back()) +
             "))), (CONSTANT(" + (variables_.empty() ? "5" : variables_.back()) + ") & 3) == 0)";
    }
    switch (Below(is_parallel_ ? 2 : 6)) {
      case 0:
        return "n > m";
      case 1:
        return variables_.empty() ? "k > 3" : variables_.back() + " % 3 == 1";
      case 2:
        return "(sum & 3) == 0";
      case 3:
      case 4:
        if (!variables_.empty()) {
          return variables_.back() + OneOf({" == ", " != "}) + OneOf({"k", "m", "2", "m - 1"});
        }
        [[fallthrough]];
      default:
        // Into the sum as well: a loop whose reads lead to nothing is no loop to the optimiser.
        return "((sum = sum * 31 + Read(AT(std::uint8_t, " + Index() + "))) & 3) == 0";
    }
  }

  void AddToSum(unsigned indent, const std::string& value) {
    Line(indent, "sum = sum * 31 + " + value + ";");
  }

  void Access(unsigned indent) {
    const std::string type = Type(), index = Index();
    const char* const table = is_parallel_ && Below(2) == 0 ? "IN_HEADER(" : "IN_TABLE(";
    const std::string place = (Below(5) == 0 ? table : "AT(") + type + ", " + index + ")";
    switch (Below(8)) {
      case 0:
      case 1:
        AddToSum(indent, "Bits(Read(" + place + "))");
        break;
      case 2:
        Line(indent, "Write(" + place + ", Number<" + type + ">(sum));");
        break;
      case 3:
        Line(indent,
             "Write(" + place + ", Number<" + type + ">(Bits(Read(" + place + ")) + sum));");
        break;
      case 4:
        // Into the sum as well: what is written may be overwritten, and then need not be read. And
        // not the same number: written where it was read, that would be no access.
        Line(indent, "const auto copied = Read(AT(" + type + ", " + Index() + "));");
        Line(indent, "Write(" + place + ", Number<" + type + ">(Bits(copied) + 1));");
        AddToSum(indent, "Bits(copied)");
        break;
      case 5: {
        Line(indent, "auto& point = AT(Point, " + index + ");");
        AddToSum(indent, std::string("Bits(Read(point.x)) + 3 * Bits(Read(point.") +
                             OneOf({"y", "z"}) + "))");
        if (Below(2) == 0) Line(indent, "Write(point.tag, Number<std::uint32_t>(sum));");
        break;
      }
      case 6:
        AddToSum(indent, "Bits(Read(" + place + ")) - Bits(Read(AT(" + type + ", " + index +
                             " + 1))) + 7 * Bits(Read(AT(" + type + ", " + index + " - 1)))");
        break;
      default:
        Line(indent, "Write(" + place + ", Number<" + type + ">(7));");
    }
  }

  void Statement(unsigned indent) {
    Line(indent, "{");
    if (!walkers_.empty() && Below(2) == 0) {
      Walk(indent + 2);
      Line(indent, "}");
      return;
    }
    switch (Below(is_parallel_ ? 10 : 12)) {
      case 11:
        Chain(indent + 2);
        break;
      case 10:
        Line(indent + 2, "if (" + Condition() + ") " +
                             OneOf({"table.base = base + (sum & 3) * 8", "table.step = sum & 3"}) +
                             ";");
        break;
      case 0:
        Line(indent + 2, "if (" + Condition() + ") {");
        Access(indent + 4);
        if (Below(2) == 0) {
          Line(indent + 2, "} else {");
          Access(indent + 4);
        }
        Line(indent + 2, "}");
        break;
      case 1:
        if (is_parallel_ && variables_.size() == 1) {
          if (Below(3) == 0) Line(indent + 2, "if (" + Condition() + ") return;");
        } else if (!variables_.empty() && Below(2) == 0) {
          Line(indent + 2, "if (" + Condition() + ") " + OneOf({"break", "continue"}) + ";");
        }
        break;
      case 2:
        AddToSum(indent + 2, "Quiet(base, " + Index() + ")");
        break;
      case 3:
        if (has_boundary_) Line(indent + 2, "Boundary();");
        break;
      case 4:
        Line(indent + 2, "Set(base + (" + Index() + "), 3, " +
                             OneOf({"4", "9", "static_cast<std::size_t>(k < 0 ? 0 : k)"}) + ");");
        break;
      default:
        Access(indent + 2);
    }
    Line(indent, "}");
  }

  void Loop(unsigned indent) {
    const std::string variable = std::string(1, static_cast<char>('a' + variables_.size()));
    const std::string type = OneOf({"long", "int", "long", "short"});
    const std::string step = OneOf({"1", "1", "1", "2", "3", "s"});
    const std::string from = Below(3) == 0 ? Bound() : "0", to = Bound();
    bool closes_with_condition = false;
    switch (Below(6)) {
      case 0:
        Line(indent, "for (" + type + " " + variable + " = static_cast<" + type + ">(" + to +
                         "); " + variable + " > " + from + "; " + variable + " -= " + step + ") {");
        break;
      case 1:
        Line(indent, "for (" + type + " " + variable + " = static_cast<" + type + ">(" + from +
                         "); " + variable + " <= " + to + "; " + variable + " += " + step + ") {");
        break;
      case 2:
        Line(indent, "for (" + type + " " + variable + " = static_cast<" + type + ">(" + to +
                         "); " + variable + "-- > " + from + ";) {");
        break;
      case 3:
        Line(indent, "{ " + type + " " + variable + " = -1; do {");
        Line(indent + 2, "++" + variable + ";");
        closes_with_condition = true;
        break;
      default:
        Line(indent, "for (" + type + " " + variable + " = static_cast<" + type + ">(" + from +
                         "); " + variable + " < " + to + "; " + variable + " += " + step + ") {");
    }
    variables_.push_back(variable);
    const std::size_t walkers = walkers_.size();
    if (may_walk_ && Below(5) == 0) Walker(indent + 2);
    if (variables_.size() < depth_) {
      if (Below(3) == 0) Statement(indent + 2);
      Loop(indent + 2);
      if (Below(3) == 0) Statement(indent + 2);
    } else {
      for (unsigned statements = Below(3) + 1; statements > 0; --statements) Statement(indent + 2);
    }
    variables_.pop_back();
    walkers_.resize(walkers);
    Line(indent, closes_with_condition ? "} while (" + variable + " < " + to + "); }" : "}");
  }

  std::mt19937 random_;
  std::vector<std::string> variables_;  // of the loops around
  std::vector<Moving> walkers_;         // that can be seen here
  bool may_walk_ = false;
  bool is_parallel_ = false;
  unsigned depth_ = 0;
  bool has_boundary_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: generate_nests COUNT SEED > nests.inc\n");
    return 2;
  }
  const unsigned count = static_cast<unsigned>(std::atoi(argv[1]));
  Generator generator(static_cast<unsigned>(std::atoi(argv[2])));
  std::printf("#include \"nest_accesses.h\"\nnamespace NESTS {\n");
  for (unsigned number = 0; number < count; ++number) generator.Nest(number);
  std::printf("using Nest = std::uint64_t (*)(unsigned char*, long, long, int, long);\n");
  std::printf("extern const Nest nests[];\nconst Nest nests[] = {\n");
  for (unsigned number = 0; number < count; ++number) std::printf("    Nest%u,\n", number);
  std::printf("};\nextern const unsigned count;\nconst unsigned count = %u;\n}\n", count);
}
