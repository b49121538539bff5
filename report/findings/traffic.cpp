#include "report/findings/traffic.h"

#include <algorithm>
#include <map>

#include "core/profile/run_summary.h"

namespace scalediag::report {
namespace {

using Runs = std::vector<const core::Run*>;

std::vector<OperationSizes> sizes_of(const Runs& runs) {
  std::map<std::string, std::map<double, SizeClass>> by_operation;
  const double repeats = static_cast<double>(runs.size());
  for (const core::Run* run : runs) {
    for (const core::MpiOperation& operation : run->operations) {
      for (const core::MpiClass& c : operation.classes) {
        SizeClass& size = by_operation[operation.operation][c.bytes_from];
        size.bytes_from = c.bytes_from;
        size.bytes_to = c.bytes_to;
        size.calls += c.calls.sum / repeats;
        size.bytes += c.bytes.sum / repeats;
        size.wall_s += c.wall_s.mean / repeats;
      }
    }
  }
  std::vector<OperationSizes> all;
  for (const auto& [operation, classes] : by_operation) {
    OperationSizes sizes{operation, {}};
    for (const auto& [from, size] : classes) sizes.classes.push_back(size);
    all.push_back(std::move(sizes));
  }
  const auto bytes = [](const OperationSizes& sizes) {
    double sum = 0;
    for (const SizeClass& c : sizes.classes) sum += c.bytes;
    return sum;
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const OperationSizes& a, const OperationSizes& b) { return bytes(a) > bytes(b); });
  return all;
}

TrafficMatrix matrix_of(const Runs& runs) {
  const core::Run& first = *runs.front();
  TrafficMatrix matrix;
  matrix.ranks = first.np;
  const int given = std::max(1, first.ranks_per_block);
  const int given_blocks = (first.np + given - 1) / given;
  const int together = (given_blocks + kMatrixBlocks - 1) / kMatrixBlocks;
  std::map<std::pair<int, int>, core::PeerTraffic> cells;
  for (const core::Run* run : runs) {
    for (const core::PeerTraffic& peer : run->peers) {
      core::PeerTraffic& cell = cells[{peer.from / together, peer.to / together}];
      cell.from = peer.from / together;
      cell.to = peer.to / together;
      cell.messages += peer.messages / static_cast<double>(runs.size());
      cell.bytes += peer.bytes / static_cast<double>(runs.size());
    }
  }
  if (cells.empty()) return matrix;
  matrix.ranks_per_block = given * together;
  matrix.blocks = (given_blocks + together - 1) / together;
  for (const auto& [at, cell] : cells) matrix.cells.push_back(cell);
  return matrix;
}

std::vector<double> mean_by_rank(const Runs& runs, std::vector<double> core::Run::*values) {
  std::vector<double> mean;
  for (const core::Run* run : runs) {
    const std::vector<double>& of_run = run->*values;
    mean.resize(std::max(mean.size(), of_run.size()));
    for (size_t i = 0; i < of_run.size(); ++i) mean[i] += of_run[i] / static_cast<double>(runs.size());
  }
  return mean;
}

}  // namespace

TrafficFindings traffic_findings(const core::Profile& profile) {
  const auto groups = core::group_by_configuration(profile, true);
  TrafficFindings traffic;
  if (groups.empty()) return traffic;
  const Runs* largest = &groups.front();
  for (const Runs& runs : groups) {
    if (runs.front()->np >= largest->front()->np) largest = &runs;
  }
  const core::Run& run = *largest->front();
  traffic.at = {{"np", run.np}};
  for (const std::string& name : profile.parameter_names) {
    const auto value = run.parameters.find(name);
    if (value != run.parameters.end()) traffic.at.emplace_back(name, value->second);
  }
  traffic.mpi_library = run.mpi_library;
  traffic.sizes = sizes_of(*largest);
  traffic.matrix = matrix_of(*largest);
  traffic.load = {std::max(1, run.ranks_per_block), mean_by_rank(*largest, &core::Run::rank_computation_s),
                  mean_by_rank(*largest, &core::Run::rank_communication_s),
                  mean_by_rank(*largest, &core::Run::rank_total_s)};
  return traffic;
}

}  // namespace scalediag::report
