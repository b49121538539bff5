// The messages between ranks of a node that are replayed at the same time. Each two of them share a socket, through
// which contents go in the order in which they are sent; a receive names its message by its place among those of the
// same communicator and tag. Everything happens inside calls of MPI: who waits, to receive or for room to send, takes
// in what the others send meanwhile.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/raw/own_descriptor.h"

namespace scalediag::pmpi {

class NodeExchange {
 public:
  // Messages that keep their order.
  struct Channel {
    uint64_t communicator = 0;
    int64_t tag = 0;
    bool operator<(const Channel& o) const {
      return communicator != o.communicator ? communicator < o.communicator : tag < o.tag;
    }
  };

  // Of a message, in memory that is not set before it comes.
  struct Contents {
    std::unique_ptr<char[]> at;
    size_t bytes = 0;
    std::string_view view() const { return {at.get(), bytes}; }
  };

  NodeExchange() = default;
  ~NodeExchange() { leave(); }
  NodeExchange(const NodeExchange&) = delete;
  NodeExchange& operator=(const NodeExchange&) = delete;

  // Meets the ranks `first` to `first` + `n` - 1, of which `rank` is this one, in a folder that all of them were given.
  // Returns when all are there; else the reason why they cannot meet.
  std::string join(const std::string& folder, int rank, int first, int n);

  // A rank that has left gets nothing: false.
  bool send(int to, const Channel& channel, std::string_view contents);

  // The message that `before` others of the channel were sent before, once it has come; nothing if the sender has left
  // without sending it. Each message can be had once.
  std::optional<Contents> receive(int from, const Channel& channel, uint64_t before);

  // Whether the program has closed the connection to that rank.
  bool is_closed_here(int rank);

  // No more is sent or received.
  void leave();

 private:
  struct Header {
    uint64_t communicator = 0;
    int64_t tag = 0;
    uint64_t bytes = 0;
  };
  struct Inbox {
    uint64_t first = 0;  // place of the first of `messages`
    std::vector<std::optional<Contents>> messages;
  };
  struct Peer {
    raw::OwnDescriptor socket;
    // The message that is coming, and how much of it has come, with its header.
    Header header;
    Contents contents;
    size_t came = 0;
    std::map<Channel, Inbox> inboxes;
  };

  Peer* peer(int rank);
  std::string meet_later_ranks(const std::string& path, int listener);
  std::string meet(const std::string& path, int rank);
  bool write_all(Peer& to, const char* data, size_t bytes);
  void take_in(Peer& from);
  // Waits until something came, or `writes_to` has room.
  void wait(const Peer* writes_to);
  static void put(Peer& from, const Header& header, Contents contents);

  int rank_ = -1, first_ = 0;
  std::vector<Peer> peers_;  // from first_ on, this rank among them
};

}  // namespace scalediag::pmpi
