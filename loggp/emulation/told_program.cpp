#include "loggp/emulation/told_program.h"

#include <algorithm>
#include <utility>

#include "core/raw/event_stream.h"

namespace scalediag::loggp {
namespace {

// Bytes of a record, which are kept until it has come whole. The longest one has the members of communicators, at most
// four bytes each.
constexpr uint64_t kLongestRecord = uint64_t{1} << 25;
// More than a year. Each 2^40 ns of it take an entry.
constexpr uint64_t kLongestComputation_ns = uint64_t{1} << 55;

}  // namespace

Error ToldProgram::damaged(int rank, const std::string& what) const {
  return {ErrorCode::kInput, "rank " + std::to_string(rank) + " told what cannot be: " + what};
}

Status ToldProgram::take(int r, std::string_view bytes) {
  Rank& rank = ranks_[static_cast<size_t>(r)];
  const bool joined = !rank.rest.empty();
  if (joined) rank.rest += bytes;
  std::string_view left = joined ? std::string_view(rank.rest) : bytes;
  while (!left.empty()) {
    trace::Reader reader(left);
    const uint64_t head = reader.number();
    const uint64_t second = reader.number();
    if (!reader.ok()) break;  // the rest of its numbers comes later
    if (head % 2 == 0) {
      if (head / 2 + 1 >= rank.operations.size()) return damaged(r, "an event that it has not defined");
      TRY(add(r, head / 2 + 1, second));
      ++n_events_;
      left.remove_prefix(left.size() - reader.left());
      continue;
    }
    if (second > kLongestRecord) {
      return damaged(r, "a record of " + std::to_string(second) + " bytes, where " + std::to_string(kLongestRecord) +
                            " are the most");
    }
    if (reader.left() < second) break;
    left.remove_prefix(left.size() - reader.left());
    TRY(chunk(r, static_cast<uint32_t>(head / 2), left.substr(0, second)));
    left.remove_prefix(second);
  }
  std::string rest(left);
  rank.rest = std::move(rest);
  return Done{};
}

Status ToldProgram::add(int r, uint64_t definition, uint64_t ns) {
  if (ns > kLongestComputation_ns) return damaged(r, "a computation of " + std::to_string(ns) + " ns");
  Rank& rank = of(r);
  for (; ns > kMostNs; ns -= kMostNs, ++n_held_) rank.events.push_back(kMostNs << kDefinitionBits);
  rank.events.push_back(ns << kDefinitionBits | definition);
  ++n_held_;
  return Done{};
}

Status ToldProgram::chunk(int r, uint32_t kind, std::string_view payload) {
  if (kind == stream::kQuestion) return question(r, payload);
  if (kind == stream::kRegionName) return region_name(r, payload);
  if (kind == stream::kMark) return mark(r, payload);
  Rank& rank = ranks_[static_cast<size_t>(r)];
  if (!rank.parser->chunk(kind, payload)) return damaged(r, rank.parser->failure());
  const RankTrace& trace = *rank.trace;
  if (kind == static_cast<uint32_t>(trace::ChunkKind::kIdentity) &&
      (trace.rank != static_cast<uint32_t>(r) || trace.size != ranks_.size())) {
    return damaged(r, "it is rank " + std::to_string(trace.rank) + " of " + std::to_string(trace.size) +
                          ", where the run has " + std::to_string(ranks_.size()) + " ranks");
  }
  if (kind == static_cast<uint32_t>(trace::ChunkKind::kEnd)) return add(r, 0, trace.tail_ns);
  if (kind == stream::kDefinition) {
    const TraceEvent& event = trace.events.back();
    const std::string& routine = trace.routines[event.routine];
    if (event.kind == trace::EventKind::kNotReplayed) {
      return Error{ErrorCode::kInput,
                   "rank " + std::to_string(r) + ", event " + std::to_string(rank.forgotten + rank.events.size()) +
                       " (" + routine + "): " + text_of(event.reason) + " cannot be emulated",
                   "docs/emulate.md has what can be emulated"};
    }
    std::vector<Op>& operations = rank.operations.emplace_back();
    const bool is_exchange = event.kind == trace::EventKind::kExchange;
    append_operations(trace, event, ExchangePeers::kRanks, labels_.number(routine),
                      numbers_.number(trace.communicators[event.communicator], is_exchange, communicators_),
                      operations);
  }
  return Done{};
}

Status ToldProgram::question(int r, std::string_view payload) {
  const RankTrace& trace = *of(r).trace;
  trace::Reader reader(payload);
  const uint64_t ns = reader.number();
  const uint64_t what = reader.number();
  const uint64_t communicator = reader.number();
  const uint64_t peer = reader.number();
  const uint64_t any_tag = reader.number();
  const int64_t tag = reader.signed_number();
  if (!reader.ok() || communicator >= trace.communicators.size() || peer > trace.size) {
    return damaged(r, "a question that it cannot ask");
  }
  const bool time = what == static_cast<uint64_t>(stream::Question::kTime);
  Op op;
  op.kind = OpKind::kAsk;
  op.communicator = numbers_.number(trace.communicators[communicator], false, communicators_);
  op.peer = static_cast<int32_t>(peer) - 1;
  op.tag = static_cast<int32_t>(tag);
  op.group = static_cast<uint32_t>(time ? Question::kTime : any_tag != 0 ? Question::kMatchAnyTag : Question::kMatch);
  return add_question(r, op, ns);
}

Status ToldProgram::region_name(int r, std::string_view payload) {
  trace::Reader reader(payload);
  const std::string name = reader.text();
  if (!reader.ok()) return damaged(r, "a region without a name");
  const auto known = std::find(regions_.begin(), regions_.end(), name);
  of(r).regions.push_back(static_cast<uint32_t>(known - regions_.begin()));
  if (known == regions_.end()) regions_.push_back(name);
  return Done{};
}

Status ToldProgram::mark(int r, std::string_view payload) {
  trace::Reader reader(payload);
  const uint64_t ns = reader.number();
  const uint64_t region = reader.number();
  const uint64_t begins = reader.number();
  const std::vector<uint32_t>& regions = of(r).regions;
  if (!reader.ok() || region >= regions.size() || begins > 1) return damaged(r, "a mark of no region");
  Op op;
  op.kind = OpKind::kMark;
  op.peer = static_cast<int32_t>(begins);
  op.tag = static_cast<int32_t>(regions[region]);
  return add_question(r, op, ns);
}

Status ToldProgram::add_question(int r, const Op& op, uint64_t ns) {
  Rank& rank = of(r);
  const auto same = [&](const Op& known) {
    return known.kind == op.kind && known.communicator == op.communicator && known.peer == op.peer &&
           known.tag == op.tag && known.group == op.group;
  };
  const auto known = std::ranges::find_if(rank.questions, same);
  const auto number = static_cast<uint64_t>(known - rank.questions.begin());
  if (known == rank.questions.end()) rank.questions.push_back(op);
  if (number >= kFirstQuestion) return damaged(r, "too many different questions");
  return add(r, kFirstQuestion + number, ns);
}

const Op* ToldProgram::operation(const Rank& rank, uint64_t definition, uint64_t number) {
  if (definition >= kFirstQuestion) return number == 0 ? &rank.questions[definition - kFirstQuestion] : nullptr;
  const std::vector<Op>& operations = rank.operations[definition];
  return number < operations.size() ? &operations[number] : nullptr;
}

void ToldProgram::end() { ended_ = true; }

void ToldProgram::forget_before(int r, uint64_t position) {
  Rank& rank = ranks_[static_cast<size_t>(r)];
  const uint64_t event = position >> kOperationBits;
  while (rank.forgotten < event && !rank.events.empty()) {
    rank.events.pop_front();
    ++rank.forgotten;
    --n_held_;
  }
}

Op ToldProgram::next(int r, uint64_t& position) const {
  const Rank& rank = of(r);
  for (;;) {
    const uint64_t event = (position >> kOperationBits) - rank.forgotten;
    if (event >= rank.events.size()) {
      Op none;
      none.kind = ended_ || rank.parser->saw_end() ? OpKind::kEnd : OpKind::kNotYet;
      return none;
    }
    const uint64_t packed = rank.events[event];
    const uint64_t ns = packed >> kDefinitionBits;
    // Operation 0 is the computation.
    const uint64_t number = position & ((uint64_t{1} << kOperationBits) - 1);
    if (number == 0) {
      ++position;
      if (ns > 0) return compute(static_cast<double>(ns) * 1e-9);
    } else if (const Op* op = operation(rank, packed % kMostDefinitions, number - 1)) {
      ++position;
      return *op;
    } else {
      position = ((position >> kOperationBits) + 1) << kOperationBits;
    }
  }
}

std::vector<Op> ToldProgram::distinct_operations(int r) const {
  std::vector<Op> all;
  for (const std::vector<Op>& operations : of(r).operations)
    all.insert(all.end(), operations.begin(), operations.end());
  return all;
}

}  // namespace scalediag::loggp
