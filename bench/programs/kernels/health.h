// A country's health system, but for its tasks: villages form a tree, each with a hospital; who
// cannot be treated in one is referred to the hospital of the village above.
//
//   Village country(levels, branches);   // builds the tree
//   in every time step, for every village:  children first, in any order; then Treat, then
//   TakeReferred, then Infect
//
// Thread rule: Treat and Infect touch the village itself, TakeReferred its children too; a
// patient belongs to the village whose list holds it.
// Cost: a time step O(1) a patient.
#ifndef TASKRACE_BENCH_PROGRAMS_KERNELS_HEALTH_H
#define TASKRACE_BENCH_PROGRAMS_KERNELS_HEALTH_H

#include <cstdint>
#include <memory>
#include <vector>

#include "../common.h"

namespace bench {

inline constexpr double kGetsSick = 0.002, kStaysInside = 0.1, kIsReferred = 0.15;
inline constexpr int kAssessTime = 2, kConvalescenceTime = 12, kPeoplePerPersonnel = 10;

struct Patient {
  std::uint32_t seed;
  int time_left = 0;
  int time_in_system = 0;
  int hospitals_visited = 0;
  Patient* next = nullptr;

  // A random number in [0, 1), the patient's own.
  double Draw() {
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) * 0x1p-24;
  }
};

// A list of patients in the order in which they came.
class PatientList {
 public:
  PatientList() = default;
  PatientList(const PatientList&) = delete;
  PatientList& operator=(const PatientList&) = delete;

  Patient* first() const { return first_; }

  void Append(Patient* patient) {
    patient->next = nullptr;
    *end_ = patient;
    end_ = &patient->next;
  }

  // Calls stays(patient) for each; drops those for whom it is false, who are then in another list.
  template <class Stays>
  void KeepIf(const Stays& stays) {
    Patient** link = &first_;
    while (Patient* const patient = *link) {
      Patient* const next = patient->next;
      if (stays(patient)) {
        *link = patient;
        link = &patient->next;
      } else {
        *link = next;
      }
    }
    end_ = link;
  }

 private:
  Patient* first_ = nullptr;
  Patient** end_ = &first_;  // the link that the next one is hung on
};

// What happened in a village and all below it.
struct HealthTotals {
  long people = 0, time_in_system = 0, hospitals_visited = 0;
  bool operator==(const HealthTotals&) const = default;
};

class Village {
 public:
  // The root of a country of `levels` levels with `branches` villages below each.
  Village(long levels, long branches) : Village(nullptr, levels, branches, 1) {}
  Village(Village* parent, long level, long branches, std::uint32_t number)
      : parent_(parent), free_personnel_(1L << level) {
    const long people = kPeoplePerPersonnel * (1L << level);
    patients_.resize(static_cast<std::size_t>(people));
    for (long i = 0; i < people; ++i) {
      patients_[i].seed = (number * 2654435761u) ^ (static_cast<std::uint32_t>(i) * 40503u);
      population_.Append(&patients_[i]);
    }
    if (level == 1) return;
    for (std::uint32_t i = 0; i < branches; ++i) {
      const auto below = number * static_cast<std::uint32_t>(branches) + i + 1;
      children_.push_back(std::make_unique<Village>(this, level - 1, branches, below));
    }
  }
  Village(const Village&) = delete;
  Village& operator=(const Village&) = delete;

  const std::vector<std::unique_ptr<Village>>& children() const { return children_; }

  // Ends the time of those inside, decides about those who were assessed, lets those who wait in.
  void Treat() {
    inside_.KeepIf([this](Patient* patient) {
      ++patient->time_in_system;
      if (--patient->time_left > 0) return true;
      ++free_personnel_;
      population_.Append(patient);
      return false;
    });
    assess_.KeepIf([this](Patient* patient) {
      ++patient->time_in_system;
      if (--patient->time_left > 0) return true;
      Decide(patient);
      return false;
    });
    waiting_.KeepIf([this](Patient* patient) {
      ++patient->time_in_system;
      if (free_personnel_ == 0) return true;
      Assess(patient);
      return false;
    });
  }

  // Lets in the patients that the villages below have referred.
  void TakeReferred() {
    for (const auto& child : children_) {
      child->referred_.KeepIf([this](Patient* patient) {
        Admit(patient);
        return false;
      });
    }
  }

  // Some fall ill.
  void Infect() {
    population_.KeepIf([this](Patient* patient) {
      if (patient->Draw() >= kGetsSick) return true;
      Admit(patient);
      return false;
    });
  }

  HealthTotals Totals() const {
    HealthTotals totals;
    for (const PatientList* list : {&population_, &waiting_, &assess_, &inside_, &referred_}) {
      for (const Patient* patient = list->first(); patient != nullptr; patient = patient->next) {
        ++totals.people;
        totals.time_in_system += patient->time_in_system;
        totals.hospitals_visited += patient->hospitals_visited;
      }
    }
    for (const auto& child : children_) {
      const HealthTotals below = child->Totals();
      totals.people += below.people;
      totals.time_in_system += below.time_in_system;
      totals.hospitals_visited += below.hospitals_visited;
    }
    return totals;
  }

 private:
  void Admit(Patient* patient) {
    ++patient->hospitals_visited;
    if (free_personnel_ > 0) {
      Assess(patient);
    } else {
      waiting_.Append(patient);
    }
  }

  void Assess(Patient* patient) {
    --free_personnel_;
    patient->time_left = kAssessTime;
    assess_.Append(patient);
  }

  void Decide(Patient* patient) {
    if (parent_ != nullptr && patient->Draw() < kIsReferred) {
      ++free_personnel_;
      // Seeded race: spd3/health, drdp/health
      if constexpr (kSeeded) ++parent_->expected_;
      referred_.Append(patient);
    } else if (patient->Draw() < kStaysInside) {
      patient->time_left = kConvalescenceTime;
      inside_.Append(patient);
    } else {
      ++free_personnel_;
      population_.Append(patient);
    }
  }

  Village* parent_;
  std::vector<std::unique_ptr<Village>> children_;
  std::vector<Patient> patients_;  // who were born here; the lists hold those who are here
  long free_personnel_;
  [[maybe_unused]] long expected_ = 0;
  PatientList population_, waiting_, assess_, inside_, referred_;
};

// Every village after those below it, serially.
inline void SimulateSerially(Village& village) {
  for (const auto& child : village.children()) SimulateSerially(*child);
  village.Treat();
  village.TakeReferred();
  village.Infect();
}

// Whether nobody was lost and the first part of the country fared as in a serial simulation. No
// village depends on one above it or beside it, so a part is a country of its own.
inline bool HealthIsRight(const Village& country, long levels, long branches, long steps) {
  Village again(levels, branches);
  if (country.Totals().people != again.Totals().people) return false;
  if (again.children().empty()) return true;
  Village& part = *again.children().front();
  for (long step = 0; step < steps; ++step) {
    SimulateSerially(part);
    again.TakeReferred();
  }
  return country.children().front()->Totals() == part.Totals();
}

}  // namespace bench

#endif
