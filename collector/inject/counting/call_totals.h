// Calls and peer traffic summed over threads, with the sums that changed since they were last written.
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "core/raw/raw_format.h"
#include "pmpi-comm/call_table.h"

namespace scalediag::inject {

class CallTotals {
 public:
  // A flush is begin(), one add() a live thread, then write_changes().
  void begin();
  void add(uint32_t thread_class, const pmpi::CallTable& table);
  // Keeps the counts of a thread that ends.
  void retire(uint32_t thread_class, const pmpi::CallTable& table);

  // Appends the new or changed payloads of kOperationNames, kOperations and kPeers. Each returns the number of entries.
  uint32_t write_new_names(raw::Encoder& e);
  uint32_t write_changed_operations(raw::Encoder& e);
  uint32_t write_changed_peers(raw::Encoder& e);

  uint64_t uncounted() const { return live_.uncounted; }
  uint64_t spawned() const { return live_.spawned; }  // processes

 private:
  using CallKey = std::array<uint32_t, 4>;  // operation, thread class, communicator size, size bin
  struct CallSums {
    uint64_t calls = 0, bytes = 0, ticks = 0, min_ticks = UINT64_MAX, max_ticks = 0;
    void merge(const CallSums& o);
    bool operator!=(const CallSums& o) const { return calls != o.calls || bytes != o.bytes || ticks != o.ticks; }
  };
  using PeerKey = std::array<uint32_t, 2>;  // peer, direction
  struct PeerSums {
    uint64_t messages = 0, bytes = 0;
    void merge(const PeerSums& o);
    bool operator!=(const PeerSums& o) const { return messages != o.messages || bytes != o.bytes; }
  };
  struct Sums {
    std::map<CallKey, CallSums> calls;
    std::map<PeerKey, PeerSums> peers;
    uint64_t uncounted = 0;
    uint64_t spawned = 0;
    void add(uint32_t thread_class, const pmpi::CallTable& table);
  };
  Sums retired_;
  Sums live_;  // retired ones included
  std::map<CallKey, CallSums> written_calls_;
  std::map<PeerKey, PeerSums> written_peers_;
  std::map<uint32_t, bool> written_names_;
};

}  // namespace scalediag::inject
