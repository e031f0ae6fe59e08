#include "test/openmp/program.h"

#include <utility>

namespace taskrace::openmp_oracle {
namespace {

// Where a construct may stand.
enum class Place {
  kTeam,      // what all threads of a team run
  kUnit,      // one of them: an iteration, a section, a single or master block, a task
  kCritical,  // inside of a critical section
};

class Random {
 public:
  Random(std::mt19937_64& rng, const ProgramClass& program_class)
      : rng_(rng), class_(program_class) {}

  Body Program() {
    Body program;
    for (int regions = Between(1, 2); regions > 0; --regions) program.push_back(Parallel(0));
    return program;
  }

 private:
  int Between(int low, int high) {
    return low + static_cast<int>(rng_() % static_cast<uint64_t>(high - low + 1));
  }
  bool OneIn(int n) { return Between(1, n) == 1; }

  Node Parallel(int level) {
    Node node{.what = What::kParallel, .size = OneIn(8) ? 1 : Between(2, 4)};
    if (level > 0) node.size = Between(1, 2);
    node.body = Statements(Place::kTeam, level, Between(1, level == 0 ? 5 : 2), 0);
    return node;
  }

  Body Statements(Place place, int level, int count, int depth) {
    Body body;
    for (; count > 0; --count) body.push_back(Statement(place, level, depth));
    return body;
  }

  Node Statement(Place place, int level, int depth) {
    for (;;) {
      const int choice = Between(0, 13);
      const bool in_team = place == Place::kTeam;
      if (choice <= 2) return Access();
      if (choice == 3 && in_team) return {.what = What::kBarrier};
      if ((choice == 4 || choice == 5) && in_team) return Loop(level, depth, true);
      if (choice == 6 && in_team) {
        Node node = Loop(level, depth, false);
        return {.what = What::kSections, .nowait = node.nowait, .body = std::move(node.body)};
      }
      if (choice == 7 && in_team && class_.single) {
        return {.what = What::kSingle,
                .nowait = class_.nowait && OneIn(2),
                .body = Statements(Place::kUnit, level, Between(1, 3), depth + 1)};
      }
      if (choice == 8 && in_team && class_.aware && OneIn(2)) {
        return {.what = What::kMaster,
                .body = Statements(Place::kUnit, level, Between(1, 2), depth + 1)};
      }
      if (choice == 9 && class_.locks && place != Place::kCritical && (!in_team || class_.aware)) {
        return {.what = What::kCritical,
                .size = Between(0, kCriticalNames - 1),
                .body = Statements(Place::kCritical, level, Between(1, 2), depth + 1)};
      }
      if (choice == 10 && class_.tasks && place != Place::kCritical && depth < 4) {
        Node node{.what = What::kTask};
        node.undeferred = OneIn(8);
        if (class_.depend && !node.undeferred) {
          for (int i = Between(0, 2); i > 0; --i) {
            node.depends.push_back({static_cast<Depend>(OneIn(2) ? Between(0, 1) : Between(0, 3)),
                                    Between(0, kDependAddresses - 1)});
          }
          // One address twice has no meaning that the specification of OpenMP gives.
          if (node.depends.size() == 2 && node.depends[0].address == node.depends[1].address) {
            node.depends.pop_back();
          }
        }
        node.body = Statements(Place::kUnit, level, Between(1, 3), depth + 1);
        return node;
      }
      if (choice == 11 && class_.tasks && place != Place::kCritical)
        return {.what = What::kTaskwait};
      if (choice == 12 && class_.tasks && place != Place::kCritical && depth < 3) {
        return {.what = What::kTaskgroup,
                .body = Statements(Place::kUnit, level, Between(1, 3), depth + 1)};
      }
      if (choice == 13 && class_.aware && OneIn(3) && place != Place::kCritical) {
        return {.what = What::kThreadNumber};
      }
      if (choice == 13 && class_.nested && level == 0 && place != Place::kCritical && OneIn(2)) {
        return Parallel(level + 1);
      }
    }
  }

  Node Loop(int level, int depth, bool can_be_ordered) {
    Node loop{.what = What::kFor};
    loop.nowait = class_.nowait && OneIn(2);
    if (class_.dynamic && OneIn(2)) loop.schedule = static_cast<Schedule>(Between(1, 3));
    loop.chunk = Between(1, 3);
    loop.is_ordered = can_be_ordered && class_.ordered && OneIn(2);
    if (class_.locks && !loop.is_ordered && OneIn(6)) {
      loop.reduction = Between(0, kBytes - 1);
      loop.schedule = Schedule::kStatic;
    }
    int trips = OneIn(3) ? Between(3, 4) : Between(1, 8);
    if (class_.similar) {
      trips = Between(4, 5);
      loop.nowait = !OneIn(4);
      if (loop.reduction < 0) loop.schedule = static_cast<Schedule>(Between(0, 1));
      loop.chunk = Between(1, 2);
    }
    for (; trips > 0; --trips) {
      Node iteration{.what = What::kIteration};
      if (class_.similar && !OneIn(8)) {
        iteration.body.push_back(
            {.kind = OneIn(2) ? Kind::kWrite : Kind::kRead, .first = trips, .size = 1});
      } else if (!OneIn(4))
        iteration.body = Statements(Place::kUnit, level, Between(1, 2), depth + 1);
      if (loop.is_ordered && !OneIn(4)) {
        iteration.body.push_back(
            {.what = What::kOrdered,
             .body = Statements(Place::kCritical, level, Between(1, 2), depth + 1)});
        if (OneIn(2)) iteration.body.push_back(Access());
      }
      loop.body.push_back(std::move(iteration));
    }
    return loop;
  }

  Node Access() {
    Node access;
    access.kind = OneIn(3) ? Kind::kWrite : Kind::kRead;
    access.size = OneIn(3) ? 1 << Between(0, 3) : 1;
    access.first = OneIn(2) ? Between(0, 3) : Between(0, kBytes - access.size);
    access.is_own = class_.own && OneIn(3);
    if (class_.locks && OneIn(4)) {
      access.kind = OneIn(2) ? Kind::kAtomicWrite : Kind::kAtomicRead;
      access.size = 1;
    }
    return access;
  }

  std::mt19937_64& rng_;
  const ProgramClass& class_;
};

// Calls use(body) for each change of the body to something simpler.
template <class Use>
void ForEachSimpler(Body& body, const Use& use) {
  for (size_t i = 0; i < body.size(); ++i) {
    const bool is_iteration = body[i].what == What::kIteration;
    Node removed = std::move(body[i]);
    body.erase(body.begin() + static_cast<std::ptrdiff_t>(i));
    if (!is_iteration || !body.empty()) use();
    body.insert(body.begin() + static_cast<std::ptrdiff_t>(i), std::move(removed));
  }
  for (Node& node : body) {
    const auto with = [&](auto member, auto simple) {
      if (node.*member == simple) return;
      const auto before = std::exchange(node.*member, simple);
      use();
      node.*member = before;
    };
    with(&Node::undeferred, false);
    with(&Node::is_own, false);
    with(&Node::reduction, -1);
    if (node.what == What::kAccess) with(&Node::size, 1);
    if (node.what == What::kFor) with(&Node::schedule, Schedule::kStatic);
    if (node.what == What::kParallel && node.size > 2) with(&Node::size, 2);
    for (size_t i = 0; i < node.depends.size(); ++i) {
      const std::vector<Dependence> before = node.depends;
      node.depends.erase(node.depends.begin() + static_cast<std::ptrdiff_t>(i));
      use();
      node.depends = before;
    }
    ForEachSimpler(node.body, use);
  }
}

std::string Number(int n) { return std::to_string(n); }

}  // namespace

Body RandomProgram(std::mt19937_64& rng, const ProgramClass& program_class) {
  return Random(rng, program_class).Program();
}

std::vector<Body> Simpler(const Body& program) {
  std::vector<Body> simpler;
  Body changed = program;
  ForEachSimpler(changed, [&] { simpler.push_back(changed); });
  return simpler;
}

std::string ToC(const Body& program, int indent) {
  const std::string margin(static_cast<size_t>(indent) * 2, ' ');
  const auto block = [&](const std::string& pragma, const Body& body) {
    return "#pragma omp " + pragma + "\n" + margin + "{\n" + ToC(body, indent + 1) + margin + "}\n";
  };
  std::string text;
  for (const Node& node : program) {
    switch (node.what) {
      case What::kAccess: {
        static constexpr const char* kNames[] = {"READ", "WRITE", "ATOMIC_READ", "ATOMIC_WRITE"};
        text += margin + kNames[static_cast<int>(node.kind)] + "(" +
                (node.is_own ? "own" : "buffer") + ", " + Number(node.first) + ", " +
                Number(node.size * 8) + ");\n";
        break;
      }
      case What::kParallel:
        text += "#pragma omp parallel num_threads(" + Number(node.size) + ")\n" + margin + "{\n" +
                margin + "  unsigned char* own = OwnBlock();\n" + ToC(node.body, indent + 1) +
                margin + "}\n";
        break;
      case What::kBarrier:
        text += "#pragma omp barrier\n";
        break;
      case What::kFor: {
        std::string pragma = "for schedule(";
        switch (node.schedule) {
          case Schedule::kStatic:
            pragma += "static)";
            break;
          case Schedule::kStaticChunked:
            pragma += "static, " + Number(node.chunk) + ")";
            break;
          case Schedule::kDynamic:
            pragma += "dynamic, " + Number(node.chunk) + ")";
            break;
          case Schedule::kGuided:
            pragma += "guided)";
            break;
        }
        if (node.is_ordered) pragma += " ordered";
        if (node.nowait) pragma += " nowait";
        // Under its own name the buffer would be the private copy inside of the loop.
        if (node.reduction >= 0) {
          text += margin + "{\n" + margin + "unsigned char* reduced = buffer + " +
                  Number(node.reduction) + ";\n";
          pragma += " reduction(+ : reduced[0 : 1])";
        }
        text += "#pragma omp " + pragma + "\n" + margin + "for (int i = 0; i < " +
                Number(static_cast<int>(node.body.size())) + "; i++) {\n";
        for (size_t k = 0; k < node.body.size(); ++k) {
          text += margin + "  if (i == " + std::to_string(k) + ") {\n" +
                  ToC(node.body[k].body, indent + 2) + margin + "  }\n";
        }
        text += margin + "}\n";
        if (node.reduction >= 0) text += margin + "}\n";
        break;
      }
      case What::kSections:
        text += std::string("#pragma omp sections") + (node.nowait ? " nowait" : "") + "\n" +
                margin + "{\n";
        for (const Node& section : node.body) {
          text += "#pragma omp section\n" + margin + "  {\n" + ToC(section.body, indent + 2) +
                  margin + "  }\n";
        }
        text += margin + "}\n";
        break;
      case What::kIteration:
        break;  // with its loop
      case What::kSingle:
        text += block(node.nowait ? "single nowait" : "single", node.body);
        break;
      case What::kMaster:
        text += block("master", node.body);
        break;
      case What::kCritical:
        text += block("critical(name" + Number(node.size) + ")", node.body);
        break;
      case What::kOrdered:
        text += block("ordered", node.body);
        break;
      case What::kTask: {
        std::string pragma = node.undeferred ? "task if(0)" : "task";
        static constexpr const char* kKinds[] = {"in", "out", "mutexinoutset", "inoutset"};
        for (const Dependence& dependence : node.depends) {
          pragma += std::string(" depend(") + kKinds[static_cast<int>(dependence.kind)] +
                    " : places[" + Number(dependence.address) + "])";
        }
        text += block(pragma, node.body);
        break;
      }
      case What::kTaskwait:
        text += "#pragma omp taskwait\n";
        break;
      case What::kTaskgroup:
        text += block("taskgroup", node.body);
        break;
      case What::kThreadNumber:
        text += margin + "omp_get_thread_num();\n";
        break;
    }
  }
  return text;
}

std::string ToList(const Body& program) {
  std::string text;
  for (const Node& node : program) {
    for (int n :
         {static_cast<int>(node.what), static_cast<int>(node.kind), static_cast<int>(node.is_own),
          node.first, node.size, static_cast<int>(node.schedule), node.chunk,
          static_cast<int>(node.nowait), static_cast<int>(node.is_ordered), node.reduction,
          static_cast<int>(node.undeferred)}) {
      text += Number(n) + " ";
    }
    text += std::to_string(node.depends.size());
    for (const Dependence& dependence : node.depends) {
      text += " " + Number(static_cast<int>(dependence.kind)) + " " + Number(dependence.address);
    }
    text += " " + std::to_string(node.body.size()) + "\n" + ToList(node.body);
  }
  return text;
}

}  // namespace taskrace::openmp_oracle
