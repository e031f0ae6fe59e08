#include "test/oracle/program.h"

namespace taskrace::oracle {

static std::string Extent(const Construct& c) {
  return " " + std::to_string(c.first) + "+" + std::to_string(c.size);
}

static std::string ToString(Name name) {
  if (!name) return "";
  const std::string text(1, name.letter);
  return name.number != 0 ? text + std::to_string(name.number) : text;
}

static std::string ToString(const Construct& c) {
  static constexpr const char* kKinds[] = {"read", "write", "atomic-read", "atomic-write"};
  switch (c.what) {
    case What::kAccess:
      return kKinds[static_cast<int>(c.kind)] + Extent(c) +
             (c.locks != 0 ? " locks " + std::to_string(c.locks) : "");
    case What::kClear:
      return "clear" + Extent(c);
    case What::kRetire:
      return "retire" + Extent(c) + (c.locks != 0 ? " locks " + std::to_string(c.locks) : "");
    case What::kScope:
      return "scope{ " + ToString(c.body) + "}";
    case What::kSpawn:
      return "spawn" + std::to_string(c.scope) + "{ " + ToString(c.body) + "}";
    case What::kSync:
      return "sync" + std::to_string(c.scope);
    case What::kFinish:
      return "finish{ " + ToString(c.body) + "}";
    case What::kAsync:
      return "async{ " + ToString(c.body) + "}";
    case What::kFuture:
      return ToString(c.name) + "=future{ " + ToString(c.body) + "}";
    case What::kGet:
      return "get-" + ToString(c.name);
    case What::kSet:
      return "set-" + ToString(c.name);
    case What::kFork:
      return (c.name ? ToString(c.name) + "=fork{ " : "fork{ ") + ToString(c.body) + "}";
    case What::kJoin:
      return "join" + (c.name ? "-" + ToString(c.name) : "");
    case What::kLoop:
      return "loop{ " + ToString(c.body) + "}";
    case What::kIteration:
      return "iteration{ " + ToString(c.body) + "}";
  }
  return "";
}

std::string ToString(const Body& body) {
  std::string text;
  for (const Construct& c : body) text += ToString(c) + " ";
  return text;
}

}  // namespace taskrace::oracle
