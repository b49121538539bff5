// Which of a sender's messages a receive met, found out while messages are received: MPI gives messages of one sender,
// communicator and tag to the receives that fit them in the order in which these began, however late they complete.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace scalediag::pmpi {

class MessageOrder {
 public:
  // A receive begins, from `source` with `tag`, each nothing where any will do. Gives its number, from 1.
  uint64_t begin(uint64_t communicator, std::optional<int> source, std::optional<int> tag);

  // It has met a message: how many messages of this sender, communicator and tag were met before in their order.
  // Nothing where that is not known yet, because a receive of any sender or tag that began earlier and is not complete
  // may have met one of them. Precondition: begin() gave the number, and neither this nor drop() was told it since.
  std::optional<uint64_t> met(uint64_t number, int source, int tag);

  // MPI_Cancel was called for it: until it is complete it is not known whether it has met a message.
  void doubt(uint64_t number);

  // It was cancelled, or met a message that is of no interest.
  void drop(uint64_t number) { open_.erase(number); }

  // It was let go, and nobody will know what it met. After one from any sender or with any tag nothing is known.
  void lose(uint64_t number);

  uint64_t communicator_of(uint64_t number) const { return open_.at(number).communicator; }

 private:
  struct Receive {
    uint64_t communicator = 0;
    std::optional<int> source, tag;
    bool is_doubtful = false;
  };
  struct Channel {
    uint64_t before = 0;          // receives that met one and began before all that are open
    std::vector<uint64_t> later;  // numbers of the others, ascending
  };

  uint64_t last_ = 0;
  bool is_lost_ = false;
  std::map<uint64_t, Receive> open_;
  std::map<std::tuple<uint64_t, int, int>, Channel> channels_;
};

}  // namespace scalediag::pmpi
