// Serial, eager, depth-first execution of a program, with cooperative switching: a created task
// runs at once, its creator waits. A task that blocks in a get, a join, a sync or a finish is
// switched out, and control returns to whoever was suspended last: its creator, or the task whose
// set or end resumed it. A set resumes its waiters in the order in which they came; then the setter
// goes on. If nobody can run, the program is deadlocked and the execution ends there.
//
// Builds the dag and the oracle, and tells every listener what the detectors would hear.
#pragma once

#include <deque>
#include <map>
#include <span>
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
  virtual void OnJoin(TaskId task, GroupId group, How how, std::span<const TaskId> singles,
                      StrandId strand) = 0;
  virtual void OnGet(TaskId task, TaskId child, How how, StrandId strand) = 0;
  virtual void OnBlock(TaskId task) = 0;
  virtual void OnSet(TaskId task, PromiseId promise) = 0;
  virtual void OnGetPromise(TaskId task, PromiseId promise, StrandId strand) = 0;
  virtual void OnOver(PromiseId) {}
  // The task has a new scope.
  virtual void OnScope(TaskId) {}
  // A parallel loop begins; it is joined as a group. An iteration is a spawned task, to those who know no loops.
  virtual void OnLoop(TaskId, GroupId, const Construct&) {}
  virtual void OnIteration(TaskId task, TaskId child, GroupId group, size_t, StrandId strand) {
    OnCreate(task, child, How::kSpawn, group, strand);
  }
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

// Who goes on when a task blocks. The papers return to its creator; Taskrace does not.
enum class Switching { kToTheLastSuspended, kToTheCreator };

class Execution {
 public:
  // Runs the program. first_strand: the number of the dag's strand 0 for the listeners.
  Execution(const Body& program, std::vector<Listener*> listeners, uint32_t first_strand = 1,
            Switching switching = Switching::kToTheLastSuspended);

  const Dag& GetDag() const { return dag_; }
  const Oracle& GetOracle() const { return oracle_; }
  bool IsDeadlocked() const { return !tasks_.front().ended; }

 private:
  struct Task;
  struct Group {
    GroupId id;
    std::vector<Task*> unjoined = {};  // what the next join waits for, in order of creation
    Task* waiter = nullptr;            // is blocked in that join
  };
  struct Promise {
    PromiseId id;
    size_t uses = 0;  // sets and gets in the program that have not happened
    bool is_set = false;
    size_t set_by = 0;  // the strand
    std::vector<Task*> waiters = {};
  };
  // A body that a task is in the middle of.
  struct Frame {
    const Body* body;
    size_t next = 0;
    What what = What::kAsync;                // kScope, kFinish or kLoop: join when it is over
    Group* finish_around = nullptr;          // of a finish
    std::vector<Group*> scopes_around = {};  // of a finish
    Group* iterations = nullptr;             // of a loop
  };
  // What a task does first when it goes on.
  enum class First { kNothing, kProceed, kJoin, kGet, kGetPromise };

  struct Task {
    TaskId id;
    Task* creator;
    How how;
    Group* group;   // who joins this task
    Group* finish;  // who joins the asyncs that it makes
    std::vector<Group*> scopes = {};
    std::vector<Frame> frames = {};
    size_t strand = 0;  // the last one so far
    bool ended = false;
    std::vector<Task*> waiters = {};
    // Forks: the left neighbour, and whether somebody has joined this task.
    Task* left = nullptr;
    bool joined = false;
    // The child whose handle it will have when it goes on.
    Name creates = {};
    Task* created = nullptr;
    // What it waits for.
    First first = First::kNothing;
    Group* joins = nullptr;
    How join_how = How::kSync;
    Task* gets = nullptr;
    Promise* gets_promise = nullptr;
  };

  template <class Tell>
  void Strand(Task& task, const std::vector<size_t>& predecessors, Tell tell);
  void Run(Task* running);
  void Continue(Task& task);
  // Each returns false if somebody else goes on first.
  bool Execute(Task& task, const Construct& c);
  bool Create(Task& task, const Construct& c, How how, Group& group);
  bool Join(Task& task, Group& group, How how);
  bool Get(Task& task, Task* child);  // null: there is nobody
  bool GetPromise(Task& task, Promise& promise);
  bool Set(Task& task, Promise& promise);
  bool CloseFrame(Task& task);
  bool Block(Task& task);
  // What remains of them when they need not wait any more.
  void Proceed(Task& task);
  void Joined(Task& task);
  void Got(Task& task);
  void GotPromise(Task& task);
  void End(Task& task);
  void Resume(std::vector<Task*> tasks);
  void RaiseCreator(Task* task);
  static Task* LeftNeighbour(Task& task);
  static bool AllEnded(const Group& group);
  Group& NewGroup() { return groups_.emplace_back(GroupId{++last_group_}); }
  Task* Named(Name name);
  Promise& PromiseOf(Name name);
  void CountUses(const Body& body);
  void Used(Promise& promise);

  std::vector<Listener*> listeners_;
  uint32_t first_strand_;
  Switching switching_;
  Dag dag_;
  Oracle oracle_{dag_};
  std::deque<Task> tasks_;
  std::deque<Group> groups_;
  uint32_t last_group_ = 0;
  std::vector<Task*> suspended_;  // the last one goes on next
  std::map<Name, Task*> named_;   // futures and forks
  std::map<Name, Promise> promises_;
};

}  // namespace taskrace::oracle
