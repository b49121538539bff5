#include "fit/data/talp/talp_json.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/json/json_reader.h"
#include "fit/data/file_head.h"
#include "fit/data/shown_text.h"

namespace scalediag::fit {
namespace {

using core::Error;
using core::ErrorCode;
using nlohmann::json;

constexpr double kSecondsPerNanosecond = 1e-9;
constexpr const char* kTalpForm = "the form is that of DLB 3.4 and later: Application or popMetrics with a region each";

// Times that add up over the CPUs of a region.
struct Part {
  const char* field;
  const char* path;
  const char* also_named = nullptr;  // read where the file has no `field`, never added to it
};
constexpr Part kParts[] = {{"usefulTime", "[computation]", "totalUsefulTime"},
                           {"mpiTime", "[MPI]", "totalMpiTime"},
                           {"mpiWorkerIdleTime", "[MPI, idle workers]"},
                           {"ompLoadImbalanceTime", "[OpenMP, imbalance]"},
                           {"ompSchedulingTime", "[OpenMP, scheduling]"},
                           {"ompSerializationTime", "[OpenMP, idle in serial parts]"},
                           {"gpuRuntimeTime", "[GPU runtime]"}};
constexpr const char* kOther = "[other]";
constexpr const char* kCounters[] = {"instructions", "cycles", "numMpiCalls"};
constexpr const char* kImplicitRegions[] = {"Global", "Application", "MPI Execution"};

class TalpReader {
 public:
  TalpReader(const json& document, const std::string& file) : document_(document), file_(file) { run_.file = file; }

  core::Result<MeasuredRun> read() {
    const char* const name = document_.contains("Application") ? "Application" : "popMetrics";
    const auto regions = document_.find(name);
    if (regions == document_.end() || regions->empty()) fail(name, "there are no regions");
    if (!error_ && regions->is_object()) {
      for (const auto& [region, values] : regions->items()) read_region(region, values);
    } else if (!error_ && regions->is_array()) {
      for (const json& values : *regions) read_listed(values);
    } else {
      fail(name, "expected regions");
    }
    if (!error_) take_resources();
    if (!error_ && !has_whole_) {
      fail(name, "none of the regions is the implicit one, Global, Application or MPI Execution");
    }
    if (error_) return *error_;
    return std::move(run_);
  }

 private:
  void fail(const std::string& where, const std::string& what) {
    if (!error_) error_ = Error{ErrorCode::kInput, file_ + ": " + where + ": " + what, kTalpForm, file_};
  }

  void read_listed(const json& values) {
    for (const char* name : {"name", "regionName"}) {
      if (values.is_object() && values.contains(name) && values[name].is_string()) {
        return read_region(values[name].get<std::string>(), values);
      }
    }
    fail("popMetrics", "a region without a name");
  }

  std::optional<double> value(const std::string& region, const json& values, const char* field) {
    const auto found = values.find(field);
    if (found == values.end()) return std::nullopt;
    if (found->is_number() && found->get<double>() >= 0) return found->get<double>();
    // Counters that PAPI did not have are negative.
    if (found->is_number() &&
        std::find(std::begin(kCounters), std::end(kCounters), std::string_view(field)) != std::end(kCounters)) {
      return std::nullopt;
    }
    fail(shown(region) + "." + field, "expected a number that is not negative");
    return std::nullopt;
  }

  void read_region(const std::string& region, const json& values) {
    if (!values.is_object()) return fail(shown(region), "expected an object");
    const auto elapsed = value(region, values, "elapsedTime");
    if (!elapsed) return fail(shown(region), "there is no elapsedTime");
    const auto ranks = value(region, values, "numMpiRanks"), cpus = value(region, values, "numCpus");
    const bool is_whole =
        std::find(std::begin(kImplicitRegions), std::end(kImplicitRegions), region) != std::end(kImplicitRegions);
    const double elapsed_s = *elapsed * kSecondsPerNanosecond;
    // The first region of that kind is the run: an application may give its own region the same name.
    if (!is_whole || has_whole_) {
      run_.add(region, "elapsed_time", elapsed_s);
      return;
    }
    has_whole_ = true;
    if (ranks && *ranks > 0) run_.processes = *ranks;
    if (cpus && *cpus > 0) cpus_ = *cpus;
    const auto whole_cpus = cpus_ ? cpus_ : resource("numCpus");
    if (!whole_cpus) return fail(shown(region), "neither it nor resources tell of how many CPUs its times are the sum");
    double parts_s = 0;
    for (const Part& part : kParts) {
      auto sum = value(region, values, part.field);
      if (!sum && part.also_named != nullptr) sum = value(region, values, part.also_named);
      if (!sum || *sum == 0) continue;
      const double part_s = *sum * kSecondsPerNanosecond / *whole_cpus;
      run_.add(part.path, kRunTime, part_s);
      parts_s += part_s;
    }
    run_.add(kOther, kRunTime, remainder_of(elapsed_s, parts_s));
    run_.add(kWholeRun, kTotalTime, elapsed_s);
    const double ranks_or_one = ranks && *ranks > 0 ? *ranks : resource("numMpiRanks").value_or(1);
    for (const char* counter : kCounters) {
      if (const auto count = value(region, values, counter); count && *count > 0) {
        run_.add(kWholeRun, counter, *count / ranks_or_one);
      }
    }
  }

  std::optional<double> resource(const char* name) const {
    const auto resources = document_.find("resources");
    if (resources == document_.end() || !resources->is_object()) return std::nullopt;
    const auto found = resources->find(name);
    if (found == resources->end() || !found->is_number() || !(found->get<double>() > 0)) return std::nullopt;
    return found->get<double>();
  }

  void take_resources() {
    if (!run_.processes) run_.processes = resource("numMpiRanks");
    if (!cpus_) cpus_ = resource("numCpus");
    // A program without MPI has one process.
    if (!run_.processes && cpus_) run_.processes = 1;
    if (run_.processes && cpus_) run_.metadata["threads"] = *cpus_ / *run_.processes;
  }

  const json& document_;
  const std::string& file_;
  MeasuredRun run_;
  std::optional<double> cpus_;
  bool has_whole_ = false;
  std::optional<Error> error_;
};

}  // namespace

bool is_talp(std::string_view text) {
  const std::string_view head = json_head(text, 4000);
  return head.starts_with("{") &&
         (head.find("\"dlbVersion\"") != head.npos || head.find("\"popMetrics\"") != head.npos);
}

core::Result<MeasuredRun> read_talp(const std::string& text, const std::string& file) {
  const core::Result<json> document = core::parse_json(text, file);
  if (!document) return document.error();
  return TalpReader(document.value(), file).read();
}

}  // namespace scalediag::fit
