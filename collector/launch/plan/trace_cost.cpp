#include "collector/launch/plan/trace_cost.h"

#include <filesystem>

#include "core/text/quantities.h"

namespace scalediag::launch {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> trace_files(const std::string& run_folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::directory_iterator it(run_folder, failed), end; !failed && it != end; it.increment(failed)) {
    if (it->path().extension() == ".trace") files.push_back(it->path());
  }
  return files;
}

bool is_test(const std::string& routine) {
  return routine.starts_with("MPI_Test") || routine == "MPI_Iprobe" || routine == "MPI_Improbe";
}

// The run whose cost is known and nearest: of the same parameters, and of the largest np that is not above.
const core::Run* nearest(const std::vector<core::Run>& runs, int np, const std::map<std::string, double>& parameters) {
  const core::Run* found = nullptr;
  for (const core::Run& run : runs) {
    if (run.np > np || run.parameters != parameters) continue;
    if (found == nullptr || run.np > found->np) found = &run;
  }
  return found;
}

}  // namespace

double calls_of(const core::Run& run) {
  double calls = 0;
  for (const core::MpiOperation& operation : run.operations) calls += operation.calls.sum;
  return calls;
}

double trace_share(const core::Run& run) {
  const double ranks_s = run.times.total_s.sum;
  double recording_s = 0;
  for (const core::MpiOperation& operation : run.operations) {
    recording_s += operation.calls.sum * (is_test(operation.operation) ? kTest_s : kEvent_s);
  }
  return ranks_s > 0 ? recording_s / ranks_s : 0;
}

double trace_bytes(const std::string& run_folder) {
  double bytes = 0;
  for (const fs::path& file : trace_files(run_folder)) {
    std::error_code failed;
    const auto size = fs::file_size(file, failed);
    if (!failed) bytes += static_cast<double>(size);
  }
  return bytes;
}

void remove_traces(const std::string& run_folder) {
  std::error_code ignored;
  for (const fs::path& file : trace_files(run_folder)) fs::remove(file, ignored);
}

std::string why_not_traced(const std::vector<core::Run>& runs, int np, const std::map<std::string, double>& parameters,
                           const RecordedTraces& recorded, bool is_only_repeat) {
  const core::Run* known = nearest(runs, np, parameters);
  if (known == nullptr) return is_only_repeat ? "" : "their cost is not known before a first run";
  if (known->np < np && !is_only_repeat) return "their cost is not known before a first run";
  const double growth = static_cast<double>(np) / known->np;
  const double share = trace_share(*known) * growth;
  const bool is_one_of_several = !is_only_repeat && !recorded.are_of_configuration;
  if (share > (is_one_of_several ? kMostShareOfOne : kMostTraceShare)) {
    return "recording would take some " + core::percent(share) + " of the time";
  }
  if (!(recorded.calls > 0)) return "";
  const double bytes = recorded.bytes / recorded.calls * calls_of(*known) * growth;
  if (recorded.bytes + bytes <= kMostTraceBytes) return "";
  return "they would have some " + core::bytes_text(recorded.bytes + bytes);
}

}  // namespace scalediag::launch
