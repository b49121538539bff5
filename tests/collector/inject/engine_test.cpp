// The life of the engine under the interposed functions, with threads that come and go while it flushes. The thread
// sanitizer finds errors here that the end-to-end tests cannot show.
#include "collector/inject/engine.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "collector/merge/raw/raw_streams.h"

namespace scalediag::inject {
namespace {

constexpr int kRounds = 30;
constexpr int kThreads = 4;

void call(pmpi::ThreadState& state, uint64_t bytes) {
  pmpi::CallEntry* e = state.calls->call_entry(0, 1, raw::size_bin(bytes));
  ASSERT_NE(e, nullptr);
  e->calls.add(1);
  e->bytes.add(bytes);
  e->ticks.add(10);
  e->min_ticks.set(10);
  e->max_ticks.set(10);
}

// A thread of the application: it begins, calls MPI, has its ring drained by a wrapper, and ends.
void live_and_end(Engine& engine) {
  ThreadRecord* record = engine.begin_thread(raw::kOtherThread);
  ASSERT_NE(record, nullptr);
  for (int i = 0; i < 100; ++i) {
    call(*record, 8);
    engine.drain(*record);
  }
  engine.end_thread(record);
}

TEST(Engine, KeepsWhatThreadsCountedThatCameAndWent) {
  char folder[] = "/tmp/scalediag-engine-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  Engine& engine = Engine::get();
  engine.arm({folder, "", 1000, SamplerChoice::kAuto});
  engine.init_begin(__builtin_frame_address(0));
  engine.init_end(0, 1, "none");
  ASSERT_TRUE(pmpi::recording.load());
  for (int round = 0; round < kRounds; ++round) {
    std::thread threads[kThreads];
    for (std::thread& t : threads) t = std::thread([&engine] { live_and_end(engine); });
    call(*pmpi::this_thread, 1000);
    engine.before_unload();  // drains everything while the others run
    engine.after_unload();
    for (std::thread& t : threads) t.join();
  }
  engine.finalize_begin();
  EXPECT_FALSE(pmpi::recording.load());
  engine.finalize_end();
  engine.process_exit();

  const merge::RawFile file = merge::read_stream({std::string(folder) + "/rank000000.raw"}, {0, 0});
  EXPECT_EQ(file.state, merge::FileState::kFinished) << file.problem;
  ASSERT_EQ(file.records.size(), 1u);
  const merge::RankRecord& r = file.records[0];
  uint64_t main_calls = 0, other_calls = 0, other_bytes = 0;
  for (const auto& [key, totals] : r.operations) {
    if (key.thread_class == raw::kMainThread) main_calls += totals.calls;
    if (key.thread_class == raw::kOtherThread) {
      other_calls += totals.calls;
      other_bytes += totals.bytes;
    }
  }
  EXPECT_EQ(main_calls, static_cast<uint64_t>(kRounds));
  EXPECT_EQ(other_calls, static_cast<uint64_t>(kRounds * kThreads * 100));
  EXPECT_EQ(other_bytes, static_cast<uint64_t>(kRounds * kThreads * 100 * 8));
  for (const raw::Phase p : {raw::Phase::kLoad, raw::Phase::kInitBegin, raw::Phase::kInitEnd,
                             raw::Phase::kFinalizeBegin, raw::Phase::kFinalizeEnd, raw::Phase::kExit}) {
    EXPECT_TRUE(r.point(p).has_value()) << "phase " << static_cast<int>(p);
  }
#ifndef __SANITIZE_THREAD__  // it has a thread of its own that pthread_create does not make
  EXPECT_EQ(r.losses.unsampled_threads, 0u);
#endif
  EXPECT_GE(r.losses.threads, 2u);  // the main thread and at least one other, at most those of one round
  EXPECT_LE(r.losses.threads, static_cast<uint32_t>(kThreads + 1));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace scalediag::inject
