// Serial, depth-first execution of a program: a created task runs at once, its creator waits.
// Builds the dag and the oracle, and tells every listener what the detectors would hear.
#pragma once

#include <vector>

#include "detect/reach/reachability.h"
#include "test/oracle/dag.h"
#include "test/oracle/program.h"

namespace taskrace::oracle {

// The events of reachability.h, and the accesses.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void OnStart(TaskId task, GroupId finish, StrandId strand) = 0;
  virtual void OnCreate(TaskId task, TaskId child, How how, GroupId group, StrandId strand) = 0;
  virtual void OnEnd(TaskId task) = 0;
  virtual void OnProceed(TaskId task, StrandId strand) = 0;
  virtual void OnOpen(TaskId task, GroupId finish, StrandId strand) = 0;
  virtual void OnJoin(TaskId task, GroupId group, How how, StrandId strand) = 0;
  // A strand has begun; before its first access.
  virtual void OnStrand(const Dag& dag, const Oracle& oracle, size_t strand, TaskId task) = 0;
  // An access that the oracle has seen already; `races`: the bytes on which it races.
  virtual void OnAccess(const Oracle& oracle, size_t strand, const Construct& access,
                        const std::set<unsigned>& races) = 0;
  virtual void OnClear(const Construct& clear) = 0;
  // The same for a last write, after which the bytes are gone.
  virtual void OnRetire(const Oracle& oracle, size_t strand, const Construct& retire,
                        const std::set<unsigned>& races) = 0;
};

class Execution {
 public:
  // Runs the program. first_strand: the number of the dag's strand 0 for the listeners.
  Execution(const Body& program, std::vector<Listener*> listeners, uint32_t first_strand = 1);

  const Dag& GetDag() const { return dag_; }
  const Oracle& GetOracle() const { return oracle_; }

 private:
  struct Group {
    GroupId id;
    std::vector<size_t> unjoined;  // the last strands of its ended children
  };
  struct Task {
    TaskId id;
    Group* finish;
    std::vector<Group*> scopes;
    size_t strand;
  };

  template <class Tell>
  void Strand(Task& task, const std::vector<size_t>& predecessors, Tell tell);
  void Run(Task& task, const Body& body);
  void Create(Task& task, const Body& body, How how, Group& group);
  void Join(Task& task, Group& group, How how);
  GroupId NewGroup() { return GroupId{++groups_}; }

  std::vector<Listener*> listeners_;
  uint32_t first_strand_;
  Dag dag_;
  Oracle oracle_{dag_};
  uint32_t tasks_ = 0;
  uint32_t groups_ = 0;
};

}  // namespace taskrace::oracle
