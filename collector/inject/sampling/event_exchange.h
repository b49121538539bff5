// The ranks of a node share one event a CPU: the first rank that asks opens the events and hands their descriptors to
// the others, over a socket that exists in memory only. An event lives as long as one process has it mapped, so that
// ranks go on reading after the first one has ended. A rank that asks after that becomes the new owner.
//
// Ranks share when they belong to the same run, user and PID namespace: samples have the process numbers of the
// namespace in which the event was opened.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "collector/inject/own_thread.h"
#include "core/raw/own_descriptor.h"

namespace scalediag::inject {

class EventExchange {
 public:
  EventExchange() = default;
  EventExchange(const EventExchange&) = delete;
  EventExchange& operator=(const EventExchange&) = delete;
  ~EventExchange() { stop(); }

  // Calls `use(cpu, descriptor)` for the event of each of `cpus`; the descriptor is valid during the call. Returns 0 or
  // an errno, also that of `use`, whose failure ends the calls. One thread at a time.
  template <class Use> int get(const std::string& run, uint64_t period_ns, const std::vector<uint32_t>& cpus, Use use) {
    std::vector<int> descriptors;
    int failed = find(run, period_ns, cpus, descriptors);
    for (size_t i = 0; i < cpus.size() && failed == 0; ++i) failed = use(cpus[i], descriptors[i]);
    if (!server_.runs()) close_all(descriptors);
    return failed;
  }

  // Whether this process hands out events.
  bool serves() const { return server_.runs(); }
  // Stops handing out events; those that were handed out go on.
  void stop();
  // Called in a child of fork, where the server's thread does not exist.
  void forget_after_fork();

 private:
  struct Event {
    uint32_t cpu = 0;
    raw::OwnDescriptor descriptor;
  };
  int find(const std::string& run, uint64_t period_ns, const std::vector<uint32_t>& cpus,
           std::vector<int>& descriptors);
  static void close_all(std::vector<int>& descriptors);
  int become_server(const std::string& name);
  int ask_server(const std::string& name, const std::vector<uint32_t>& cpus, std::vector<int>& descriptors);
  // The descriptors remain owned by this object.
  int open_events(const std::vector<uint32_t>& cpus, std::vector<int>& descriptors);
  static void* server_main(void* exchange);
  void serve(int client);
  void close_events();

  uint64_t period_ns_ = 0;
  std::string name_;
  std::mutex events_lock_;
  std::vector<Event> events_;  // opened by this process
  raw::OwnDescriptor listener_;
  OwnThread server_;
};

}  // namespace scalediag::inject
