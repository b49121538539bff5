// Messages between ranks of a node that are replayed at the same time: their contents are not in the logs, which say
// whose they are. Each rank of a replay sends them to the others (node_exchange.h).
#include <unistd.h>

#include <numeric>

#include "pmpi-comm/replay/session.h"

namespace scalediag::pmpi {
namespace {

// FNV-1a.
uint64_t mixed(uint64_t hash, uint64_t with) {
  for (int byte = 0; byte < 8; ++byte, with >>= 8) hash = (hash ^ (with & 0xFF)) * 0x100000001B3U;
  return hash;
}

uint64_t hash_of(const std::vector<int>& members) {
  uint64_t hash = 0xCBF29CE484222325U;
  for (const int member : members) hash = mixed(hash, static_cast<uint64_t>(member));
  return hash;
}

}  // namespace

// Where `node` is 0, everything is in the logs.
void Session::share_messages(uint32_t node, int rank, int size) {
  if (node == 0) return;
  node_ = message_log::ranks_of_node(static_cast<uint32_t>(rank), node, static_cast<uint32_t>(size));
  std::vector<int> all(static_cast<size_t>(size));
  std::iota(all.begin(), all.end(), 0);
  name_comm(*comm_of(mpi_.constants().comm_world), all);
  name_comm(*comm_of(mpi_.comm_self), {rank});
  if (recording()) return;
  const std::string folder = host_->node_folder();
  if (folder.empty()) depart("the ranks of its node cannot meet: SCALEDIAG_NODE does not name a folder");
  const std::string failed =
      exchange_.join(folder, rank, static_cast<int>(node_.first), static_cast<int>(node_.size()));
  if (!failed.empty()) depart("the ranks of its node cannot meet: " + failed);
}

// All members know a communicator by who they are and by how many with the same members came before: on that they
// agree, since each takes part in making it.
void Session::name_comm(LoggedComm& comm, const std::vector<int>& members) {
  comm.members = hash_of(members);
  comm.id = new_comm_id(comm.members);
  std::vector<NodeRank>& ranks = node_ranks_[comm.id];
  for (size_t i = 0; i < members.size(); ++i) {
    if (node_.has(static_cast<uint32_t>(members[i]))) ranks.push_back({static_cast<int>(i), members[i]});
  }
}

uint64_t Session::new_comm_id(uint64_t members) { return mixed(members, comms_of_members_[members]++) | 1; }

// Of a communicator that was made, with its handle, or of one that will be and has the members of `comm`, without.
void Session::pass_members(LoggedComm& comm, uintptr_t handle) {
  if (!shares_messages() || comm.inter) return;
  if (recording() && handle == 0) {
    const std::vector<NodeRank> same = node_ranks_[comm.id];
    comm.id = new_comm_id(comm.members);
    node_ranks_[comm.id] = same;
  } else if (recording()) {
    std::vector<int> here(static_cast<size_t>(comm.size)), members(here.size());
    std::iota(here.begin(), here.end(), 0);
    uintptr_t group = 0, world = 0;
    mpi_.comm_group(handle, &group);
    mpi_.comm_group(mpi_.constants().comm_world, &world);
    mpi_.group_translate_ranks(group, comm.size, here.data(), world, members.data());
    mpi_.group_free(&group);
    mpi_.group_free(&world);
    name_comm(comm, members);
  }
  log_.pass(comm.id);
  std::vector<NodeRank>& ranks = node_ranks_[comm.id];
  uint64_t n = ranks.size();
  log_.pass_number(n);
  if (n > node_.size()) depart("call " + std::to_string(calls_) + " is damaged");
  ranks.resize(n);
  log_.pass_bytes(ranks.data(), n * sizeof(NodeRank));
}

// Its rank in MPI_COMM_WORLD; -1 where it is of another node.
int Session::node_rank(uint64_t comm, int rank) const {
  const auto found = node_ranks_.find(comm);
  if (found == node_ranks_.end()) return -1;
  for (const NodeRank& other : found->second) {
    if (other.rank == rank) return other.in_world;
  }
  return -1;
}

// The message that the call sends, or that Start will.
MessageTo Session::message_of(const Routine& row, const Arguments& a, const uintptr_t* values,
                              const LoggedComm* comm) const {
  MessageTo message;
  const Roles& at = row.roles;
  const bool sends = row.rule == Rule::kSend || row.rule == Rule::kPersistentSend;
  if (!shares_messages() || recording() || !sends || comm == nullptr || comm->id == 0) return message;
  message.to = node_rank(comm->id, a.integer(at.peer_at));
  message.channel = {comm->id, a.integer(at.tag_at)};
  const int64_t count = a.count(at.count_at);
  message.contents = {reinterpret_cast<char*>(values[0]), count, count > 0 ? a.type(at.type_at) : mpi_.byte};
  return message;
}

void Session::send(const MessageTo& message) {
  if (message.to < 0) return;
  Block block = message.contents;
  // A rank that has left needs none.
  if (make_bytes(block, mpi_)) {
    exchange_.send(message.to, message.channel, {block.at, static_cast<size_t>(block.count)});
  } else {
    exchange_.send(message.to, message.channel, packed(mpi_, block));
  }
}

// A receive of nothing is one, too.
void Session::add_empty_message(const Routine& row, const Arguments& a, const LoggedComm* comm,
                                std::vector<Block>& blocks) const {
  const Roles& at = row.roles;
  const bool receives =
      row.group == Group::kReceive || row.group == Group::kSendReceive || row.rule == Rule::kPersistentReceive;
  if (!shares_messages() || !receives || !blocks.empty() || (comm == nullptr && at.message_at < 0)) return;
  const int from_at = at.source_at >= 0 ? at.source_at : at.peer_at;
  if (from_at >= 0 && a.integer(from_at) == mpi_.constants().proc_null) return;
  blocks.push_back({nullptr, 0, mpi_.byte, true});
}

// What the receive of a call, or of Start, waits for.
ReceiveFrom Session::receive_of(const Routine& row, const Arguments& a, const LoggedComm* comm) const {
  const Roles& at = row.roles;
  if (!shares_messages() || comm == nullptr || comm->id == 0 || at.message_at >= 0) return {};
  return {comm->id, a.integer(at.source_at >= 0 ? at.source_at : at.peer_at),
          a.integer(at.source_tag_at >= 0 ? at.source_tag_at : at.tag_at)};
}

// While recording: its number in the order; 0 where it cannot meet a message of this node.
uint64_t Session::begin_receive(const ReceiveFrom& from) {
  if (!recording() || from.comm == 0) return 0;
  const bool is_any = from.source == mpi_.constants().any_source;
  if (!is_any && node_rank(from.comm, from.source) < 0) return 0;
  return order_.begin(from.comm, is_any ? std::nullopt : std::optional<int>(from.source),
                      from.tag == mpi_.constants().any_tag ? std::nullopt : std::optional<int>(from.tag));
}

// A matched probe has met the message; its receive only brings it.
void Session::note_probed(uintptr_t message, const LoggedComm* comm, const int* status) {
  if (!recording() || !shares_messages() || comm == nullptr || comm->id == 0) return;
  const MpiConstants& c = mpi_.constants();
  probed_[message] = begin_receive({comm->id, status[c.status_source_at], status[c.status_tag_at]});
}

uint64_t Session::probed(uintptr_t message) {
  const auto found = probed_.find(message);
  if (found == probed_.end()) return 0;
  const uint64_t number = found->second;
  probed_.erase(found);
  return number;
}

// Passes who sent the message of a block, where its contents are not in the log; false where they are. `is_whole`: all
// that came has its place in the block.
bool Session::pass_sender(Block& block, uint64_t elements, const int* status, bool is_whole) {
  if (!shares_messages() || !block.is_message) return false;
  uint64_t sender = 0;  // 0: the contents are in the log; else 1 + its rank
  uint64_t before = 0;
  NodeExchange::Channel channel;
  if (recording() && block.receive != 0 && status != nullptr) {
    const int source = status[mpi_.constants().status_source_at], tag = status[mpi_.constants().status_tag_at];
    channel = {order_.communicator_of(block.receive), tag};
    const int rank = is_cancelled(status) ? -1 : node_rank(channel.communicator, source);
    if (rank < 0) {
      order_.drop(block.receive);
    } else if (const auto place = order_.met(block.receive, source, tag); place && is_whole) {
      sender = 1 + static_cast<uint64_t>(rank);
      before = *place;
    }
    block.receive = 0;
  }
  log_.pass_number(sender);
  if (sender == 0) return false;
  log_.pass(channel.communicator);
  log_.pass(channel.tag);
  log_.pass_number(before);
  if (!recording() && log_.ok()) take_message(block, elements, static_cast<int>(sender - 1), channel, before);
  return true;
}

void Session::take_message(const Block& block, uint64_t elements, int from, const NodeExchange::Channel& channel,
                           uint64_t before) {
  const int64_t bytes = bytes_of(mpi_, static_cast<int64_t>(elements), block.type);
  Block as_bytes = block;
  NodeExchange::Place place;
  if (bytes > 0 && make_bytes(as_bytes, mpi_)) place = {as_bytes.at, static_cast<size_t>(bytes)};
  const auto contents = exchange_.receive(from, channel, before, place);
  const std::string sender = "rank " + std::to_string(from);
  if (!contents) {
    if (is_measured()) end_early();
    // Where that rank has failed, who started both ends this one as well, and tells the cause.
    sleep(5);
    depart(sender + " ended before it sent what call " + std::to_string(calls_) + " receives" +
           (last_event_ != 0 ? ": its iterations are not as long as those of this rank" : ""));
  }
  if (contents->is_placed) return;
  if (static_cast<int64_t>(contents->bytes) != bytes) {
    depart("call " + std::to_string(calls_) + " differs: the log has " + std::to_string(bytes) + " bytes from " +
           sender + ", which sent " + std::to_string(contents->bytes));
  }
  unpack(mpi_, block, contents->view());
}

}  // namespace scalediag::pmpi
