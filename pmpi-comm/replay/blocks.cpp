#include "pmpi-comm/replay/blocks.h"

#include <algorithm>
#include <utility>

namespace scalediag::pmpi {
namespace {

struct TypeShape {
  int64_t size = 0;
  intptr_t extent = 0;
  intptr_t true_lower = 0;
  bool dense = false;
};

// Whether the type's elements stand in memory in its order, which is that of messages. A derived type without gaps may
// have another one.
bool is_in_order(const RealMpi& mpi, uintptr_t type) {
  int numbers = 0, addresses = 0, types = 0, how = 0;
  return mpi.type_get_envelope(type, &numbers, &addresses, &types, &how) == 0 && numbers + addresses + types == 0;
}

TypeShape shape_of(const RealMpi& mpi, uintptr_t type) {
  TypeShape shape;
  intptr_t lower = 0, true_extent = 0;
  if (mpi.type_size_x(type, &shape.size) != 0 || mpi.type_get_extent(type, &lower, &shape.extent) != 0 ||
      mpi.type_get_true_extent(type, &shape.true_lower, &true_extent) != 0) {
    return {};
  }
  shape.dense = shape.size == shape.extent && shape.size == true_extent && is_in_order(mpi, type);
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

KeptBlocks::KeptBlocks(std::vector<Block> blocks, const RealMpi& mpi) : blocks_(std::move(blocks)) {
  for (Block& block : blocks_) {
    uintptr_t copy = 0;
    if (make_bytes(block, mpi) || mpi.type_dup(block.type, &copy) != 0) continue;
    block.type = copy;
    types_.push_back(copy);
  }
}

void KeptBlocks::clear(const RealMpi& mpi) {
  for (uintptr_t& type : types_) mpi.type_free(&type);
  types_.clear();
  blocks_.clear();
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
    case Rule::kGet:
    case Rule::kGetAccumulate:
    case Rule::kOneElement:
      if (a.integer(at.peer_at) == mpi.constants().proc_null) return blocks;
      break;
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
    case Rule::kAlltoall: times = comm->remote_size; break;
    case Rule::kAllgatherv:
    case Rule::kAlltoallv:
    case Rule::kAlltoallw: arrays = comm->remote_size; break;
    case Rule::kNeighborUniform:
    case Rule::kNeighborAlltoallv:
    case Rule::kNeighborAlltoallw:
      arrays = comm->neighbors;
      times = comm->neighbors;
      break;
    default: break;
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
  block.count = times * (count_at < 0                           ? 1
                         : routine.rule == Rule::kReduceScatter ? a.count(count_at, comm->rank)
                                                                : a.count(count_at));
  block.type = a.type(type_at);
  block.is_message = is_message;
  if (block.count > 0) blocks.push_back(block);
  return blocks;
}

namespace {

// `pass` writes the elements' bytes, or else reads them.
void pass_elements(const RealMpi& mpi, const Block& block, int64_t count, bool writes,
                   const std::function<bool(char*, size_t)>& pass) {
  const TypeShape shape = count > 0 ? shape_of(mpi, block.type) : TypeShape();
  if (shape.size <= 0) return;
  if (shape.dense) {
    pass(block.at + shape.true_lower, static_cast<size_t>(count * shape.size));
    return;
  }
  // MPI_Pack counts bytes as ints, and the copy is kept small.
  const int64_t most = std::max<int64_t>(1, (int64_t{1} << 20) / shape.size);
  std::string packed;
  char* at = block.at;
  for (; count > 0; count -= most, at += most * shape.extent) {
    const auto n = static_cast<int>(std::min(count, most));
    packed.resize(static_cast<size_t>(n * shape.size));
    int position = 0;
    if (writes) mpi.pack(at, n, block.type, packed.data(), static_cast<int>(packed.size()), &position, mpi.comm_self);
    if (!pass(packed.data(), packed.size()) || writes) continue;
    mpi.unpack(packed.data(), static_cast<int>(packed.size()), &position, at, n, block.type, mpi.comm_self);
  }
}

}  // namespace

void pass_elements(CallLog& log, const RealMpi& mpi, const Block& block, int64_t count) {
  pass_elements(mpi, block, count, log.recording(), [&log](char* at, size_t n) {
    log.pass_bytes(at, n);
    return log.ok();
  });
}

std::string packed(const RealMpi& mpi, const Block& block) {
  std::string bytes;
  pass_elements(mpi, block, block.count, true, [&bytes](const char* at, size_t n) {
    bytes.append(at, n);
    return true;
  });
  return bytes;
}

void unpack(const RealMpi& mpi, const Block& block, std::string_view bytes) {
  const int64_t size = bytes_of(mpi, 1, block.type);
  if (size <= 0) return;
  pass_elements(mpi, block, std::min(block.count, static_cast<int64_t>(bytes.size()) / size), false,
                [&bytes](char* to, size_t n) {
                  std::copy_n(bytes.data(), n, to);
                  bytes.remove_prefix(n);
                  return true;
                });
}

}  // namespace scalediag::pmpi
