#include "loggp/blocks/block_executions.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>

#include "core/equations/process_grid.h"
#include "loggp/blocks/computation_parts.h"

namespace scalediag::loggp {
namespace {

constexpr const char* kMessageAttributes[] = {"messages_received", "bytes_received", "messages_sent", "bytes_sent",
                                              "peers"};
constexpr const char* kNextBytes = "next_bytes";
constexpr const char* kPlaceAttributes[] = {"iteration", "ranks", "rank_x", "rank_y", "rank_z"};
constexpr const char* kInstructions = "instructions";
constexpr const char* kRecorded = "recorded_s";
constexpr std::string_view kOfProgram = "program.";

// The messages of events since the last listed block.
class Messages {
 public:
  void add(const TraceEvent& event) {
    switch (event.kind) {
      case trace::EventKind::kSend:
      case trace::EventKind::kIsend:
      case trace::EventKind::kBufferedSend: sent(event.peer, event.bytes); break;
      case trace::EventKind::kRecv:
      case trace::EventKind::kIrecv: received(event.peer, event.bytes); break;
      case trace::EventKind::kSendrecv:
        if (event.peer >= 0) sent(event.peer, event.bytes);
        if (event.source >= 0) received(event.source, event.source_bytes);
        break;
      case trace::EventKind::kCollective:
        ++messages_sent_;
        bytes_sent_ += event.bytes;
        break;
      case trace::EventKind::kExchange:
        for (const auto& [peer, bytes] : event.sent) sent(peer, bytes);
        for (const auto& [peer, bytes] : event.received) received(peer, bytes);
        break;
      default: break;
    }
  }
  // In the order of kMessageAttributes.
  std::vector<double> values() const {
    return {static_cast<double>(messages_received_), static_cast<double>(bytes_received_),
            static_cast<double>(messages_sent_), static_cast<double>(bytes_sent_), static_cast<double>(peers_.size())};
  }

 private:
  void sent(int peer, uint64_t bytes) {
    ++messages_sent_;
    bytes_sent_ += bytes;
    peers_.insert(peer);
  }
  void received(int peer, uint64_t bytes) {
    ++messages_received_;
    bytes_received_ += bytes;
    peers_.insert(peer);
  }

  uint64_t messages_received_ = 0, bytes_received_ = 0, messages_sent_ = 0, bytes_sent_ = 0;
  std::set<int> peers_;
};

double bytes_of(const TraceEvent& event) {
  auto bytes = static_cast<double>(event.bytes);
  if (event.kind == trace::EventKind::kExchange) {
    for (const auto& sent : event.sent) bytes += static_cast<double>(sent.second);
  }
  return bytes;
}

Error wrong_input(const std::string& what, const std::string& hint, const std::string& where = "") {
  return {ErrorCode::kInput, what, hint, where};
}

Status check_vector(const ReplayedRanks& replayed, int rank, size_t computations) {
  const auto found = replayed.vectors.find(rank);
  if (found == replayed.vectors.end()) {
    return wrong_input(replayed.folder + " has no vector of rank " + std::to_string(rank),
                       "replay it, or name the ranks that were replayed with --slice", replayed.folder);
  }
  if (found->second.size() == computations) return Done{};
  return wrong_input(replayed.folder + "/" + vector_file_name(rank) + " holds " + std::to_string(found->second.size()) +
                         " computations, and the trace of this rank has " + std::to_string(computations),
                     "replay the run that was traced", replayed.folder);
}

Status check_rank(const std::vector<RankTrace>& traces, int rank, const BlockSelection& selection) {
  if (rank < 0 || static_cast<size_t>(rank) >= traces.size()) {
    return wrong_input(
        "there is no rank " + std::to_string(rank) + ", the run has " + std::to_string(traces.size()) + " ranks",
        "name ranks from 0 to " + std::to_string(traces.size() - 1));
  }
  const RankTrace& trace = traces[static_cast<size_t>(rank)];
  const ComputationVector series = computations_of(trace);
  if (series.empty()) {
    return wrong_input("the trace of rank " + std::to_string(rank) + " holds means of computations, not each of them",
                       "record it with `scalediag profile --trace --series`");
  }
  if (selection.metric == BlockMetric::kInstructions) {
    bool any = false;
    each_occurrence(trace.steps,
                    [&](const TraceStep& step, uint64_t) { any = any || !step.each_instructions.empty(); });
    if (!any) {
      return wrong_input(
          "the instructions of rank " + std::to_string(rank) + " were not counted one computation after the other",
          "record it with `scalediag profile --trace --series --counters simulated --simulate-ranks all`");
    }
  }
  if (selection.replayed == nullptr) return Done{};
  return check_vector(*selection.replayed, rank, series.size());
}

// Calls visit(part, value) for all parts of a rank's computations; the value is negative where it is not known.
void each_value(const RankTrace& trace, const BlockSelection& selection,
                const std::function<void(const ComputationPart&, double)>& visit) {
  const ComputationVector* replayed =
      selection.replayed != nullptr ? &selection.replayed->vectors.at(static_cast<int>(trace.rank)) : nullptr;
  const ComputationVector recorded = computations_of(trace);
  // Ranks that count instructions see no marks.
  const bool at_marks =
      selection.metric == BlockMetric::kSeconds ||
      std::ranges::all_of(trace.marks, [](const TraceMark& mark) { return mark.after_instructions >= 0; });
  each_part(trace, at_marks, selection.tags, [&](const ComputationPart& part) {
    double value = selection.metric == BlockMetric::kSeconds ? part.seconds : part.instructions;
    if (replayed != nullptr) {
      const auto whole_s = static_cast<double>(recorded[part.computation]);
      const double share = whole_s > 0 ? part.seconds / whole_s : (part.is_last ? 1 : 0);
      value = share * static_cast<double>((*replayed)[part.computation]);
    }
    visit(part, value);
  });
}

// Without the column of instructions where those of an execution were not counted.
void drop_uncounted(BlockExecutions& executions) {
  const auto found = std::find(executions.attributes.begin(), executions.attributes.end(), kInstructions);
  if (found == executions.attributes.end()) return;
  const auto column = found - executions.attributes.begin();
  const bool all =
      std::ranges::all_of(executions.rows, [column](const auto& row) { return row[static_cast<size_t>(column)] >= 0; });
  if (all) return;
  executions.attributes.erase(found);
  executions.kinds.erase(executions.kinds.begin() + column);
  for (auto& row : executions.rows) row.erase(row.begin() + column);
}

template <size_t N> bool is_one_of(const std::string& name, const char* const (&names)[N]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_automatic(const std::string& name) {
  return is_one_of(name, kMessageAttributes) || is_one_of(name, kPlaceAttributes) || name == kNextBytes ||
         name == kInstructions || name == kRecorded;
}

// The attribute that a parameter of the program is: by its own name, or, so that no two attributes have one name, by
// program.NAME where NAME is one of ours. A parameter that is called program.NAME itself becomes program.program.NAME.
std::string attribute_of_parameter(const std::string& parameter) {
  std::string_view name = parameter;
  while (name.starts_with(kOfProgram)) name.remove_prefix(kOfProgram.size());
  return is_automatic(std::string(name)) ? std::string(kOfProgram) + parameter : parameter;
}

void add_column(BlockExecutions& executions, const std::string& name, AttributeKind kind) {
  executions.attributes.push_back(name);
  executions.kinds.push_back(kind);
}

// Values of parameters by name, which executions of one block need not have in common, as columns in front of the
// others.
void prepend_parameters(BlockExecutions& executions, const std::vector<std::map<std::string, double>>& parameters) {
  std::set<std::string> names;
  for (const auto& of_one : parameters) {
    for (const auto& parameter : of_one) names.insert(parameter.first);
  }
  if (names.empty()) return;
  std::vector<std::string> attributes;
  for (const std::string& name : names) attributes.push_back(attribute_of_parameter(name));
  executions.attributes.insert(executions.attributes.begin(), attributes.begin(), attributes.end());
  executions.kinds.insert(executions.kinds.begin(), attributes.size(), AttributeKind::kNamed);
  for (size_t i = 0; i < parameters.size(); ++i) {
    std::vector<double> values;
    for (const std::string& name : names) {
      const auto found = parameters[i].find(name);
      values.push_back(found == parameters[i].end() ? std::nan("") : found->second);
    }
    executions.rows[i].insert(executions.rows[i].begin(), values.begin(), values.end());
  }
}

void add_automatic_columns(BlockExecutions& executions, bool with_instructions, bool with_recorded) {
  for (const char* name : kMessageAttributes) add_column(executions, name, AttributeKind::kMeasured);
  add_column(executions, kNextBytes, AttributeKind::kMeasured);
  for (const char* name : kPlaceAttributes) add_column(executions, name, AttributeKind::kPlace);
  if (with_instructions) add_column(executions, kInstructions, AttributeKind::kMeasured);
  if (with_recorded) add_column(executions, kRecorded, AttributeKind::kMeasured);
}

}  // namespace

bool is_rank_place(const std::string& attribute) {
  return is_one_of(attribute, kPlaceAttributes) && attribute != kPlaceAttributes[0];
}

Result<std::map<std::string, double>> block_totals(const std::vector<RankTrace>& traces,
                                                   const BlockSelection& selection) {
  std::map<std::string, double> totals;
  for (const int rank : selection.ranks) {
    TRY(check_rank(traces, rank, selection));
    each_value(traces[static_cast<size_t>(rank)], selection,
               [&](const ComputationPart& part, double value) { totals[part.block] += std::max(0.0, value); });
  }
  return totals;
}

Result<ProgramBlocks> block_executions(const std::vector<RankTrace>& traces, const BlockSelection& selection,
                                       const std::set<std::string>& listed) {
  ProgramBlocks program;
  std::map<std::string, std::vector<std::map<std::string, double>>> parameters;
  const bool with_recorded = selection.replayed != nullptr || selection.with_recorded;
  const auto grid = core::process_grid(static_cast<int>(traces.size()), 3);
  for (const int rank : selection.ranks) {
    TRY(check_rank(traces, rank, selection));
    const double place[] = {static_cast<double>(traces.size()), static_cast<double>(rank / (grid[1] * grid[2])),
                            static_cast<double>(rank / grid[2] % grid[1]), static_cast<double>(rank % grid[2])};
    std::map<std::string, double> iterations;
    Messages messages;
    each_value(traces[static_cast<size_t>(rank)], selection, [&](const ComputationPart& part, double value) {
      program.total += std::max(0.0, value);
      if (value >= 0 && listed.count(part.block) > 0) {
        BlockExecutions& executions = program.blocks[part.block];
        std::vector<double> row = messages.values();
        row.push_back(part.next != nullptr ? bytes_of(*part.next) : 0);
        row.push_back(iterations[part.block]++);
        row.insert(row.end(), std::begin(place), std::end(place));
        if (selection.metric == BlockMetric::kSeconds) row.push_back(part.instructions);
        if (with_recorded) row.push_back(part.seconds);
        executions.places.push_back({static_cast<uint32_t>(rank), part.computation, part.seconds});
        executions.rows.push_back(std::move(row));
        executions.values.push_back(value);
        parameters[part.block].push_back(part.parameters);
        messages = Messages();
      }
      if (part.is_last && part.next != nullptr) messages.add(*part.next);
    });
  }
  for (auto& [name, executions] : program.blocks) {
    add_automatic_columns(executions, selection.metric == BlockMetric::kSeconds, with_recorded);
    drop_uncounted(executions);
    prepend_parameters(executions, parameters[name]);
  }
  return program;
}

}  // namespace scalediag::loggp
