// Calls and peer traffic summed over threads, with the sums that changed since they were last written.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "core/raw/raw_records.h"
#include "pmpi-comm/call_table.h"

namespace scalediag::inject {

class CallTotals {
 public:
  // A flush is begin(), one add() a live thread, then the functions that append.
  void begin();
  void add(uint32_t thread_class, const pmpi::CallTable& table);
  // Keeps the counts of a thread that ends.
  void retire(uint32_t thread_class, const pmpi::CallTable& table);

  // Appends the new or changed payloads of kOperationNames, kCallSites, kOperations and kPeers. Each returns the number
  // of entries.
  uint32_t write_new_names(raw::Encoder& e);
  uint32_t write_new_sites(uint32_t epoch, raw::Encoder& e);
  uint32_t write_changed_operations(raw::Encoder& e);
  uint32_t write_changed_peers(raw::Encoder& e);

  uint64_t uncounted() const { return live_.uncounted; }
  uint64_t spawned() const { return live_.spawned; }  // processes

 private:
  struct Sums {
    std::map<raw::OperationKey, raw::OperationTotals> calls;
    std::map<raw::PeerKey, raw::PeerTotals> peers;
    uint64_t uncounted = 0;
    uint64_t spawned = 0;
    void add(uint32_t thread_class, const pmpi::CallTable& table);
  };
  Sums retired_;
  Sums live_;  // retired ones included
  std::map<raw::OperationKey, raw::OperationTotals> written_calls_;
  std::map<raw::PeerKey, raw::PeerTotals> written_peers_;
  std::set<uint32_t> written_names_;
  uint32_t written_sites_ = 0;
};

}  // namespace scalediag::inject
