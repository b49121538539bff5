#include "pmpi-comm/replay/blocks.h"

#include <algorithm>

namespace scalediag::pmpi {
namespace {

struct TypeShape {
  int64_t size = 0;
  intptr_t extent = 0;
  intptr_t true_lower = 0;
  bool dense = false;
};

TypeShape shape_of(const RealMpi& mpi, uintptr_t type) {
  TypeShape shape;
  intptr_t lower = 0, true_extent = 0;
  if (mpi.type_size_x(type, &shape.size) != 0 || mpi.type_get_extent(type, &lower, &shape.extent) != 0 ||
      mpi.type_get_true_extent(type, &shape.true_lower, &true_extent) != 0) {
    return {};
  }
  shape.dense = shape.size == shape.extent && shape.size == true_extent;
  return shape;
}

// Where the blocks of an array of counts stand.
class BlockArray {
 public:
  BlockArray(const Routine& routine, const Arguments& a, const uintptr_t* values, const RealMpi& mpi)
      : routine_(routine), a_(a), values_(values) {
    if (!has_types()) extent_ = shape_of(mpi, a.type(routine.roles.recv_type_at)).extent;
  }

  Block operator[](int i) const {
    const Roles& at = routine_.roles;
    Block block;
    block.count = a_.count(at.recv_count_at, i);
    block.type = has_types() ? a_.type(at.recv_type_at, i) : a_.type(at.recv_type_at);
    block.at = reinterpret_cast<char*>(values_[at.recv_at]) + offset(i);
    return block;
  }

 private:
  bool has_types() const { return routine_.rule == Rule::kAlltoallw || routine_.rule == Rule::kNeighborAlltoallw; }
  // In elements, or in bytes where each block has its own type; MPI_Aint in MPI_Neighbor_alltoallw and large forms.
  int64_t offset(int i) const {
    const uintptr_t offsets = values_[routine_.roles.offsets_at];
    const int64_t n = routine_.rule == Rule::kNeighborAlltoallw || a_.has_large_counts()
                          ? reinterpret_cast<const int64_t*>(offsets)[i]
                          : reinterpret_cast<const int*>(offsets)[i];
    return has_types() ? n : n * extent_;
  }

  const Routine& routine_;
  const Arguments& a_;
  const uintptr_t* values_;
  intptr_t extent_ = 0;
};

}  // namespace

int64_t bytes_of(const RealMpi& mpi, int64_t count, uintptr_t type) {
  int64_t size = 0;
  return count > 0 && mpi.type_size_x(type, &size) == 0 && size > 0 ? count * size : 0;
}

bool make_bytes(Block& block, const RealMpi& mpi) {
  const TypeShape shape = shape_of(mpi, block.type);
  if (!shape.dense) return false;
  block.at += shape.true_lower;
  block.count *= shape.size;
  block.type = mpi.byte;
  return true;
}

std::vector<Block> received_blocks(const Routine& routine, const Arguments& a, const uintptr_t* values,
                                   const LoggedComm* comm, const RealMpi& mpi) {
  const Roles& at = routine.roles;
  std::vector<Block> blocks;
  if (at.recv_at < 0 || (at.comm_at >= 0 && comm == nullptr)) return blocks;
  // In an intercommunicator MPI_ROOT stands for the rank that is the root and MPI_PROC_NULL for those beside it.
  bool is_root = false, stands_by = false;
  if (at.root_at >= 0) {
    const int root = a.integer(at.root_at);
    is_root = root == (comm->inter ? mpi.constants().root : comm->rank);
    stands_by = comm->inter && root == mpi.constants().proc_null;
  }
  if (stands_by) return blocks;
  int64_t times = 1;  // the count, for blocks of one size that follow one another
  int arrays = 0;     // blocks with counts of their own
  bool is_message = false;
  switch (routine.rule) {
    case Rule::kSend:
    case Rule::kReceive:
    case Rule::kMatchedReceive:
    case Rule::kPersistentReceive: {
      is_message = true;
      const int from_at = at.source_at >= 0 ? at.source_at : at.peer_at;
      if (from_at >= 0 && a.integer(from_at) == mpi.constants().proc_null) return blocks;
      break;
    }
    case Rule::kBcast:
      if (is_root) return blocks;
      break;
    case Rule::kReduce:
      if (!is_root) return blocks;
      break;
    case Rule::kGather:
      if (!is_root) return blocks;
      times = comm->remote_size;
      break;
    case Rule::kGatherv:
      if (!is_root) return blocks;
      arrays = comm->remote_size;
      break;
    case Rule::kScatter:
    case Rule::kScatterv:
      if (a.in_place(at.recv_at) || (comm->inter && is_root)) return blocks;
      break;
    case Rule::kAllgather:
    case Rule::kAlltoall:
      times = comm->remote_size;
      break;
    case Rule::kAllgatherv:
    case Rule::kAlltoallv:
    case Rule::kAlltoallw:
      arrays = comm->remote_size;
      break;
    case Rule::kNeighborUniform:
    case Rule::kNeighborAlltoallv:
    case Rule::kNeighborAlltoallw:
      arrays = comm->neighbors;
      times = comm->neighbors;
      break;
    default:
      break;
  }
  if (at.offsets_at >= 0 && arrays == 0) return blocks;
  if (at.offsets_at >= 0) {
    const BlockArray array(routine, a, values, mpi);
    for (int i = 0; i < arrays; ++i) {
      if (const Block block = array[i]; block.count > 0) blocks.push_back(block);
    }
    return blocks;
  }
  const int count_at = at.recv_count_at >= 0 ? at.recv_count_at : at.count_at;
  const int type_at = at.recv_type_at >= 0 ? at.recv_type_at : at.type_at;
  Block block;
  block.at = reinterpret_cast<char*>(values[at.recv_at]);
  block.count = times * (routine.rule == Rule::kReduceScatter ? a.count(count_at, comm->rank) : a.count(count_at));
  block.type = a.type(type_at);
  block.is_message = is_message;
  if (block.count > 0) blocks.push_back(block);
  return blocks;
}

void pass_elements(CallLog& log, const RealMpi& mpi, const Block& block, int64_t count) {
  const TypeShape shape = shape_of(mpi, block.type);
  if (count <= 0 || shape.size <= 0) return;
  if (shape.dense) return log.pass_bytes(block.at + shape.true_lower, static_cast<size_t>(count * shape.size));
  // MPI_Pack counts bytes as ints, and the copy is kept small.
  const int64_t most = std::max<int64_t>(1, (int64_t{1} << 20) / shape.size);
  std::string packed;
  char* at = block.at;
  for (; count > 0; count -= most, at += most * shape.extent) {
    const auto n = static_cast<int>(std::min(count, most));
    packed.resize(static_cast<size_t>(n * shape.size));
    int position = 0;
    if (log.recording()) {
      mpi.pack(at, n, block.type, packed.data(), static_cast<int>(packed.size()), &position, mpi.comm_self);
    }
    log.pass_bytes(packed.data(), packed.size());
    if (!log.recording() && log.ok()) {
      mpi.unpack(packed.data(), static_cast<int>(packed.size()), &position, at, n, block.type, mpi.comm_self);
    }
  }
}

}  // namespace scalediag::pmpi
