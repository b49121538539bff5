// Messages of scaled traces that are sent and not received, or received and not sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace scalediag::loggp {

struct Unmatched {
  uint64_t messages = 0;
  std::string example;    // "sent from rank 0 to rank 3 with tag 7"
  std::string most;       // the operation that has most of them: "MPI_Isend of phase 3"; empty: not known
  std::string why_there;  // why they are not left out, a sentence without its full stop; empty: they are
};

// Counts in a fixed number of cells, by a hash of the message: memory does not grow with the ranks, and some of very
// many unmatched messages may cancel one another.
class MessageBalance {
 public:
  MessageBalance();
  // `balance` messages, which are sent or, below 0, received.
  void add(int from, int to, int tag, uint32_t communicator, int64_t balance);
  bool is_matched(int from, int to, int tag, uint32_t communicator) const {
    return cells_[cell_of(from, to, tag, communicator)].balance == 0;
  }
  // Counts those that `later` has, too, as if they had been added one after another.
  void add_all(const MessageBalance& later);
  Unmatched unmatched() const;
  // Removes up to `balance` messages, which are sent or, below 0, received, from those of their side that are too many,
  // and returns how many it removed.
  uint64_t take(int from, int to, int tag, uint32_t communicator, int64_t balance);

 private:
  struct Cell {
    int64_t balance = 0;
    int from = -1, to = 0, tag = 0;  // of the last one; from -1: there was none
  };
  size_t cell_of(int from, int to, int tag, uint32_t communicator) const;
  std::vector<Cell> cells_;
};

}  // namespace scalediag::loggp
