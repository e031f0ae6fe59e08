#include "test/oracle/execution.h"

#include <utility>

namespace taskrace::oracle {

Execution::Execution(const Body& program, std::vector<Listener*> listeners, uint32_t first_strand)
    : listeners_(std::move(listeners)), first_strand_(first_strand) {
  Group implicit{NewGroup(), {}};
  Task root{TaskId{tasks_++}, &implicit, {}, 0};
  Strand(root, {}, [&](Listener& l, StrandId s) { l.OnStart(root.id, implicit.id, s); });
  Run(root, program);
  Join(root, implicit, How::kFinish);
  for (Listener* l : listeners_) l->OnEnd(root.id);
}

template <class Tell>
void Execution::Strand(Task& task, const std::vector<size_t>& predecessors, Tell tell) {
  task.strand = dag_.AddStrand(predecessors);
  for (Listener* l : listeners_) {
    tell(*l, StrandId{first_strand_ + static_cast<uint32_t>(task.strand)});
    l->OnStrand(dag_, oracle_, task.strand, task.id);
  }
}

void Execution::Create(Task& task, const Body& body, How how, Group& group) {
  Task child{TaskId{tasks_++}, task.finish, {}, 0};
  Strand(child, {task.strand},
         [&](Listener& l, StrandId s) { l.OnCreate(task.id, child.id, how, group.id, s); });
  Run(child, body);
  group.unjoined.push_back(child.strand);
  for (Listener* l : listeners_) l->OnEnd(child.id);
  Strand(task, {task.strand}, [&](Listener& l, StrandId s) { l.OnProceed(task.id, s); });
}

void Execution::Join(Task& task, Group& group, How how) {
  if (how == How::kSync && group.unjoined.empty()) return;
  std::vector<size_t> predecessors = std::move(group.unjoined);
  group.unjoined.clear();
  predecessors.push_back(task.strand);
  Strand(task, predecessors, [&](Listener& l, StrandId s) { l.OnJoin(task.id, group.id, how, s); });
}

void Execution::Run(Task& task, const Body& body) {
  for (const Construct& c : body) {
    switch (c.what) {
      case What::kAccess: {
        const std::set<unsigned> races = oracle_.Access(task.strand, c);
        for (Listener* l : listeners_) l->OnAccess(oracle_, task.strand, c, races);
        break;
      }
      case What::kRetire: {
        const std::set<unsigned> races = oracle_.Access(task.strand, c);
        for (Listener* l : listeners_) l->OnRetire(oracle_, task.strand, c, races);
        oracle_.Clear(c);
        break;
      }
      case What::kClear:
        oracle_.Clear(c);
        for (Listener* l : listeners_) l->OnClear(c);
        break;
      case What::kSpawn:
        Create(task, c.body, How::kSpawn, *task.scopes[task.scopes.size() - 1 - c.scope]);
        break;
      case What::kAsync:
        Create(task, c.body, How::kAsync, *task.finish);
        break;
      case What::kSync:
        Join(task, *task.scopes[task.scopes.size() - 1 - c.scope], How::kSync);
        break;
      case What::kScope: {
        Group scope{NewGroup(), {}};
        task.scopes.push_back(&scope);
        Run(task, c.body);
        Join(task, scope, How::kSync);
        task.scopes.pop_back();
        break;
      }
      case What::kFinish: {
        Group finish{NewGroup(), {}};
        std::vector<Group*> scopes_around = std::exchange(task.scopes, {});
        Group* finish_around = std::exchange(task.finish, &finish);
        Strand(task, {task.strand},
               [&](Listener& l, StrandId s) { l.OnOpen(task.id, finish.id, s); });
        Run(task, c.body);
        Join(task, finish, How::kFinish);
        task.scopes = std::move(scopes_around);
        task.finish = finish_around;
        break;
      }
    }
  }
}

}  // namespace taskrace::oracle
