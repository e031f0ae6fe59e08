#include "test/oracle/all_programs.h"

#include <algorithm>

namespace taskrace::oracle {
namespace {

class Enumeration {
 public:
  Enumeration(const Alphabet& alphabet, const std::function<void(const Body&)>& visit)
      : alphabet_(alphabet), visit_(visit) {}

  size_t Run(unsigned constructs) {
    Body program;
    Extend(program, constructs, 0, [&] {
      ++count_;
      visit_(program);
    });
    return count_;
  }

 private:
  // Appends every sequence of `left` constructs to the body, and calls done() for each.
  void Extend(Body& body, unsigned left, unsigned open, const std::function<void()>& done,
              bool is_loop = false) {
    if (left == 0) return done();
    const auto leaf = [&](const Construct& c) {
      body.push_back(c);
      Extend(body, left - 1, open, done, is_loop);
      body.pop_back();
    };
    const auto tree = [&](const Construct& c, unsigned open_inside) {
      for (unsigned inside = 0; inside < left; ++inside) {
        body.push_back(c);
        const size_t position = body.size() - 1;
        Body inner;
        const auto extend_outside = [&] {
          body[position].body = inner;
          if (c.what == What::kFuture) ended_.push_back(c.name);
          Extend(body, left - 1 - inside, open, done, is_loop);
          if (c.what == What::kFuture) ended_.pop_back();
        };
        Extend(inner, inside, open_inside, extend_outside, c.what == What::kLoop);
        body.pop_back();
      }
    };
    if (is_loop) return tree(Iteration({}), 0);
    for (const Construct& access : alphabet_.accesses) leaf(access);
    if (alphabet_.loops) tree(Loop({}), 0);
    if (alphabet_.scopes) {
      tree(Scope({}), open + 1);
      for (unsigned s = 0; s < std::min(open, alphabet_.open_scopes); ++s) {
        tree(Spawn({}, s), 0);
        leaf(Sync(s));
      }
    }
    if (alphabet_.finishes) {
      tree(Finish({}), 0);
      tree(Async({}), 0);
    }
    if (alphabet_.forks) {
      tree(Fork({}), 0);
      leaf(Join());
    }
    for (size_t i = 0; i < ended_.size(); ++i) leaf(Get(ended_[i]));
    if (alphabet_.futures) {
      ++futures_;
      tree(Future(Name('f', futures_), {}), 0);
      --futures_;
    }
    for (unsigned p = 0; p < alphabet_.promises; ++p) {
      const Name name('p', p + 1);
      leaf(Get(name));
      if ((set_ >> p & 1) != 0) continue;
      set_ ^= 1u << p;
      leaf(Set(name));
      set_ ^= 1u << p;
    }
  }

  const Alphabet& alphabet_;
  const std::function<void(const Body&)>& visit_;
  size_t count_ = 0;
  unsigned futures_ = 0;     // begun
  std::vector<Name> ended_;  // futures
  unsigned set_ = 0;         // bit i: promise i is set somewhere
};

}  // namespace

size_t ForEachProgram(const Alphabet& alphabet, unsigned constructs,
                      const std::function<void(const Body&)>& visit) {
  return Enumeration(alphabet, visit).Run(constructs);
}

}  // namespace taskrace::oracle
