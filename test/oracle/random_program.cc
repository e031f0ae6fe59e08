#include "test/oracle/random_program.h"

#include <algorithm>
#include <map>

namespace taskrace::oracle {
namespace {

bool HasBody(What what) {
  switch (what) {
    case What::kScope:
    case What::kSpawn:
    case What::kFinish:
    case What::kAsync:
    case What::kFuture:
    case What::kFork:
    case What::kLoop:
      return true;
    default:
      return false;
  }
}

// The futures that somebody can get. The handle of a structured future travels with control: to a
// child when it is created, and from a child to whoever joins it.
using Handles = std::vector<Name>;

// Writes a program construct by construct, in the order in which it will run.
class Writer {
 public:
  Writer(std::mt19937_64& rng, const ProgramClass& program_class)
      : rng_(rng), class_(program_class), budget_(5 + static_cast<int>(Below(85))) {
    const bool futures = class_.futures != Futures::kNone;
    Offer(What::kAccess, 8);
    if (class_.scopes) {
      Offer(What::kScope, 1);
      Offer(What::kSpawn, futures ? 1 : 3);
      Offer(What::kSync, 1);
    }
    if (class_.finishes) {
      Offer(What::kFinish, 1);
      Offer(What::kAsync, futures && !class_.promises ? 1 : 3);
    }
    if (futures) {
      Offer(What::kFuture, class_.promises ? 1 : 2);
      Offer(What::kGet, 3);
    }
    if (class_.promises) {
      Offer(What::kSet, 2);
      for (unsigned i = 1; i <= kPromiseCount; ++i) unset_.push_back(Name('p', i));
    }
    if (class_.forks != Forks::kNone) {
      Offer(What::kFork, class_.forks == Forks::kLattice ? 3 : 2);
      Offer(What::kJoin, 2);
    }
    if (class_.clears) {
      Offer(What::kClear, 1);
      Offer(What::kRetire, 1);
    }
    if (class_.loops) Offer(What::kLoop, 2);
    constexpr unsigned kReadsPerWrite[] = {2, 6, 20};
    place_size_ = Below(2) == 0 ? 1 : 8;
    reads_per_write_ = kReadsPerWrite[class_.few_places ? 2 : Below(3)];
  }

  Body Program() {
    Body program;
    Handles handles, finish;
    while (budget_ > 0) {
      for (Construct& c : WriteBody({.finish = &finish, .handles = &handles})) {
        program.push_back(std::move(c));
      }
    }
    for (Name name : unset_) program.push_back(Set(name));
    if (class_.forks == Forks::kLattice) program.insert(program.end(), kForksAtMost, Join());
    return program;
  }

 private:
  static constexpr unsigned kDeepest = 7;
  static constexpr unsigned kForksAtMost = 40;

  // Where a body is written. Joins collect the handles that children leave for them.
  struct Place {
    unsigned tasks = 0;  // around
    unsigned level = 0;  // constructs around, tasks too
    std::vector<Handles*> scopes = {};
    Handles* finish;
    Handles* handles;  // of the task
  };

  unsigned Below(size_t limit) { return static_cast<unsigned>(rng_() % limit); }
  void Offer(What what, size_t times) { choices_.insert(choices_.end(), times, what); }

  What Choose(const Place& place) {
    const What what = choices_[Below(choices_.size())];
    if ((what == What::kSpawn || what == What::kSync) && place.scopes.empty()) return What::kScope;
    return what;
  }

  Body WriteBody(const Place& place) {
    Body body;
    for (unsigned left = 1 + Below(8); left > 0 && budget_ > 0; --left) {
      --budget_;
      What what = Choose(place);
      if (place.level > kDeepest && HasBody(what)) what = What::kAccess;
      Write(place, what, body);
    }
    return body;
  }

  void Write(const Place& place, What what, Body& body) {
    const unsigned scope = class_.mixes && !place.scopes.empty() ? Below(place.scopes.size()) : 0;
    const auto handles_of_scope = [&]() -> Handles& {
      return *place.scopes[place.scopes.size() - 1 - scope];
    };
    switch (what) {
      case What::kAccess:
        return body.push_back(WriteAccess());
      case What::kClear:
        return body.push_back(WriteClear());
      case What::kRetire:
        return body.push_back(WriteRetire());
      case What::kScope: {
        Handles left;
        Place inside = place;
        ++inside.level;
        inside.scopes.push_back(&left);
        body.push_back(Scope(WriteBody(inside)));
        return Move(left, *place.handles);
      }
      case What::kFinish: {
        Handles left;
        Place inside = place;
        ++inside.level;
        inside.scopes.clear();
        inside.finish = &left;
        body.push_back(Finish(WriteBody(inside)));
        return Move(left, *place.handles);
      }
      case What::kSpawn:
        return body.push_back(Spawn(WriteTask(place, handles_of_scope()), scope));
      case What::kSync:
        body.push_back(Sync(scope));
        return Move(handles_of_scope(), *place.handles);
      case What::kAsync:
        return body.push_back(Async(WriteTask(place, *place.finish)));
      case What::kFuture: {
        const Name name('f', ++futures_);
        Handles returned;
        body.push_back(Future(name, WriteTask(place, returned)));
        returned_[name] = std::move(returned);
        ended_.push_back(name);
        return place.handles->push_back(name);
      }
      case What::kGet:
        return WriteGet(place, body);
      case What::kSet:
        if (!unset_.empty()) {
          was_set_.push_back(Take(unset_));
          body.push_back(Set(was_set_.back()));
        }
        return;
      case What::kFork: {
        const bool named = class_.forks == Forks::kNamed;
        const Name name = named ? Name('k', ++forks_) : Name();
        Handles dropped;
        body.push_back(Fork(WriteTask(place, dropped), name));
        if (named) unjoined_.push_back(name);
        return;
      }
      case What::kJoin:
        if (class_.forks == Forks::kLattice) return body.push_back(Join());
        if (!unjoined_.empty()) body.push_back(Join(Take(unjoined_)));
        return;
      case What::kLoop: {
        if (Below(2) == 0) return body.push_back(WriteAffineLoop());
        Body iterations;
        Handles left;
        for (unsigned count = Below(6); count > 0; --count) {
          iterations.push_back(Iteration(WriteTask(place, left)));
        }
        body.push_back(Loop(std::move(iterations)));
        return Move(left, *place.handles);
      }
      case What::kIteration:
        return;  // with its loop
    }
  }

  Body WriteTask(const Place& place, Handles& leaves_to) {
    Handles mine;
    std::erase_if(*place.handles, [&](Name name) {
      const bool taken = Below(2) == 0;
      if (taken) mine.push_back(name);
      return taken;
    });
    Body body = WriteBody({.tasks = place.tasks + 1,
                           .level = place.level + 1,
                           .finish = place.finish,
                           .handles = &mine});
    Move(mine, leaves_to);
    return body;
  }

  void WriteGet(const Place& place, Body& body) {
    if (class_.futures == Futures::kStructured) {
      if (place.handles->empty()) return;
      const Name name = Take(*place.handles);
      body.push_back(Get(name));
      return Move(returned_[name], *place.handles);
    }
    // In the root nobody would be left who could set it.
    const bool waits = !unset_.empty() && place.tasks > 0 && Below(5) < 2;
    Handles names = waits ? unset_ : ended_;
    if (!waits) names.insert(names.end(), was_set_.begin(), was_set_.end());
    if (!names.empty()) body.push_back(Get(Take(names)));
  }

  Name Take(Handles& names) {
    const auto chosen = names.begin() + static_cast<ptrdiff_t>(Below(names.size()));
    const Name name = *chosen;
    names.erase(chosen);
    return name;
  }
  static void Move(Handles& from, Handles& to) {
    to.insert(to.end(), from.begin(), from.end());
    from.clear();
  }

  unsigned Size() {
    if (class_.few_places) return place_size_;
    constexpr unsigned kSizes[] = {1, 1, 1, 2, 4, 4, 8, 8, 16};
    return kSizes[Below(9)];
  }
  // Aligned more often than not, as in real programs.
  unsigned First(unsigned size) {
    if (class_.few_places) return Below(2) * size;
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
  // Each iteration reads, then writes, always the same distance from where the one before did.
  Construct WriteAffineLoop() {
    constexpr unsigned kSizes[] = {1, 1, 2, 4};
    const unsigned size = kSizes[Below(4)];
    const int most = static_cast<int>(kBytes - size);
    Body iterations(1 + Below(5), Iteration({}));
    const int last = static_cast<int>(iterations.size()) - 1;
    const unsigned reads = Below(4), writes = Below(reads_per_write_) < 2 || reads == 0 ? 1 : 0;
    for (unsigned i = 0; i < reads + writes; ++i) {
      int step = static_cast<int>(Below(9)) - 4;
      if (Below(2) == 0) step = static_cast<int>(size);
      if (step * last > most || -step * last > most) step = 0;
      const int from = step < 0 ? -step * last : 0;
      const int room = most - (step < 0 ? -step : step) * last;
      int first = from + static_cast<int>(Below(static_cast<size_t>(room) + 1));
      for (Construct& iteration : iterations) {
        iteration.body.push_back(Access(i < reads ? AccessKind::kRead : AccessKind::kWrite,
                                        static_cast<unsigned>(first), size));
        first += step;
      }
    }
    return Loop(std::move(iterations));
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
  unsigned place_size_;
  unsigned futures_ = 0;
  unsigned forks_ = 0;
  Handles ended_;                     // futures
  std::map<Name, Handles> returned_;  // what a future hands to its getter
  Handles unset_, was_set_;           // promises
  Handles unjoined_;                  // forks
};

bool IsValid(const Body& body, unsigned open) {
  for (const Construct& c : body) {
    const bool uses_scope = c.what == What::kSpawn || c.what == What::kSync;
    if (uses_scope && c.scope >= open) return false;
    for (const Construct& inside : c.body) {
      if ((inside.what == What::kIteration) != (c.what == What::kLoop)) return false;
    }
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
    // Two words with different readers; only the last one, of both, is parallel to the write.
    const Construct first = Access(AccessKind::kRead, 0, 8);
    const Construct second = Access(AccessKind::kRead, 8, 8);
    examples.push_back(
        {Scope({Scope({Spawn({first, second}), Spawn({first}), Spawn({second}),
                       Spawn({first, second}, 1), Sync(), Access(AccessKind::kWrite, 8, 8)})})});
  }
  if (program_class.futures != Futures::kNone) {
    examples.push_back({Future("f", {w}), w});  // a write is checked against the last writer
    examples.push_back({Future("f", {r}), Future("g", {r}), Get("f"), w});  // two readers
  }
  if (program_class.futures == Futures::kGeneral) {
    // Both readers in F have one D_SP root after the sync, but only one precedes the write.
    examples.push_back({Future("F", {Scope({Spawn({r, Future("G", {})}), r})}), r, Get("G"), w});
    // A creator that does not precede the getter; a second get.
    examples.push_back({Scope({Spawn({r, Future("f", {w})}), Spawn({Get("f"), w})})});
    examples.push_back({Future("f", {r}), Scope({Spawn({Get("f"), w}), Spawn({Get("f"), w})})});
  }
  if (program_class.promises) {
    // The finish puts both readers into one set, but only one precedes the write.
    examples.push_back({Async({Finish({Async({r, Set("p")}), Async({r})})}), Async({r, Set("q")}),
                        Async({Get("p"), Get("q"), w})});
    // The setter of p gets q only afterwards: q's setter does not precede who gets p.
    examples.push_back({Async({Set("p")}), Async({w, Set("q")}),
                        Async({Get("p"), Set("r"), Get("q"), Set("s")}), Async({Get("r"), w})});
    // A get after the set orders nothing before the getters of the set.
    examples.push_back(
        {Async({Set("p"), Get("q"), Set("r")}), Async({w, Set("q")}), Async({Get("p"), w})});
    // The first task blocks twice. If it then returns to its creator, the second task is still
    // active, suspended in its set, and yet parallel with the creator.
    examples.push_back({Async({Get("p"), Get("q")}), Async({w, Set("p")}), w, Set("q")});
    // The waiter runs late, though it stands to the left of the setter.
    examples.push_back({Async({Get("p"), w}), Scope({Spawn({r})}), Set("p"), r});
  }
  if (program_class.loops) {
    examples.push_back({Loop({Iteration({w}), Iteration({w})})});
    examples.push_back({Loop({Iteration({r}), Iteration({r})}), w});
    // Two loops, one in an iteration of the other: parallel to what the other iterations do.
    examples.push_back(
        {Loop({Iteration({Loop({Iteration({r}), Iteration({r})})}), Iteration({w})})});
    examples.push_back({Loop({Iteration({w}), Iteration({Loop({Iteration({r})}), w})})});
  }
  if (program_class.loops && program_class.scopes) {
    // The first strand of an iteration that becomes a task precedes its child, and races as before.
    examples.push_back({Loop({Iteration({w, Scope({Spawn({r})}), r})})});
    examples.push_back({Loop({Iteration({w, Scope({Spawn({})})}), Iteration({r})})});
    examples.push_back({Loop({Iteration({r}), Iteration({Scope({Spawn({w})})})})});
    examples.push_back({Scope({Spawn({w}), Loop({Iteration({r})}), Sync(), w})});
  }
  if (program_class.forks == Forks::kLattice) {
    examples.push_back({Fork({w}), r, Join()});  // a read must be tested against the writer
    examples.push_back({Fork({r}), Fork({r, Join()}), w, Join()});
  }
  return examples;
}

bool IsValid(const Body& program) {
  return IsValid(program, 0) && std::ranges::none_of(program, [](const Construct& c) {
           return c.what == What::kIteration;
         });
}

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
