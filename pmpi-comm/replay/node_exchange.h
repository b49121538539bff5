// The messages between ranks of a node that are replayed at the same time. Each two of them share memory, as ranks of
// MPI do: a ring for each direction, through which contents go in the order in which they are sent. A receive names its
// message by its place among those of the same communicator and tag. Everything happens inside calls of MPI: who waits,
// to receive or for room to send, takes in what the others send meanwhile.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
    bool operator==(const Channel& o) const { return communicator == o.communicator && tag == o.tag; }
  };

  // Of a message, in memory that is not set before it comes.
  struct Contents {
    std::unique_ptr<char[]> at;  // null where `is_placed`
    size_t bytes = 0;
    bool is_placed = false;  // they stand where the receive wanted them
    std::string_view view() const { return {at.get(), bytes}; }
  };

  // Where a receive wants `bytes` bytes, if its message has as many.
  struct Place {
    char* at = nullptr;
    size_t bytes = 0;
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
  // without sending it. Each message can be had once. What has not come yet goes straight to `place` where it fits.
  std::optional<Contents> receive(int from, const Channel& channel, uint64_t before, Place place);

  // This rank has done what it is replayed for, and goes on for the sake of the others.
  void be_done() { set_state(kDone); }
  // Whether all others have.
  bool are_all_done() const;

  // No more is sent or received.
  void leave();

 private:
  enum State : uint32_t { kBusy, kDone, kHasLeft };

  // What one rank sends to another, in the memory that both have. Bytes are counted from the first on.
  struct Ring {
    static constexpr size_t kBytes = size_t{1} << 18;
    alignas(64) std::atomic<uint64_t> written{0};
    alignas(64) std::atomic<uint64_t> taken{0};
    alignas(64) std::atomic<uint32_t> state{kBusy};  // of the rank that sends
    alignas(64) char bytes[kBytes];

    bool has_some() const { return written.load(std::memory_order_acquire) != taken.load(std::memory_order_relaxed); }
    bool has_room() const {
      return written.load(std::memory_order_relaxed) - taken.load(std::memory_order_acquire) < kBytes;
    }
    // Each as many bytes as can be had, `n` at most.
    size_t put(const char* from, size_t n);
    size_t take(char* to, size_t n);
  };
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
    Ring* rings = nullptr;  // the lower rank's, then the higher one's; null: this rank itself
    Ring* in = nullptr;
    Ring* out = nullptr;
    bool is_gone = false;  // it has left, and all that it sent was taken in
    // The message that is coming, where it goes, and how much of it has come, with its header.
    Header header;
    Contents contents;
    char* to = nullptr;
    size_t came = 0;
    std::map<Channel, Inbox> inboxes;
  };
  struct Awaited {
    const Peer* from = nullptr;
    Channel channel;
    uint64_t before = 0;
    Place place;
  };

  Peer* peer(int rank);
  void set_state(State state);
  // Takes over the descriptor of the memory; false where it cannot be had.
  bool share(Peer& with, int rank, int memory) const;
  std::string meet_later_ranks(const std::string& path, int listener);
  std::string meet(const std::string& path, int rank);
  bool write_all(Peer& to, const char* data, size_t bytes);
  void take_in(Peer& from);
  void begin_message(Peer& from);
  // Waits until something came, or `writes_to` has room or has left.
  void wait(const Peer* writes_to);
  bool is_something_there(const Peer* writes_to) const;
  static void put(Peer& from, const Header& header, Contents contents);

  int rank_ = -1, first_ = 0;
  std::vector<Peer> peers_;  // from first_ on, this rank among them
  Awaited awaited_;
};

}  // namespace scalediag::pmpi
