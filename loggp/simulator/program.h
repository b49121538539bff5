// The simulator's input: for each rank a sequence of computations and MPI operations in the order in which the rank
// executes them. A program gives them one at a time, so that it need not be in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/most_ranks.h"
#include "loggp/collectives/collective.h"
#include "loggp/collectives/gpu_algorithms.h"

namespace scalediag::loggp {

// Inputs that name more ranks count as damaged.
constexpr uint64_t kMostRanks = core::kMostRanks;

// kAsk: the rank asked for its time, or for the message that a receive from any rank (peer -1) or with any tag
// matches (group: a Question). kMark: it enters (peer 1) or leaves (peer 0) the region with the number `tag`, which
// takes no time. kRemote: an access to a window's memory of another rank, `tag` is its trace::Remote. kNotYet: its next
// operation is not known yet. Both questions and kNotYet only matter to a LiveSimulation.
enum class OpKind : uint8_t {
  kEnd,
  kCompute,
  kSend,
  kRecv,
  kIsend,
  kIrecv,
  kWait,
  kCollective,
  kAsk,
  kMark,
  kNotYet,
  kRemote
};

enum class Question : uint32_t { kTime, kMatch, kMatchAnyTag };

// The group of nonblocking operations that kWait waits for.
constexpr uint32_t kAllGroups = 0xFFFFFFFE;  // kWait only: everything that is still outstanding
constexpr uint32_t kLargestGroup = 0xFFFFFFF0;
// Groups that programs do not name.
constexpr uint32_t kCollectiveGroup = 0xFFFFFFF8;  // of the steps of a collective
constexpr uint32_t kBlockingGroup = 0xFFFFFFFF;    // of a blocking send or receive

struct Op {
  OpKind kind = OpKind::kEnd;
  Collective collective = Collective::kBarrier;  // kCollective
  uint16_t label = 0;                            // index into Program::labels(): the kernel, or the MPI operation
  int32_t peer = 0;           // rank in MPI_COMM_WORLD; kCollective: root, a rank of the communicator; kCompute:
                              // kOnDevice or 0
  int32_t tag = 0;            // kCollective: its own_algorithm(), or kAsGpusChoose; 0: the library chooses one
  uint32_t communicator = 0;  // 0 is MPI_COMM_WORLD
  uint32_t group = 0;         // kIsend, kIrecv, kRemote: the group that a kWait names; unused ones can be used again
  uint32_t stands_for = 1;    // executions, itself among them: its time counts as often (rounds.h)
  uint64_t bytes = 0;         // kCollective: as collective.h defines a collective's bytes
  double seconds = 0;         // kCompute
};

// A number for the operation's name, below 2^15: its label, or what its kind and collective are called.
constexpr uint16_t kUnnamedOperation = 0x4000;
inline uint16_t operation_of(const Op& op) {
  if (op.label != 0 && op.label < kUnnamedOperation) return op.label;
  return static_cast<uint16_t>(kUnnamedOperation | static_cast<unsigned>(op.kind) << 8 |
                               static_cast<unsigned>(op.collective));
}

// A collective with an algorithm of its own, whatever the library chooses for others.
inline void set_own_algorithm(Op& collective, Algorithm algorithm) {
  collective.tag = 1 + static_cast<int32_t>(algorithm);
}
// One of GPUs, whose library chooses by its size and the ranks of its communicator (gpu_algorithms.h).
constexpr int32_t kAsGpusChoose = -1;
// Precondition: ranks >= 1.
inline std::optional<Algorithm> own_algorithm(const Op& collective, uint64_t ranks) {
  if (collective.tag == kAsGpusChoose) return gpu_algorithm(collective.collective, ranks, collective.bytes);
  if (collective.tag == 0) return std::nullopt;
  return static_cast<Algorithm>(collective.tag - 1);
}

class Program {
 public:
  virtual ~Program() = default;

  virtual int ranks() const = 0;
  // The operation at `position`; moves `position` to the next one. It starts at 0, and its meaning is the program's
  // own. The same position always gives the same operation. After the last operation: kEnd, for ever.
  virtual Op next(int rank, uint64_t& position) const = 0;
  virtual const std::vector<std::string>& labels() const = 0;
  // The remedy where its simulation ends in a deadlock, for the error. `a_send_waits`: some rank waits for another one
  // to receive what it sends.
  virtual std::string deadlock_hint([[maybe_unused]] bool a_send_waits) const {
    return "check that the input is complete and that sends and receives agree in rank, tag and communicator; of a "
           "scaled trace `scalediag phases` names the events whose partners are not certain";
  }

  // Communicators, each a list of world ranks; [0] is MPI_COMM_WORLD and empty, which stands for all ranks in order.
  const std::vector<std::vector<int>>& communicators() const { return communicators_; }

 protected:
  std::vector<std::vector<int>> communicators_ = {{}};
};

// Every rank's operations in memory.
class ListProgram : public Program {
 public:
  explicit ListProgram(int ranks) : operations_(static_cast<size_t>(ranks)) {}

  std::vector<Op>& of(int rank) { return operations_[static_cast<size_t>(rank)]; }
  const std::vector<Op>& of(int rank) const { return operations_[static_cast<size_t>(rank)]; }
  std::vector<std::string>& labels() { return labels_; }
  std::vector<std::vector<int>>& communicators() { return communicators_; }
  using Program::communicators;

  int ranks() const override { return static_cast<int>(operations_.size()); }
  Op next(int rank, uint64_t& position) const override {
    const auto& list = of(rank);
    return position < list.size() ? list[position++] : Op{};
  }
  const std::vector<std::string>& labels() const override { return labels_; }

 private:
  std::vector<std::vector<Op>> operations_;
  std::vector<std::string> labels_ = {""};
};

inline Op compute(double seconds, uint16_t label = 0) {
  Op op;
  op.kind = OpKind::kCompute;
  op.seconds = seconds;
  op.label = label;
  return op;
}
// The host waits for its GPU, a computation that no factor multiplies: those are the CPUs'.
constexpr int32_t kOnDevice = 1;
inline bool is_device_wait(const Op& op) { return op.kind == OpKind::kCompute && op.peer == kOnDevice; }
inline Op message(OpKind kind, int peer, uint64_t bytes, int tag = 0, uint32_t group = 0) {
  Op op;
  op.kind = kind;
  op.peer = peer;
  op.bytes = bytes;
  op.tag = tag;
  op.group = group;
  return op;
}
inline Op wait_for(uint32_t group) {
  Op op;
  op.kind = OpKind::kWait;
  op.group = group;
  return op;
}
inline Op collective(Collective kind, uint64_t bytes, int root = 0) {
  Op op;
  op.kind = OpKind::kCollective;
  op.collective = kind;
  op.bytes = bytes;
  op.peer = root;
  return op;
}

}  // namespace scalediag::loggp
