// Reads SimGrid's time-independent traces: a line an action, "<rank> <action> <arguments>", all ranks in one file or a
// file a rank, named by a file with one name a line.
//
//   compute FLOPS           sleep SECONDS            init [0|1]         finalize
//   send|recv|isend|irecv PEER TAG COUNT [TYPE]      (older traces have no TAG)
//   wait SRC DST TAG        waitall                  test               (test takes no time: its wait tells the rest)
//   barrier                 bcast COUNT [ROOT [TYPE]]
//   reduce COUNT FLOPS [ROOT [TYPE]]                 allreduce COUNT FLOPS [TYPE]
//   gather|allgather|scatter SEND RECV [ROOT] [TYPE [TYPE]]            alltoall SEND RECV [TYPE [TYPE]]
//   gatherv, allgatherv, scatterv, alltoallv, reducescatter: calculated with the mean of their blocks
//   comm_size, comm_split, comm_dup, location: have no duration
//
// COUNT is in elements; TYPE is SimGrid's number of a datatype (0 double, 1 int, 2 char, ...), and without it elements
// are of 1 byte, or of 8 where init had an argument.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "loggp/simulator/program.h"

namespace scalediag::loggp {

class TitReader {
 public:
  explicit TitReader(double flops_per_s) : flops_per_s_(flops_per_s) {}

  // Error (kInput): names file, line and the problem.
  Status add(std::string_view text, const std::string& file);
  // The program of all ranks. Error: there are none, some between them are missing, or one has an init and no finalize.
  Result<ListProgram> finish();

 private:
  struct OpenRequest {
    int from, to, tag;
    uint32_t group;
  };
  struct VCollective {
    size_t op = 0;  // in the rank's operations
    Collective kind = Collective::kAlltoall;
    uint64_t element_bytes = 1;
    std::vector<double> arguments;
  };
  struct Rank {
    bool seen = false;
    bool began = false;  // it has an init, so that it has to end with finalize
    bool finalized = false;
    uint64_t element_bytes = 1;
    uint32_t n_requests = 0;
    std::vector<Op> ops;
    std::vector<OpenRequest> open;
    std::vector<VCollective> v_collectives;
  };
  struct Line;

  Rank& rank(size_t number);
  bool add_action(Line& line);
  bool add_message(Line& line, Rank& rank, OpKind kind);
  bool add_wait(Line& line, Rank& rank);
  bool add_collective(Line& line, Rank& rank);
  bool add_v_collective(Line& line, Rank& rank);
  void add_flops(Rank& rank, double flops);
  Status resolve_v_collectives();

  double flops_per_s_;
  std::vector<Rank> ranks_;
};

// Whether the first line is an action: "<number> <word> ...".
bool looks_like_tit(std::string_view text);

}  // namespace scalediag::loggp
