#include "fit/application/communication_cost.h"

#include <gtest/gtest.h>

#include <cmath>

namespace scalediag::fit {
namespace {

TEST(PaperForms, PointToPointIsLatencyAndBytes) {
  // 2 us a message, 1 ns a byte.
  std::vector<MeasuredCost> measured;
  for (const int np : {2, 4, 8, 16}) {
    const OperationLoad load{"MPI_Send", static_cast<double>(np), 100, 1e6 / np};
    measured.push_back({load, 100 * 2e-6 + 1e6 / np * 1e-9});
  }
  const auto cost = fit_paper_forms(measured);
  // 100 messages of 10 bytes: 200 us and 1 us.
  EXPECT_NEAR(*cost->time_s({"MPI_Send", 1024, 100, 1000}), 201e-6, 1e-9);
}

TEST(PaperForms, CollectivesGrowWithTheLogarithm) {
  std::vector<MeasuredCost> measured;
  for (const int np : {2, 4, 8, 16}) {
    measured.push_back({{"MPI_Allreduce", static_cast<double>(np), 10, 80}, 10 * (3e-6 * std::log2(np) + 1e-6)});
  }
  const auto cost = fit_paper_forms(measured);
  EXPECT_NEAR(*cost->time_s({"MPI_Allreduce", 1024, 10, 80}), 10 * (30e-6 + 1e-6), 1e-9);
}

TEST(PaperForms, HaveTheirCoefficientsBySource) {
  // 10 calls of 80 + 8 np bytes: 3 us a doubling, 1 ns a byte, 2 us a call. Of the send, whose time is 0 everywhere, no
  // coefficient is known to be more than that.
  std::vector<MeasuredCost> measured;
  for (const int np : {2, 4, 8, 16, 32}) {
    const double bytes = 10 * (80 + 8.0 * np);
    measured.push_back(
        {{"MPI_Allreduce", static_cast<double>(np), 10, bytes}, 10 * (3e-6 * std::log2(np) + 2e-6) + 1e-9 * bytes});
    measured.push_back({{"MPI_Send", static_cast<double>(np), 10, 80}, 0});
  }
  const auto forms = paper_forms(measured);
  const PaperForm& reduce = forms.at("MPI_Allreduce");
  EXPECT_TRUE(reduce.collective);
  ASSERT_EQ(reduce.coefficients.size(), 3u);
  EXPECT_NEAR(reduce.coefficients[0], 3e-6, 1e-9);
  EXPECT_NEAR(reduce.coefficients[1], 1e-9, 1e-11);
  EXPECT_NEAR(reduce.coefficients[2], 2e-6, 1e-9);
  EXPECT_EQ(reduce.points, 5u);
  EXPECT_EQ(forms.at("MPI_Send").coefficients, std::vector<double>({0, 0}));
  EXPECT_EQ(forms.at("MPI_Send").points, 0u);
}

TEST(PaperForms, KnowsOnlyWhatWasMeasured) {
  const auto cost = fit_paper_forms({});
  EXPECT_FALSE(cost->time_s({"MPI_Send", 2, 1, 1}));
}

// A call of 8 ranks of 800 bytes each: 7 blocks of 100 bytes leave a rank; 7 x 800 bytes come in log2 8 messages; or 3
// messages of 800 bytes down a tree.
TEST(Transfer, HasWhatEveryAlgorithmMoves) {
  const auto moves = [](const std::string& operation, double messages, double bytes) {
    const Transfer call = transfer_of_call(operation, 8, 800);
    EXPECT_NEAR(call.messages, messages, 1e-12) << operation;
    EXPECT_NEAR(call.bytes, bytes, 1e-9) << operation;
  };
  moves("MPI_Send", 1, 800);
  moves("MPI_Alltoallv", 7, 700);
  moves("MPI_Iallgather", 3, 5600);
  moves("MPI_Bcast", 3, 2400);
}

// A message of 1 ms and 1 MB: twice as many with half the bytes take between half and twice as long, whatever of the
// millisecond is the message's own. 100 calls of them take 100 x 0.5 ms at least.
TEST(Transfer, CostLiesBetweenThatOfMessagesAndOfBytes) {
  const RelativeCost cost = relative_cost({2, 5e5}, {1, 1e6});
  EXPECT_EQ(cost.least, 0.5);
  EXPECT_EQ(cost.most, 2);
  EXPECT_EQ(relative_cost({2, 8000}, {1, 0}).least, 2);
  EXPECT_TRUE(std::isinf(relative_cost({2, 8000}, {1, 0}).most));
  // Of short messages only their number counts.
  EXPECT_EQ(relative_cost({2, 8}, {1, 400}).least, 2);
  EXPECT_EQ(relative_cost({2, 800}, {1, 0}).most, 2);
  const FastestCall known{{1, 1e6}, 1e-3};
  EXPECT_NEAR(least_time(std::span(&known, 1), {"MPI_Send", 8, 100, 100 * 5e5}), 0.05, 1e-12);
  EXPECT_EQ(least_time({}, {"MPI_Send", 8, 100, 100}), 0);
}

// 100 calls of 8 bytes took 1 ms on 16 ranks. 200 of them on 64 take at most 2 x 4 x 5 ms; larger ones are bounded by
// their bytes where the measured ones were large, else by nothing.
TEST(MostTime, GrowsWithTheLoadAndTheRanks) {
  const std::vector<MeasuredCost> short_calls = {{{"MPI_Allreduce", 16, 100, 800}, 1e-3}};
  EXPECT_NEAR(most_time(short_calls, {"MPI_Allreduce", 64, 200, 1600}, 4), 40e-3, 1e-12);
  const std::vector<MeasuredCost> long_calls = {{{"MPI_Send", 16, 100, 1e6}, 1e-3}};
  EXPECT_NEAR(most_time(long_calls, {"MPI_Send", 64, 100, 3e6}, 4), 60e-3, 1e-12);
  EXPECT_TRUE(std::isinf(most_time({{{{"MPI_Send", 16, 100, 0}, 1e-3}}}, {"MPI_Send", 64, 100, 1e6}, 4)));
  EXPECT_TRUE(std::isinf(most_time({}, {"MPI_Send", 64, 100, 1e6}, 4)));
}

}  // namespace
}  // namespace scalediag::fit
