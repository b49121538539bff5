#include "loggp/traces/rank_parser.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/raw/event_stream.h"
#include "loggp/simulator/program.h"

namespace scalediag::loggp {
namespace {

using trace::EventKind;
using trace::Reader;

constexpr int kDeepestLoop = 64;
constexpr uint64_t kMostEvents = uint64_t{1} << 60;

}  // namespace

bool RankParser::chunk(uint32_t kind, std::string_view payload) {
  Reader r(payload);
  bool good = false;
  if (kind == static_cast<uint32_t>(trace::ChunkKind::kIdentity)) {
    good = identity(r);
  } else if (!saw_identity_) {
    return fail("it does not begin with the rank's identity");
  } else if (saw_end_) {
    return fail("it goes on after its end");
  } else if (kind == static_cast<uint32_t>(trace::ChunkKind::kCommunicators)) {
    good = communicators(r);
  } else if (kind == static_cast<uint32_t>(trace::ChunkKind::kEvents)) {
    good = events(r);
  } else if (kind == stream::kDefinition) {
    good = told_definition(r);
  } else if (kind == static_cast<uint32_t>(trace::ChunkKind::kEnd)) {
    good = end(r);
  } else if (kind == static_cast<uint32_t>(trace::ChunkKind::kComputations)) {
    good = series(r, n_computations_, series_);
  } else if (kind == static_cast<uint32_t>(trace::ChunkKind::kInstructionSeries)) {
    good = series(r, n_instructions_, instruction_series_);
  } else if (kind == static_cast<uint32_t>(trace::ChunkKind::kMarks)) {
    good = marks(r);
  } else if (kind == static_cast<uint32_t>(trace::ChunkKind::kInstructions)) {
    good = instructions(r, trace_.steps, first_step_);
    first_step_ = trace_.steps.size();
    trace_.counted_for = 1;
  } else {
    return fail("it has a part of the unknown kind " + std::to_string(kind));
  }
  if (!good) return fail("a part ends early");
  return r.left() == 0 || fail("a part is longer than it says");
}

bool RankParser::identity(Reader& r) {
  if (saw_identity_) return fail("it has two identities");
  const uint64_t rank = r.number();
  const uint64_t size = r.number();
  trace_.host = r.text();
  trace_.executable = r.text();
  trace_.mpi_version = r.text();
  if (!r.ok()) return false;
  if (size > kMostRanks || rank >= size) {
    return fail("rank " + std::to_string(rank) + " of " + std::to_string(size) + " is impossible");
  }
  trace_.rank = static_cast<uint32_t>(rank);
  trace_.size = static_cast<uint32_t>(size);
  saw_identity_ = true;
  return true;
}

bool RankParser::rank(Reader& r, int& to, bool or_nobody) {
  uint64_t value = r.number();
  if (!r.ok()) return false;
  if (or_nobody && value == 0) {
    to = -1;
    return true;
  }
  if (or_nobody) --value;
  if (value >= trace_.size) {
    return fail("there is no rank " + std::to_string(value) + " among " + std::to_string(trace_.size));
  }
  to = static_cast<int>(value);
  return true;
}

bool RankParser::tag(Reader& r, int& to) {
  const int64_t value = r.signed_number();
  if (!r.ok()) return false;
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
    return fail("the tag " + std::to_string(value) + " is impossible");
  }
  to = static_cast<int>(value);
  return true;
}

bool RankParser::communicators(Reader& r) {
  for (uint64_t n = r.number(); n > 0; --n) {
    TraceCommunicator made;
    made.ordinal = r.number();
    const uint64_t n_members = r.number();
    if (!r.ok() || n_members > r.left()) return false;
    int64_t member = 0;
    made.members.reserve(n_members);
    for (uint64_t i = 0; i < n_members; ++i) {
      const int64_t step = r.signed_number();
      // Both are below 2^25 in the files that the recorder writes.
      if (step < -static_cast<int64_t>(kMostRanks) || step > static_cast<int64_t>(kMostRanks)) {
        return fail("a communicator has an impossible member");
      }
      member += step;
      if (member < 0 || member >= static_cast<int64_t>(trace_.size)) {
        return fail("a communicator has the rank " + std::to_string(member) + ", which does not exist");
      }
      made.members.push_back(static_cast<int>(member));
    }
    std::vector<int> sorted = made.members;
    std::ranges::sort(sorted);
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
      return fail("a communicator has the rank " + std::to_string(*twice) + " twice");
    }
    trace_.communicators.push_back(std::move(made));
  }
  return r.ok();
}

bool RankParser::parts(Reader& r, std::vector<std::pair<int, uint64_t>>& to) {
  const uint64_t n = r.number();
  if (!r.ok() || n > r.left()) return false;
  to.resize(n);
  for (auto& [peer, bytes] : to) {
    if (!rank(r, peer)) return false;
    bytes = r.number();
  }
  return r.ok();
}

bool RankParser::definition(Reader& r, TraceEvent& e, const std::map<uint64_t, uint32_t>& names) {
  const uint64_t kind = r.number();
  const auto name = names.find(r.number());
  if (!r.ok()) return false;
  if (kind < 1 || kind > static_cast<uint64_t>(EventKind::kRemote)) {
    return fail("there is no event of kind " + std::to_string(kind));
  }
  if (name == names.end()) return fail("an event's routine has no name");
  e.kind = static_cast<EventKind>(kind);
  e.routine = name->second;
  const auto communicator = [&] {
    const uint64_t number = r.number();
    if (r.ok() && number >= trace_.communicators.size()) {
      return fail("there is no communicator " + std::to_string(number));
    }
    e.communicator = static_cast<uint32_t>(number);
    return r.ok();
  };
  const auto request = [&](uint32_t& to) {
    const uint64_t number = r.number();
    if (number >= trace::kMostRequests) return fail("the request " + std::to_string(number) + " is impossible");
    to = static_cast<uint32_t>(number);
    return r.ok();
  };
  switch (e.kind) {
    case EventKind::kSend:
    case EventKind::kRecv:
    case EventKind::kIsend:
    case EventKind::kIrecv:
    case EventKind::kBufferedSend:
      if (!rank(r, e.peer) || !tag(r, e.tag) || !communicator()) return false;
      e.bytes = r.number();
      return e.kind == EventKind::kIsend || e.kind == EventKind::kIrecv ? request(e.request) : r.ok();
    case EventKind::kRemote: {
      const uint64_t what = r.number();
      if (what >= trace::kRemotes) return fail("there is no access of kind " + std::to_string(what));
      e.tag = static_cast<int>(what);
      if (!rank(r, e.peer) || !communicator()) return false;
      e.bytes = r.number();
      return request(e.request);
    }
    case EventKind::kSendrecv:
      if (!communicator() || !rank(r, e.peer, true) || !tag(r, e.tag)) return false;
      e.bytes = r.number();
      if (!rank(r, e.source, true) || !tag(r, e.source_tag)) return false;
      e.source_bytes = r.number();
      return r.ok();
    case EventKind::kWait: {
      const uint64_t n = r.number();
      if (!r.ok() || n > r.left()) return false;
      e.requests.resize(n);
      return std::ranges::all_of(e.requests, request);
    }
    case EventKind::kCollective: {
      if (!communicator()) return false;
      const uint64_t which = r.number();
      if (which >= mpi::kCollectives) return fail("there is no collective " + std::to_string(which));
      e.collective = static_cast<mpi::Collective>(which);
      e.bytes = r.number();
      const uint64_t root = r.number();
      const std::vector<int>& members = trace_.communicators[e.communicator].members;
      if (root >= (members.empty() ? trace_.size : members.size())) {
        return fail("there is no root " + std::to_string(root) + " in communicator " + std::to_string(e.communicator));
      }
      e.root = static_cast<int>(root);
      return r.ok();
    }
    case EventKind::kExchange: return communicator() && parts(r, e.sent) && parts(r, e.received);
    case EventKind::kCollectiveBegins: return communicator();
    case EventKind::kCommunicatorMade: e.agreements = agreements_of(trace_.mpi_version); return communicator();
    case EventKind::kDeviceBegins:
    case EventKind::kDeviceWait: return r.ok();
    case EventKind::kNotReplayed: {
      const uint64_t reason = r.number();
      if (reason >= trace::kReasons) return fail("there is no reason " + std::to_string(reason));
      e.reason = static_cast<trace::Reason>(reason);
      return r.ok();
    }
  }
  return false;
}

uint32_t RankParser::routine(std::string name) {
  const auto known = std::find(trace_.routines.begin(), trace_.routines.end(), name);
  const auto number = static_cast<uint32_t>(known - trace_.routines.begin());
  if (known == trace_.routines.end()) trace_.routines.push_back(std::move(name));
  return number;
}

// One definition, whose routine's name precedes it.
bool RankParser::told_definition(Reader& r) {
  const uint32_t number = routine(r.text());
  Reader ahead = r;
  ahead.number();
  const std::map<uint64_t, uint32_t> names = {{ahead.number(), number}};
  return definition(r, trace_.events.emplace_back(), names);
}

bool RankParser::events(Reader& r) {
  std::map<uint64_t, uint32_t> names;
  for (uint64_t n = r.number(); n > 0; --n) {
    const uint64_t number = r.number();
    std::string name = r.text();
    if (!r.ok()) return false;
    names[number] = routine(std::move(name));
  }
  first_definition_ = static_cast<uint32_t>(trace_.events.size());
  const uint64_t n_definitions = r.number();
  if (!r.ok() || n_definitions > r.left()) return false;
  n_definitions_ = static_cast<uint32_t>(n_definitions);
  for (uint64_t i = 0; i < n_definitions; ++i) {
    TraceEvent event;
    if (!definition(r, event, names)) return false;
    trace_.events.push_back(std::move(event));
  }
  const uint64_t n = r.number();
  if (trace_.communicators.empty()) return fail("events come before the communicators");
  first_step_ = trace_.steps.size();
  return r.ok() && steps(r, n, 1, 0, trace_.steps);
}

bool RankParser::steps(Reader& r, uint64_t n, uint64_t repeated, int depth, std::vector<TraceStep>& into) {
  if (n > r.left()) return false;
  for (uint64_t i = 0; i < n; ++i) {
    const uint64_t what = r.number();
    if (!r.ok()) return false;
    TraceStep step;
    if ((what & 1) != 0) {
      step.count = r.number();
      if (!r.ok()) return false;
      if (depth >= kDeepestLoop) return fail("loops are nested too deeply");
      if (step.count == 0 || what < 2 || step.count > kMostEvents / repeated) {
        return fail("a loop of " + std::to_string(what / 2) + " events goes round " + std::to_string(step.count) +
                    " times");
      }
      if (!steps(r, what / 2, repeated * step.count, depth + 1, step.body)) return false;
    } else {
      if (what / 2 >= n_definitions_) return fail("an event has no definition");
      step.event = first_definition_ + static_cast<uint32_t>(what / 2);
      step.before.n = repeated;
      step.before.total = r.number();
      step.before.least = step.before.most = step.before.total;
      if (depth > 0) {
        step.before.least = r.number();
        step.before.most = r.number();
        step.before.deviation = r.number();
      }
      if (!r.ok()) return false;
      trace_.n_events += repeated;
      if (trace_.n_events > kMostEvents) return fail("it has too many events");
    }
    into.push_back(std::move(step));
  }
  return true;
}

bool RankParser::end(Reader& r) {
  const uint64_t n_events = r.number();
  const uint64_t how = r.number();
  trace_.tail_ns = r.number();
  trace_.elapsed_ns = r.number();
  if (!r.ok()) return false;
  if (how > static_cast<uint64_t>(trace::End::kAbort)) return fail("it ends in the unknown way " + std::to_string(how));
  if (told_) trace_.n_events = n_events;
  if (n_events != trace_.n_events) {
    return fail("it holds " + std::to_string(trace_.n_events) + " events and says that there are " +
                std::to_string(n_events));
  }
  trace_.end = static_cast<trace::End>(how);
  saw_end_ = true;
  return true;
}

// Numbers that go on from chunk to chunk.
bool RankParser::series(Reader& r, uint64_t& n_values, std::string& values) {
  const uint64_t n = r.number();
  if (!r.ok() || n > r.left()) return false;
  n_values += n;
  for (uint64_t i = 0; i < n; ++i) trace::put(values, r.number());
  return r.ok();
}

bool RankParser::marks(Reader& r) {
  const uint64_t n = r.number();
  if (!r.ok() || n > r.left()) return false;
  for (uint64_t i = 0; i < n; ++i) {
    const uint64_t kind = r.number(), name = r.number();
    if (r.ok() && name == trace_.mark_names.size()) trace_.mark_names.push_back(r.text());
    const int64_t step = r.signed_number();
    const uint64_t ns = r.number(), counted = r.number();
    const uint64_t bits = kind == static_cast<uint64_t>(trace::Mark::kParameter) ? r.number() : 0;
    if (!r.ok()) return false;
    if (kind > static_cast<uint64_t>(trace::Mark::kParameter))
      return fail("there is no mark of kind " + std::to_string(kind));
    if (name >= trace_.mark_names.size()) return fail("a mark has no name");
    const uint64_t before = trace_.marks.empty() ? 0 : trace_.marks.back().computation;
    if (step < 0 || static_cast<uint64_t>(step) > kMostEvents - before) return fail("marks are in no order");
    trace_.marks.push_back({static_cast<trace::Mark>(kind), static_cast<uint32_t>(name),
                            before + static_cast<uint64_t>(step), static_cast<double>(ns) * 1e-9,
                            static_cast<double>(counted) - 1, std::bit_cast<double>(bits)});
  }
  return r.ok();
}

bool RankParser::instructions(Reader& r, std::vector<TraceStep>& steps, size_t begin) {
  for (size_t i = begin; i < steps.size(); ++i) {
    TraceStep& step = steps[i];
    if (step.count > 0) {
      if (!instructions(r, step.body, 0)) return false;
      continue;
    }
    TraceTimes& counted = step.instructions;
    counted.n = r.number();
    if (counted.n > step.before.n) {
      return fail("instructions of " + std::to_string(counted.n) + " occurrences of an event that has " +
                  std::to_string(step.before.n));
    }
    if (counted.n == 0) continue;
    for (uint64_t* value : {&counted.total, &counted.least, &counted.most, &counted.deviation}) *value = r.number();
  }
  return r.ok();
}

bool RankParser::distribute_computations() {
  if (!trace_.marks.empty() && trace_.marks.back().computation > trace_.n_events) {
    return fail("a mark is in computation " + std::to_string(trace_.marks.back().computation) + " of " +
                std::to_string(trace_.n_events));
  }
  for (const uint64_t n : {n_computations_, n_instructions_}) {
    if (n == 0 || n == trace_.n_events) continue;
    return fail("it holds " + std::to_string(n) + " computations and " + std::to_string(trace_.n_events) + " events");
  }
  Reader times(series_), instructions(instruction_series_);
  each_occurrence(trace_.steps, [&](TraceStep& step, uint64_t) {
    if (n_computations_ > 0) {
      step.computations_s.push_back(static_cast<float>(static_cast<double>(times.number()) * 1e-9));
    }
    if (n_instructions_ > 0) step.each_instructions.push_back(static_cast<double>(instructions.number()) - 1);
  });
  return true;
}

}  // namespace scalediag::loggp
