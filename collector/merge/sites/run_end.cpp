#include "collector/merge/sites/run_end.h"

#include <algorithm>
#include <map>
#include <string>

namespace scalediag::merge {
namespace {

using core::MpiClass;
using core::MpiOperation;
using core::MpiSite;
using core::OverRanks;
using core::Run;

// What a rank has more, the mean one and those with the least and the most.
struct Surplus {
  double mean = 0, min = 0, max = 0;
};

Surplus surplus(const OverRanks& whole, const OverRanks& ended) {
  const double mean = std::max(0.0, whole.mean - ended.mean);
  return {mean, std::clamp(whole.min - ended.min, 0.0, mean), std::max(mean, whole.max - ended.max)};
}

void add(const Surplus& more, int np, OverRanks& to) {
  to.mean += more.mean;
  to.sum = to.mean * np;
  to.min += more.min;
  to.max += more.max;
  to.quantiles.reset();
}

const MpiClass* find_class(const std::vector<MpiClass>& classes, int communicator_size, double bytes_from) {
  const auto found = std::ranges::find_if(classes, [&](const MpiClass& c) {
    return c.communicator_size == communicator_size && c.bytes_from == bytes_from;
  });
  return found != classes.end() ? &*found : nullptr;
}

// The class of a run like that of another one, new without calls where there is none.
MpiClass& class_like(const MpiClass& other, int communicator_size, std::vector<MpiClass>& classes) {
  if (const MpiClass* known = find_class(classes, communicator_size, other.bytes_from)) {
    return classes[static_cast<size_t>(known - classes.data())];
  }
  MpiClass& made = classes.emplace_back();
  made.communicator_size = communicator_size;
  made.bytes_from = other.bytes_from;
  made.bytes_to = other.bytes_to;
  made.shortest_call_s = other.shortest_call_s;
  made.longest_call_s = other.longest_call_s;
  return made;
}

template <class Site> MpiSite* find_site(const Site& place, std::vector<MpiSite>& sites) {
  const auto found = std::ranges::find_if(sites, [&](const MpiSite& s) {
    return static_cast<const core::CallSite&>(s) == static_cast<const core::CallSite&>(place);
  });
  return found != sites.end() ? &*found : nullptr;
}

MpiOperation* find_operation(const std::string& name, Run& run) {
  const auto found = std::ranges::find(run.operations, name, &MpiOperation::operation);
  return found != run.operations.end() ? &*found : nullptr;
}

// The calls of a place that only the whole run has, added to runs.
class EndOfPlace {
 public:
  EndOfPlace(const std::string& operation, const MpiSite& whole, const MpiSite* ended, int np)
      : operation_(operation), whole_(whole), np_(np) {
    for (const MpiClass& c : whole.classes) {
      const MpiClass* const known =
          ended != nullptr ? find_class(ended->classes, c.communicator_size, c.bytes_from) : nullptr;
      const MpiClass& before = known != nullptr ? *known : none_;
      const Part part{&c, surplus(c.calls, before.calls), surplus(c.bytes, before.bytes)};
      const bool is_of_end = known == nullptr || part.calls.mean <= kMostOfCalls * c.calls.mean;
      if (part.calls.mean > 0 && is_of_end) parts_.push_back(part);
    }
  }

  void add_to(Run& run) const {
    if (parts_.empty()) return;
    MpiOperation* operation = find_operation(operation_, run);
    if (operation == nullptr) {
      operation = &run.operations.emplace_back();
      operation->operation = operation_;
    }
    MpiSite* site = find_site(whole_, operation->sites);
    if (site == nullptr) {
      site = &operation->sites.emplace_back();
      static_cast<core::CallSite&>(*site) = whole_;
    }
    for (const Part& part : parts_) {
      const int size = part.of->communicator_size == np_ ? run.np : part.of->communicator_size;
      add(part, run.np, class_like(*part.of, size, operation->classes));
      add(part, run.np, class_like(*part.of, size, site->classes));
      add(part, run.np, *operation);
      add(part, run.np, *site);
    }
  }

 private:
  struct Part {
    const MpiClass* of;
    Surplus calls, bytes;
  };
  static void add(const Part& part, int np, auto& to) {
    merge::add(part.calls, np, to.calls);
    merge::add(part.bytes, np, to.bytes);
  }

  const std::string& operation_;
  const MpiSite& whole_;
  const int np_;
  const MpiClass none_;
  std::vector<Part> parts_;
};

std::vector<EndOfPlace> end_of(const Run& whole, Run& ended) {
  std::vector<EndOfPlace> end;
  for (const MpiOperation& operation : whole.operations) {
    MpiOperation* const known = find_operation(operation.operation, ended);
    for (const MpiSite& site : operation.sites) {
      end.emplace_back(operation.operation, site, known != nullptr ? find_site(site, known->sites) : nullptr, whole.np);
    }
  }
  return end;
}

}  // namespace

void add_calls_of_end(std::vector<Run>& runs) {
  std::map<std::map<std::string, double>, std::vector<EndOfPlace>> ends;
  std::vector<Run> ended;  // as they were
  ended.reserve(runs.size());
  for (const Run& whole : runs) {
    if (whole.cut || !whole.complete || ends.count(whole.parameters) > 0) continue;
    const auto same = std::ranges::find_if(runs, [&whole](const Run& run) {
      return run.cut && run.complete && run.np == whole.np && run.parameters == whole.parameters;
    });
    if (same == runs.end()) continue;
    ended.push_back(*same);
    ends.emplace(whole.parameters, end_of(whole, ended.back()));
  }
  for (Run& run : runs) {
    const auto end = ends.find(run.parameters);
    if (!run.cut || end == ends.end()) continue;
    for (const EndOfPlace& place : end->second) place.add_to(run);
  }
}

}  // namespace scalediag::merge
