#include "test/oracle/random_program.h"

namespace taskrace::oracle {
namespace {

// Writes a program construct by construct, in the order in which it will run.
class Writer {
 public:
  Writer(std::mt19937_64& rng, const ProgramClass& program_class)
      : rng_(rng), class_(program_class), budget_(5 + static_cast<int>(Below(85))) {
    for (int i = 0; i < 8; ++i) choices_.push_back(What::kAccess);
    if (class_.scopes) {
      choices_.insert(choices_.end(),
                      {What::kScope, What::kSpawn, What::kSpawn, What::kSpawn, What::kSync});
    }
    if (class_.finishes) {
      choices_.insert(choices_.end(), {What::kFinish, What::kAsync, What::kAsync, What::kAsync});
    }
    if (class_.clears) choices_.insert(choices_.end(), {What::kClear, What::kRetire});
    constexpr unsigned kReadsPerWrite[] = {2, 6, 20};
    reads_per_write_ = kReadsPerWrite[Below(3)];
  }

  Body Program() {
    Body program;
    while (budget_ > 0) {
      for (Construct& c : WriteBody(0, 0)) program.push_back(std::move(c));
    }
    return program;
  }

 private:
  static constexpr unsigned kDeepest = 7;

  unsigned Below(unsigned limit) { return static_cast<unsigned>(rng_() % limit); }

  // level: constructs around; open: scopes of the task at hand that are open here.
  Body WriteBody(unsigned level, unsigned open) {
    Body body;
    for (unsigned left = 1 + Below(8); left > 0 && budget_ > 0; --left) {
      --budget_;
      What what = choices_[Below(static_cast<unsigned>(choices_.size()))];
      if ((what == What::kSpawn || what == What::kSync) && open == 0) what = What::kScope;
      if (level > kDeepest && what >= What::kScope && what != What::kSync) what = What::kAccess;
      const unsigned scope = class_.mixes && open > 0 ? Below(open) : 0;
      switch (what) {
        case What::kAccess:
          body.push_back(WriteAccess());
          break;
        case What::kClear:
          body.push_back(WriteClear());
          break;
        case What::kRetire:
          body.push_back(WriteRetire());
          break;
        case What::kScope:
          body.push_back(Scope(WriteBody(level + 1, open + 1)));
          break;
        case What::kSpawn:
          body.push_back(Spawn(WriteBody(level + 1, 0), scope));
          break;
        case What::kSync:
          body.push_back(Sync(scope));
          break;
        case What::kFinish:
          body.push_back(Finish(WriteBody(level + 1, 0)));
          break;
        case What::kAsync:
          body.push_back(Async(WriteBody(level + 1, 0)));
          break;
      }
    }
    return body;
  }

  unsigned Size() {
    constexpr unsigned kSizes[] = {1, 1, 1, 2, 4, 4, 8, 8, 16};
    return kSizes[Below(9)];
  }
  // Aligned more often than not, as in real programs.
  unsigned First(unsigned size) {
    const unsigned first = Below(kBytes - size + 1);
    return Below(3) != 0 ? first / size * size : first;
  }

  Construct WriteAccess() {
    const unsigned size = Size();
    AccessKind kind = Below(reads_per_write_ + 1) == 0 ? AccessKind::kWrite : AccessKind::kRead;
    if (class_.atomics && Below(3) != 0) {
      kind = Below(2) == 0 ? AccessKind::kAtomicRead : AccessKind::kAtomicWrite;
    }
    return Access(kind, First(size), size, Locks());
  }
  unsigned Locks() { return class_.locks && Below(3) != 0 ? Below(4) : 0; }
  Construct WriteClear() {
    const unsigned size = Size();
    return Clear(First(size), size);
  }
  Construct WriteRetire() {
    const unsigned size = Size();
    return Retire(First(size), size, Locks());
  }

  std::mt19937_64& rng_;
  const ProgramClass& class_;
  int budget_;
  std::vector<What> choices_;
  unsigned reads_per_write_;
};

bool IsValid(const Body& body, unsigned open) {
  for (const Construct& c : body) {
    const bool uses_scope = c.what == What::kSpawn || c.what == What::kSync;
    if (uses_scope && c.scope >= open) return false;
    if (!IsValid(c.body, c.what == What::kScope ? open + 1 : 0)) return false;
  }
  return true;
}

// Calls visit(smaller program) for every way to take one thing away, until it returns true.
bool ForEachSmaller(const Body& program, const std::function<bool(Body)>& visit) {
  for (size_t i = 0; i < program.size(); ++i) {
    Body without = program;
    without.erase(without.begin() + static_cast<ptrdiff_t>(i));
    if (visit(without)) return true;
    if (!program[i].body.empty()) {
      without.insert(without.begin() + static_cast<ptrdiff_t>(i), program[i].body.begin(),
                     program[i].body.end());
      if (visit(without)) return true;
    }
    if (program[i].what == What::kAccess && program[i].size > 1) {
      Body smaller = program;
      smaller[i].size /= 2;
      if (visit(smaller)) return true;
      smaller[i].first += smaller[i].size;
      if (visit(smaller)) return true;
    }
    const bool found = ForEachSmaller(program[i].body, [&](Body body) {
      Body smaller = program;
      smaller[i].body = std::move(body);
      return visit(std::move(smaller));
    });
    if (found) return true;
  }
  return false;
}

}  // namespace

Body RandomProgram(std::mt19937_64& rng, const ProgramClass& program_class) {
  return Writer(rng, program_class).Program();
}

std::vector<Body> Examples(const ProgramClass& program_class) {
  const Construct r = Access(AccessKind::kRead, 0);
  const Construct w = Access(AccessKind::kWrite, 0);
  const Construct ar = Access(AccessKind::kAtomicRead, 0);
  const Construct aw = Access(AccessKind::kAtomicWrite, 0);
  std::vector<Body> examples;
  if (program_class.scopes) {
    examples.push_back({Scope({Spawn({r}), r, w})});  // the first reader must stay
    examples.push_back({Scope({Spawn({w}), Spawn({w})})});
  }
  if (program_class.scopes && program_class.atomics) {
    examples.push_back({Scope({Spawn({r}), Spawn({ar}), Sync(), Spawn({ar}), Spawn({aw})})});
    examples.push_back({Scope({Spawn({w}), aw, aw})});
    examples.push_back({Scope({Spawn({aw}), r, ar})});
  }
  if (program_class.finishes) {
    examples.push_back({Async({r}), Finish({Async({r})}), w});
  }
  if (program_class.mixes) {
    // An async outlives the scope that it was made in: the N.
    examples.push_back({Finish({Scope({Spawn({r}), Spawn({Async({r})}), Sync(), w})})});
    examples.push_back({Finish({Scope({Spawn({r}), Async({r}), Sync(), w})})});
    // Two scopes of one task, the outer synced first: the N again, without any finish.
    examples.push_back({Scope({Scope({Spawn({r}, 1), Spawn({r}, 0), Sync(1), w})})});
  }
  return examples;
}

bool IsValid(const Body& program) { return IsValid(program, 0); }

Body Shrink(Body program, const std::function<bool(const Body&)>& fails) {
  while (ForEachSmaller(program, [&](Body smaller) {
    if (!IsValid(smaller) || !fails(smaller)) return false;
    program = std::move(smaller);
    return true;
  })) {
  }
  return program;
}

}  // namespace taskrace::oracle
