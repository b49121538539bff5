// The cost of communication, an interface for the application model. A network model (another room) implements it;
// without one, the forms of Ding et al. 2018 are fitted to what was measured:
//
//   point to point   m messages of s bytes       t = m (a s + b)
//   collectives      m calls of s bytes          t = m (a log2 P + b s + c), P the processes of the communicator
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace scalediag::fit {

// The use of one MPI operation in one run, per rank in the mean.
struct OperationLoad {
  std::string operation;  // "MPI_Send"
  double processes = 1;   // of the communicator: of collectives the geometric mean over calls, else all ranks
  double calls = 0;
  double bytes = 0;  // of all calls
};

// The messages that a rank sends or receives one after the other in a call, and the bytes of all of them.
struct Transfer {
  double messages = 1;
  double bytes = 0;
};

// The transfer of one call with `bytes` as they are counted (pmpi-comm/README.md):
//   rank to rank          1 message of these bytes
//   to each other rank    P - 1 messages; the counted bytes hold the rank's own block, which stays where it is
//   gathered by all       log2 P messages; each other rank's bytes arrive
//   other collectives     log2 P messages of these bytes, one a level of a binary tree
// `processes`: of the communicator. Of one process there is one message.
Transfer transfer_of_call(const std::string& operation, double processes, double bytes);

// The time of a message up to this size, in bytes, is that of the message by itself on any network.
constexpr double kShortMessage = 512;

// Bounds on the cost of one transfer divided by that of another, where a message costs the same in both, and so does a
// byte, however much that is: the smaller and the larger one of the ratio of messages and the ratio of bytes. Bytes of
// short messages are not counted.
struct RelativeCost {
  double least = 1;
  double most = 1;  // infinite where nothing tells what bytes cost
};
RelativeCost relative_cost(const Transfer& transfer, const Transfer& known);

// The time of the fastest call that was measured.
struct FastestCall {
  Transfer transfer;
  double time_s = 0;
};

// A lower bound on the time of a load, in seconds, from the fastest calls that were measured. It holds however their
// times divide between messages and bytes.
double least_time(std::span<const FastestCall> fastest, const OperationLoad& load);

// A measured time of an operation, with the load that was counted with it.
struct MeasuredCost {
  OperationLoad load;
  double time_s = 0;  // per rank, mean
};

// By how much an operation may cost more on more ranks than its load does, over the quotient of the ranks: of the 80
// operations of eleven programs (docs/how-predictions-are-made.md), at 64 from 16 ranks, none whose time there was in
// its interval lies beyond 4.6.
constexpr double kMostGrowth = 5;

// An upper bound on the time of a load on `growth` times as many ranks as those of `known`, in seconds. A call costs at
// most in proportion to the ranks, as those of linear algorithms and the waits of pipelines do, times kMostGrowth.
// Infinite where nothing bounds it.
double most_time(std::span<const MeasuredCost> known, const OperationLoad& load, double growth);

class CommunicationCost {
 public:
  virtual ~CommunicationCost() = default;

  // Whether the operation has a cost; one that has none is modelled by its measured time.
  virtual bool knows(const std::string& operation) const = 0;

  // The seconds that a rank spends in the operation in the mean; finite, not negative. Empty where the operation is not
  // known.
  virtual std::optional<double> time_s(const OperationLoad& load) const = 0;

  // The uncertainty of the cost: half the width of a 90 % interval over the value; 0 where unknown.
  virtual double relative_error(const std::string& operation) const = 0;

  // The equation for an operation, for people; empty when it is not known.
  virtual std::string formula(const std::string& operation) const = 0;

  // An explanation of how the load's cost is calculated, such as the algorithm that was chosen; empty where there is
  // none.
  virtual std::string explain(const OperationLoad&) const { return ""; }

  // One line for a report's provenance: "network.json (name)", "fitted to the measured times".
  virtual std::string description() const = 0;
};

// The time of one message of an MPI operation, from the shortest calls of all runs: call_s + bytes x byte_s.
struct MessageCost {
  double call_s = 0;
  double byte_s = 0;
  double least_bytes = 0;  // the size of the smallest message that it is known from
};

// An operation's form with its own coefficients, none negative, by least squares in relative error.
struct PaperForm {
  bool collective = false;
  // In seconds. Point to point: a of a byte, b of a message. Collectives: a of a call for each doubling of the
  // processes, b of a byte, c of a call.
  std::vector<double> coefficients;
  double relative_error = 0;  // half the width of a 90 % interval over the value
  size_t points = 0;          // measured times that it was fitted to
};

// The forms by operation. An operation without a positive time costs nothing.
std::map<std::string, PaperForm> paper_forms(std::span<const MeasuredCost> measured);

// A cost by these forms.
std::unique_ptr<CommunicationCost> fit_paper_forms(std::span<const MeasuredCost> measured);

}  // namespace scalediag::fit
