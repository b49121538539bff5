#include "core/parallel.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

namespace scalediag::core {
namespace {

TEST(InParallel, VisitsEveryIndexOnce) {
  for (const unsigned threads : {0U, 1U, 2U, 7U}) {
    for (const size_t count : {size_t{0}, size_t{1}, size_t{63}, size_t{64}, size_t{1000}}) {
      std::vector<int> visits(count, 0);
      in_parallel(count, threads, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; i++) visits[i] += 1;
      });
      EXPECT_EQ(visits, std::vector<int>(count, 1)) << threads << " threads";
    }
  }
}

TEST(InParallel, PassesAnExceptionOn) {
  const auto fails = [](size_t begin, size_t end) {
    if (begin <= 500 && 500 < end) throw std::runtime_error("one piece failed");
  };
  EXPECT_THROW(in_parallel(1000, 4, fails), std::runtime_error);
}

TEST(InParallel, FewThatAreWorthAThreadEachAreDivided) {
  std::vector<int> visits(3, 0);
  const auto visit = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) visits[i] += 1;
  };
  in_parallel(3, 2, visit, 1);
  EXPECT_EQ(visits, std::vector<int>(3, 1));
}

// Threads whose stack has no room cannot be made.
class NoThreads : public ::testing::Test {
 protected:
  NoThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge;
    pthread_attr_init(&huge);
    pthread_attr_setstacksize(&huge, size_t{1} << 60);
    pthread_setattr_default_np(&huge);
    pthread_attr_destroy(&huge);
  }
  ~NoThreads() override {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }

 private:
  pthread_attr_t before_{};
};

TEST_F(NoThreads, TheCallingThreadDoesAllTheWork) {
  EXPECT_THROW(std::thread([] {}).join(), std::system_error);
  const auto own = [] { return std::this_thread::get_id(); };
  EXPECT_EQ(std::async(beside_if(true), own).get(), own());
  std::vector<std::thread::id> by(1000);
  in_parallel(1000, 4, [&](size_t begin, size_t end) { std::fill(by.begin() + begin, by.begin() + end, own()); });
  EXPECT_EQ(by, std::vector(1000, own()));
}

}  // namespace
}  // namespace scalediag::core
