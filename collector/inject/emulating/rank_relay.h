// A rank on another host than `scalediag emulate`: tells into memory of its own, which a thread sends to the reader
// over a connection (core/raw/event_relay.h).
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "collector/inject/own_thread.h"
#include "core/raw/event_relay.h"
#include "core/raw/own_descriptor.h"
#include "pmpi-comm/virtual_clock/event_stream.h"

namespace scalediag::inject {

class RankRelay : public pmpi::EventStream::Relay {
 public:
  using Say = std::function<void(const std::string& text)>;

  RankRelay() = default;
  RankRelay(const RankRelay&) = delete;
  RankRelay& operator=(const RankRelay&) = delete;
  // The thread has ended, or the object is never destroyed.
  ~RankRelay();

  // Connects by the ways of `address`, one of which has to lead to the emulation of that run, and starts the thread.
  // `key` is the text of stream::kKeyVariable. `say` prints what it is given behind the rank and its host, for the
  // reader: that the rank asks to join from these addresses of its host, and later, on the thread, that the program has
  // closed the connection. Returns an empty text, or why not; takes up to 7 s for each way that leads to nobody, and
  // some 20 s where nobody listens. May throw std::bad_alloc.
  std::string start(const std::string& address, const std::string& key, uint32_t rank, uint32_t ranks,
                    const std::string& host, const Say& say);
  // For the rank to tell into. After start().
  stream::Header& memory() { return *static_cast<stream::Header*>(memory_); }

  // In a child of fork, which would keep the connection open when the rank has died.
  void forget_after_fork();

  void ring() override;
  void computes_again() override;
  void finish() override;

 private:
  std::string connect(const std::string& ways, const raw::SipKey& key, const stream::Hello& hello,
                      stream::Welcome& welcome);
  bool make_memory(const stream::Welcome& welcome);
  static void* main(void* relay);
  void work();
  bool take_given();
  bool send_told(bool rings);

  raw::OwnDescriptor socket_;
  // A pipe: rung by the rank. (Events of eventfd cannot be told apart from others.)
  raw::OwnDescriptor bell_, bell_to_ring_;
  void* memory_ = nullptr;
  stream::LaneState sent_;
  std::atomic<bool> says_idle_{false};  // the reader was told that the rank does not compute
  Say say_;
  OwnThread thread_;
};

}  // namespace scalediag::inject
