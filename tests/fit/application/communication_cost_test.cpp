#include "fit/communication_cost.h"

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

TEST(PaperForms, KnowsOnlyWhatWasMeasured) {
  const auto cost = fit_paper_forms({});
  EXPECT_FALSE(cost->time_s({"MPI_Send", 2, 1, 1}));
}

TEST(PaperForms, TellsCollectivesFromPointToPoint) {
  for (const char* name :
       {"MPI_Bcast", "MPI_Iallreduce", "MPI_Alltoallv", "MPI_Barrier", "MPI_Comm_dup", "MPI_Neighbor_alltoall"}) {
    EXPECT_TRUE(is_collective(name)) << name;
  }
  for (const char* name : {"MPI_Send", "MPI_Waitall", "MPI_Sendrecv", "MPI_Get", "MPI_Reduce_local", "MPI_Comm_rank"}) {
    EXPECT_FALSE(is_collective(name)) << name;
  }
}

}  // namespace
}  // namespace scalediag::fit
