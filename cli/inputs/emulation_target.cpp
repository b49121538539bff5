#include "cli/inputs/emulation_target.h"

#include <charconv>
#include <utility>

#include "collector/launch/host/host_facts.h"
#include "collector/launch/host/machine_store.h"
#include "core/experiment/machine.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"

namespace scalediag::cli {

core::Result<loggp::Placement> parse_map(const std::string& text) {
  const core::Error wrong = {core::ErrorCode::kUsage, "--map " + text + " is no placement of ranks",
                             "write block:K for K ranks a node, cyclic:N for N nodes in turn, or a list of nodes, as "
                             "0,0,1,1, which is repeated",
                             "--map"};
  loggp::Placement placement;
  const size_t colon = text.find(':');
  if (colon != text.npos) {
    int number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data() + colon + 1, end, number);
    if (failed != std::errc() || stop != end || number < 1) return wrong;
    const std::string kind = text.substr(0, colon);
    if (kind == "block") {
      placement.ranks_per_node = number;
    } else if (kind == "cyclic") {
      placement.kind = loggp::Placement::Kind::kCyclic;
      placement.nodes = number;
    } else {
      return wrong;
    }
    return placement;
  }
  placement.kind = loggp::Placement::Kind::kList;
  for (const char *at = text.data(), *end = at + text.size(); at <= end;) {
    int node = 0;
    const auto [stop, failed] = std::from_chars(at, end, node);
    if (failed != std::errc() || node < 0 || (stop != end && *stop != ',')) return wrong;
    placement.list.push_back(node);
    at = stop + 1;
  }
  return placement;
}

core::Result<double> cpu_factor_of(const std::string& machine_file, launch::Notices& notices) {
  const auto there = core::read_machine(machine_file);
  if (!there) return there.error();
  const core::Host host = launch::read_host();
  auto here = launch::cached_machine(host);
  if (!here) {
    auto measured = launch::measure_this_machine(
        host, [&](const std::string& what) { notices.note(what); }, notices);
    if (!measured) return measured.error();
    here = std::move(measured).value();
  }
  const core::TimeRatios ratios = core::time_ratios(*here, there.value());
  if (!(ratios.instruction > 0)) {
    return core::Error{core::ErrorCode::kInput,
                       machine_file + " or this machine has no smallest CPI and no frequency under load",
                       "give --cpu-factor X instead, or measure again with `scalediag machine`", machine_file};
  }
  const auto text = [](double ratio) { return ratio > 0 ? "x " + core::fixed(ratio, 2) : std::string("not known"); };
  notices.note("computation " + text(ratios.instruction) + " on " + there.value().host.cpu +
               ": the time of instructions that wait for nothing. Memory latency is " + text(ratios.memory_access) +
               ", a core's time for a byte of memory " + text(ratios.memory_byte) +
               ": for programs that wait for memory give a --cpu-factor in between");
  return ratios.instruction;
}

}  // namespace scalediag::cli
