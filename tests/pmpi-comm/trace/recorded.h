// A recorder of traces and an MPI made of a few functions: a world of 4 ranks, of which this is rank 1.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "loggp/traces/trace_file.h"
#include "pmpi-comm/trace/trace_recorder.h"
#include "tests/loggp/traces/trace_bytes.h"

namespace scalediag::pmpi {
namespace {

constexpr uintptr_t kWorld = 100, kPair = 101, kSecondPair = 102, kInter = 103, kNoRequest = 600, kNoMessage = 601;
constexpr uintptr_t kByte = 10001, kInt = 10004;  // types: 10000 + size
constexpr int kProcNull = -2, kAny = -1;

int fake_type_size(uintptr_t type, int64_t* bytes) { return *bytes = static_cast<int64_t>(type - 10000), 0; }
int fake_size(uintptr_t comm, int* size) { return *size = comm == kWorld ? 4 : 2, 0; }
int fake_rank(uintptr_t, int* rank) { return *rank = 1, 0; }
int fake_inter(uintptr_t comm, int* flag) { return *flag = comm == kInter, 0; }
int fake_remote_size(uintptr_t, int* size) { return *size = 2, 0; }
int fake_group(uintptr_t comm, uintptr_t* group) { return *group = comm, 0; }
int fake_group_size(uintptr_t group, int* size) { return fake_size(group, size); }
// The pairs are the world ranks 3 and 1.
int fake_translate(uintptr_t from, int n, const int* ranks, uintptr_t, int* out) {
  const int pair[] = {3, 1};
  for (int i = 0; i < n; ++i) out[i] = from == kWorld ? ranks[i] : pair[ranks[i]];
  return 0;
}
int fake_group_free(uintptr_t*) { return 0; }

// Grids of one side: the world open, pairs closed.
int fake_topology(uintptr_t, int* kind) { return *kind = 1, 0; }
int fake_dimensions(uintptr_t, int* n) { return *n = 1, 0; }
int fake_shift(uintptr_t comm, int, int, int* below, int* above) {
  *below = 0;
  *above = comm == kWorld ? 2 : 0;
  return 0;
}

MpiLibrary fake_library() {
  MpiLibrary mpi;
  MpiFunctions& f = mpi.functions;
  f.type_size_x = fake_type_size;
  f.comm_size = fake_size;
  f.comm_rank = fake_rank;
  f.comm_test_inter = fake_inter;
  f.comm_remote_size = fake_remote_size;
  f.comm_group = f.comm_remote_group = fake_group;
  f.group_size = fake_group_size;
  f.group_translate_ranks = fake_translate;
  f.group_free = fake_group_free;
  f.topo_test = fake_topology;
  f.cartdim_get = fake_dimensions;
  f.cart_shift = fake_shift;
  MpiConstants& c = mpi.constants;
  c.family = MpiFamily::kOpenMpi;
  c.handle_bytes = 8;
  c.comm_world = kWorld;
  c.request_null = kNoRequest;
  c.message_no_proc = kNoMessage;
  c.proc_null = kProcNull;
  c.any_source = c.any_tag = kAny;
  c.in_place_c = 1;
  c.cart = 1;
  c.lock_shared = 2;
  c.status_ints = 6;
  c.status_tag_at = 1;
  c.status_cancelled_at = 3;
  c.status_cancelled_mask = ~0U;
  return mpi;
}

uintptr_t address(const void* p) { return reinterpret_cast<uintptr_t>(p); }
uintptr_t word(int n) { return static_cast<uintptr_t>(n); }

struct Status {
  int source = -7, tag = -7, error = 0, cancelled = 0;
  uint64_t count = 0;
};

class Recorded : public ::testing::Test, public TraceSink {
 protected:
  explicit Recorded(bool series = false, InstructionCounter* counter = nullptr)
      : mpi_(fake_library()), handles_(mpi_), recorder_(mpi_, *this, series, counter) {
    file_ = tests::prelude();
    recorder_.start({1, 4, "host", "app", "mpi"}, 1);
  }
  bool write(trace::ChunkKind kind, const std::string& payload) override {
    tests::add_chunk(file_, kind, payload);
    return true;
  }
  // `mpi` is the behaviour of MPI, given the arguments that it is called with.
  template <class Mpi>
  void call(uint32_t routine, std::vector<uintptr_t> values, Mpi mpi, bool succeeds = true) {
    const Arguments arguments(values.data(), Language::kC, Counts::kInt, mpi_);
    std::vector<uintptr_t> passed_on = values;
    recorder_.enter(routine, arguments, passed_on.data(), handles_, cache_);
    mpi(passed_on);
    recorder_.leave(routine, arguments, succeeds, handles_, cache_);
  }
  void call(uint32_t routine, const std::vector<uintptr_t>& values) {
    call(routine, values, [](const std::vector<uintptr_t>&) {});
  }
  void isend(uintptr_t* request, uintptr_t handle, int to, int tag = 5) {
    call(kIsend, {0, 10, kByte, word(to), word(tag), kWorld, address(request)},
         [&](const auto&) { *request = handle; });
  }
  void irecv(uintptr_t* request, uintptr_t handle, int from, int tag = 5) {
    call(kIrecv, {0, 10, kByte, word(from), word(tag), kWorld, address(request)},
         [&](const auto&) { *request = handle; });
  }
  void waitall(std::vector<uintptr_t>& requests) {
    call(kWaitall, {requests.size(), address(requests.data()), 0},
         [&](const auto&) { requests.assign(requests.size(), kNoRequest); });
  }

  // Every event as it stands in the file: "Isend to 2 10 B tag 5 request 0". A loop is "3 x {...}".
  std::string events() {
    recorder_.finish(trace::End::kFinalize, 1);
    tests::add_chunk(file_, trace::ChunkKind::kFooter, "");
    const auto parsed = loggp::parse_rank_trace(file_, "test");
    EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error().message);
    if (!parsed.ok()) return "";
    EXPECT_EQ(parsed.value().incomplete, "");
    trace_ = parsed.value();
    return text(trace_.steps);
  }
  std::string text(const std::vector<loggp::TraceStep>& steps) {
    std::string all;
    for (const loggp::TraceStep& step : steps) {
      if (!all.empty()) all += "; ";
      all += step.count != 0 ? std::to_string(step.count) + " x {" + text(step.body) + "}" : text(step.event);
    }
    return all;
  }
  std::string text(uint32_t number) {
    const loggp::TraceEvent& e = trace_.events[number];
    const std::string& name = trace_.routines[e.routine];
    std::string t = name.substr(0, 4) == "MPI_" ? name.substr(4) : name;
    const auto parts = [&](const char* what, const std::vector<std::pair<int, uint64_t>>& list) {
      for (const auto& [peer, bytes] : list) t += what + std::to_string(peer) + ":" + std::to_string(bytes);
    };
    const std::string message = " " + std::to_string(e.peer) + " " + std::to_string(e.bytes) + "B tag " +
                                std::to_string(e.tag) + " comm " + std::to_string(e.communicator);
    switch (e.kind) {
      case trace::EventKind::kIsend:
      case trace::EventKind::kIrecv:
        return t + message + " request " + std::to_string(e.request);
      case trace::EventKind::kRemote:
        return t + message + " request " + std::to_string(e.request);
      case trace::EventKind::kSendrecv:
        return t + message + " from " + std::to_string(e.source) + " " + std::to_string(e.source_bytes) + "B tag " +
               std::to_string(e.source_tag);
      case trace::EventKind::kWait:
        for (const uint32_t r : e.requests) t += " " + std::to_string(r);
        return t + (e.requests.empty() ? " all" : "");
      case trace::EventKind::kCollective:
        return t + " " + std::to_string(static_cast<int>(e.collective)) + " " + std::to_string(e.bytes) + "B root " +
               std::to_string(e.root) + " comm " + std::to_string(e.communicator);
      case trace::EventKind::kExchange:
        parts(" to ", e.sent);
        parts(" from ", e.received);
        return t;
      case trace::EventKind::kCollectiveBegins:
        return t + " begins";
      case trace::EventKind::kCommunicatorMade:
        return t + " made from " + std::to_string(e.communicator);
      case trace::EventKind::kDeviceBegins:
        return t + " begins";
      case trace::EventKind::kDeviceWait:
        return t + " waited";
      case trace::EventKind::kNotReplayed:
        return t + " not replayed " + std::to_string(static_cast<int>(e.reason));
      default:
        return t + message;
    }
  }

  MpiLibrary mpi_;
  Handles handles_;
  HandleCache cache_ = {};
  std::string file_;
  TraceRecorder recorder_;
  loggp::RankTrace trace_;
};

}  // namespace
}  // namespace scalediag::pmpi
