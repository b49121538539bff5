#include "core/parallel.h"

#include <gtest/gtest.h>

#include <stdexcept>
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

}  // namespace
}  // namespace scalediag::core
