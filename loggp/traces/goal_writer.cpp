#include "loggp/traces/goal_writer.h"

#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "loggp/collectives/algorithm_choice.h"
#include "loggp/simulator/communicators.h"
#include "loggp/simulator/transport.h"

namespace scalediag::loggp {
namespace {

// Messages of one pair with one tag that can be under way at the same time without being mistaken for one another.
constexpr uint64_t kNumbered = 64;
constexpr size_t kAtOnce = size_t{1} << 16;

// Numbers for the tags of all communicators, in the order in which they appear.
class TagNumbers {
 public:
  uint64_t number(int32_t tag, uint32_t communicator) {
    return numbers_.try_emplace({tag, communicator}, numbers_.size()).first->second;
  }

 private:
  std::map<std::pair<int32_t, uint32_t>, uint64_t> numbers_;
};

// Writes the block of one rank.
class RankWriter {
 public:
  RankWriter(uint32_t rank, CostModel& costs, TagNumbers& tags, std::string& text)
      : rank_(rank), costs_(costs), tags_(tags), text_(text) {}

  void compute(double seconds);
  void send(uint32_t to, uint64_t bytes, int32_t tag, uint32_t communicator, uint32_t group);
  void receive(uint32_t from, uint64_t bytes, int32_t tag, uint32_t communicator, uint32_t group);
  void wait(uint32_t group);

 private:
  struct Outstanding {
    uint32_t group = 0;
    uint64_t label = 0;  // 0: a receive that is not written yet
    std::string text;    // of such a receive
  };
  struct Requirement {
    uint64_t label = 0;
    bool on_start = false;
  };
  // Writes an operation that requires all that came before; returns its label.
  uint64_t add(const std::string& operation);
  void began(uint64_t label) { before_.assign(1, {label, true}); }
  bool waits_for_receiver(uint32_t other, uint64_t bytes) const {
    return costs_.message(costs_.link(static_cast<int>(rank_), static_cast<int>(other)), bytes).rendezvous;
  }
  std::string message(const char* what, uint64_t bytes, const char* direction, uint32_t other, int32_t tag,
                      uint32_t communicator, uint64_t& n_before) {
    const uint64_t numbered = tags_.number(tag, communicator) * kNumbered + n_before++ % kNumbered;
    return what + std::to_string(bytes) + direction + std::to_string(other) + " tag " + std::to_string(numbered);
  }

  uint32_t rank_;
  CostModel& costs_;
  TagNumbers& tags_;
  std::string& text_;
  uint64_t n_labels_ = 0;
  double computed_ns_ = 0;
  double written_ns_ = 0;
  std::vector<Requirement> before_;  // what the next operation requires
  std::vector<Outstanding> outstanding_;
  // By the other rank, tag and communicator: the messages so far.
  std::map<std::tuple<uint32_t, int32_t, uint32_t>, uint64_t> n_sent_, n_received_;
};

uint64_t RankWriter::add(const std::string& operation) {
  const std::string label = "l" + std::to_string(++n_labels_);
  text_ += label + ": " + operation + "\n";
  for (const Requirement& r : before_) {
    text_ += label + (r.on_start ? " irequires l" : " requires l") + std::to_string(r.label) + "\n";
  }
  return n_labels_;
}

void RankWriter::compute(double seconds) {
  computed_ns_ += seconds * 1e9;
  const double ns = std::round(computed_ns_ - written_ns_);
  if (ns < 1) return;
  written_ns_ += ns;
  before_.assign(1, {add("calc " + std::to_string(static_cast<uint64_t>(ns))), false});
}

void RankWriter::send(uint32_t to, uint64_t bytes, int32_t tag, uint32_t communicator, uint32_t group) {
  const uint64_t label = add(message("send ", bytes, "b to ", to, tag, communicator, n_sent_[{to, tag, communicator}]));
  outstanding_.push_back({group, label, ""});
  began(label);
}

void RankWriter::receive(uint32_t from, uint64_t bytes, int32_t tag, uint32_t communicator, uint32_t group) {
  std::string text =
      message("recv ", bytes, "b from ", from, tag, communicator, n_received_[{from, tag, communicator}]);
  if (!waits_for_receiver(from, bytes)) {
    outstanding_.push_back({group, 0, std::move(text)});
    return;
  }
  const uint64_t label = add(text);
  outstanding_.push_back({group, label, ""});
}

void RankWriter::wait(uint32_t group) {
  std::vector<Requirement> waited;
  std::vector<Outstanding> left;
  bool follows_all = false;  // something waited for requires all that came before
  for (Outstanding& one : outstanding_) {
    if (group != kAllGroups && one.group != group) {
      left.push_back(std::move(one));
      continue;
    }
    follows_all = follows_all || one.label == 0;
    waited.push_back({one.label != 0 ? one.label : add(one.text), false});
  }
  outstanding_ = std::move(left);
  if (!follows_all) {
    for (const Requirement& r : before_) {
      // Of an operation that is waited for, its end counts.
      bool is_there = false;
      for (const Requirement& w : waited) is_there = is_there || w.label == r.label;
      if (!is_there) waited.push_back(r);
    }
  }
  before_ = std::move(waited);
}

class GoalWriter {
 public:
  GoalWriter(const Program& program, const Network& network, AlgorithmChoice choice,
             const std::function<void(std::string_view)>& write)
      : program_(program),
        costs_(network),
        choice_(std::move(choice)),
        communicators_(program.communicators(), program.ranks()),
        write_(write) {}

  Status run();

 private:
  Status write_collective(RankWriter& to, uint32_t rank, const Op& op);
  void pass_on(size_t at_least) {
    if (text_.size() < at_least) return;
    write_(text_);
    text_.clear();
  }

  const Program& program_;
  CostModel costs_;
  AlgorithmChoice choice_;
  CommunicatorIndex communicators_;
  const std::function<void(std::string_view)>& write_;
  TagNumbers tags_;
  std::string text_;
};

Status GoalWriter::write_collective(RankWriter& to, uint32_t rank, const Op& op) {
  const bool exists = op.communicator < communicators_.count();
  const uint32_t own = exists ? communicators_.rank_in(op.communicator, rank) : CommunicatorIndex::kNotIn;
  if (own == CommunicatorIndex::kNotIn) {
    return Error{ErrorCode::kInput, "rank " + std::to_string(rank) + " is not in communicator " +
                                        std::to_string(op.communicator) + " of its " + name_of(op.collective)};
  }
  const uint32_t size = communicators_.size(op.communicator);
  const uint32_t root = has_root(op.collective) ? static_cast<uint32_t>(op.peer) : 0;
  if (root >= size) {
    return Error{ErrorCode::kInput, "rank " + std::to_string(rank) + ": the root " + std::to_string(op.peer) +
                                        " is not a rank of the communicator"};
  }
  const Algorithm algorithm = own_algorithm(op, size).value_or(choice_.choose(op.collective, size, op.bytes));
  const CollectiveCall call{op.collective, algorithm, size, root, op.bytes};
  const auto tag = static_cast<int32_t>(op.collective);
  const uint32_t context = op.communicator | kCollectiveContext;
  uint32_t state = 0;
  for (Step step; next_step(call, own, state, step);) {
    const uint32_t group = kCollectiveGroup + step.lane;
    const auto peer = [&] { return communicators_.world_rank(op.communicator, step.peer); };
    switch (step.kind) {
      case Step::Kind::kSend: to.send(peer(), step.bytes, tag, context, group); break;
      case Step::Kind::kReceive: to.receive(peer(), step.bytes, tag, context, group); break;
      case Step::Kind::kCopy: to.compute(costs_.copy_s(step.bytes)); break;
      case Step::Kind::kReduce: to.compute(costs_.reduction_s(step.bytes)); break;
      case Step::Kind::kWait: to.wait(group); break;
    }
    pass_on(kAtOnce);
  }
  return Done{};
}

Status GoalWriter::run() {
  text_ = "num_ranks " + std::to_string(program_.ranks()) + "\n";
  for (int r = 0; r < program_.ranks(); ++r) {
    const auto rank = static_cast<uint32_t>(r);
    text_ += "rank " + std::to_string(r) + " {\n";
    RankWriter to(rank, costs_, tags_, text_);
    uint64_t position = 0;
    for (Op op = program_.next(r, position); op.kind != OpKind::kEnd; op = program_.next(r, position)) {
      const bool blocking = op.kind == OpKind::kSend || op.kind == OpKind::kRecv;
      const uint32_t group = blocking ? kBlockingGroup : op.group;
      const auto peer = static_cast<uint32_t>(op.peer);
      if (op.kind == OpKind::kRemote) {
        return Error{ErrorCode::kInput, "rank " + std::to_string(r) + " (" + program_.labels()[op.label] +
                                            "): one-sided communication has no form in a schedule"};
      }
      if (op.kind == OpKind::kCompute) to.compute(op.seconds);
      if (op.kind == OpKind::kSend || op.kind == OpKind::kIsend)
        to.send(peer, op.bytes, op.tag, op.communicator, group);
      if (op.kind == OpKind::kRecv || op.kind == OpKind::kIrecv) {
        to.receive(peer, op.bytes, op.tag, op.communicator, group);
      }
      if (op.kind == OpKind::kWait || blocking) to.wait(group);
      if (op.kind == OpKind::kCollective) TRY(write_collective(to, rank, op));
      pass_on(kAtOnce);
    }
    to.wait(kAllGroups);  // receives that the program does not wait for
    text_ += "}\n";
  }
  pass_on(0);
  return Done{};
}

}  // namespace

Status write_goal(const Program& program, const Network& network, const std::function<void(std::string_view)>& write) {
  auto choice = TRY(AlgorithmChoice::of(network));
  return GoalWriter(program, network, std::move(choice), write).run();
}

}  // namespace scalediag::loggp
