// What a call receives, as blocks of memory: where they stand follows from the routine's row in core/mpi_routines.def
// and the call's arguments.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pmpi-comm/arguments.h"
#include "pmpi-comm/replay/call_log.h"
#include "pmpi-comm/replay/real_mpi.h"

namespace scalediag::pmpi {

// What is known of a communicator of the recorded run.
struct LoggedComm {
  int64_t number = 0;  // in the order in which the rank got to know them
  int rank = 0, size = 0;
  int remote_size = 0;  // of the group that messages go to: the same one, but in an intercommunicator
  bool inter = false;
  int neighbors = 0;     // that a neighbourhood collective receives from
  uint64_t id = 0;       // the same for all its ranks; 0: its messages are all in the log
  uint64_t members = 0;  // a checksum of who they are; while recording
};

struct Block {
  char* at = nullptr;
  int64_t count = 0;
  uintptr_t type = 0;
  bool is_message = false;  // the status tells how much of it came
  bool is_read = false;     // of a file: whether it was cancelled is not in the status, which MPICH leaves as it was
  uint64_t receive = 0;     // of a message, while recording: the receive's number in message_order.h; 0: has none
};

// Bytes of `count` elements; 0 for no elements, whose type is not looked at.
int64_t bytes_of(const RealMpi& mpi, int64_t count, uintptr_t type);

// The blocks that a call receives, once it is complete. `comm` is nullptr for routines without a communicator.
std::vector<Block> received_blocks(const Routine& routine, const Arguments& a, const uintptr_t* values,
                                   const LoggedComm* comm, const RealMpi& mpi);

// Passes the first `count` elements of a block through the log, in the order of their type and without its gaps.
void pass_elements(CallLog& log, const RealMpi& mpi, const Block& block, int64_t count);

// The same for what is no log: the elements of a block as bytes, and elements that were bytes. Of the block as many
// are set as there are.
std::string packed(const RealMpi& mpi, const Block& block);
void unpack(const RealMpi& mpi, const Block& block, std::string_view bytes);

// The same block as bytes, where its type has no gaps; false where it has.
bool make_bytes(Block& block, const RealMpi& mpi);

// Blocks that are filled later: the application may free their types before. Copies share the types; clear() frees
// them.
class KeptBlocks {
 public:
  KeptBlocks() = default;
  KeptBlocks(std::vector<Block> blocks, const RealMpi& mpi);
  void clear(const RealMpi& mpi);
  // Of the messages among them.
  void set_receive(uint64_t number) {
    for (Block& block : blocks_) block.receive = number;
  }
  bool empty() const { return blocks_.empty(); }
  std::vector<Block>::iterator begin() { return blocks_.begin(); }
  std::vector<Block>::iterator end() { return blocks_.end(); }

 private:
  std::vector<Block> blocks_;
  std::vector<uintptr_t> types_;  // ours
};

}  // namespace scalediag::pmpi
