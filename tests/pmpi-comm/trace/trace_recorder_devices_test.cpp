// The events of waiting for GPUs in a trace, and of communication between them.
#include <gtest/gtest.h>

#include "tests/pmpi-comm/trace/recorded.h"

namespace scalediag::pmpi {
namespace {

class RecordedDevices : public Recorded {};

// What a device was waited for is before the event that ends it, whatever CPU time that took.
TEST_F(RecordedDevices, WaitingForADeviceIsTimeOfItsOwn) {
  for (int i = 0; i < 3; ++i) {
    recorder_.device_begins(7, "cudaStreamSynchronize");
    recorder_.device_waited(7, "cudaStreamSynchronize", 5'000'000, 0);  // a tick is 1 ns
  }
  EXPECT_EQ(events(), "3 x {cudaStreamSynchronize begins; cudaStreamSynchronize waited}");
  EXPECT_EQ(trace_.steps[0].body[1].before.total, 3 * 5'000'000U);
  EXPECT_EQ(trace_.steps[0].body[1].before.most, 5'000'000U);
  EXPECT_LT(trace_.steps[0].body[0].before.total, 5'000'000U);
}

// This is rank 1 of 4, and rank 1 of the pair {3, 1}.
TEST_F(RecordedDevices, CommunicationOfDevicesStandsWhereItWasWaitedFor) {
  using What = DeviceCommunication::What;
  call(kBarrier, {kPair});
  recorder_.device_communication({1, "ncclAllReduce", 900, 4, 1, What::kCollective, mpi::Collective::kAllreduce, -1, 400});
  recorder_.device_communication({2, "ncclBroadcast", 901, 2, 1, What::kCollective, mpi::Collective::kBcast, 0, 8});
  call(kBarrier, {kWorld});
  recorder_.device_begins(7, "cudaDeviceSynchronize");
  recorder_.device_waited(7, "cudaDeviceSynchronize", 5000, 3000);
  // The messages of a group are one event, in world ranks: those of the pair's rank 0 are rank 3's.
  recorder_.device_group(true);
  recorder_.device_communication({3, "ncclSend", 901, 2, 1, What::kSend, {}, 0, 16});
  recorder_.device_communication({4, "ncclRecv", 901, 2, 1, What::kReceive, {}, 0, 24});
  recorder_.device_group(false);
  recorder_.device_group(true);
  recorder_.device_communication({3, "ncclSend", 900, 4, 1, What::kSend, {}, 0, 8});
  recorder_.device_communication({3, "ncclSend", 900, 4, 1, What::kSend, {}, 2, 9});
  recorder_.device_group(false);
  // Its ranks are those of no communicator of MPI.
  recorder_.device_communication({1, "ncclAllReduce", 902, 3, 1, What::kCollective, mpi::Collective::kAllreduce, -1, 4});
  EXPECT_EQ(events(),
            "Barrier 0 0B root 0 comm 1; Barrier 0 0B root 0 comm 0; cudaDeviceSynchronize begins; "
            "cudaDeviceSynchronize waited; ncclAllReduce 3 400B root 0 comm 2; ncclBroadcast 1 8B root 0 comm 3; "
            "ncclRecv 3 16B tag 0 comm 3 from 3 24B tag 0; ncclSend to 0:8 to 2:9; ncclAllReduce not replayed 8");
  EXPECT_EQ(trace_.communicators[2].members, (std::vector<int>{}));
  EXPECT_EQ(trace_.communicators[3].members, (std::vector<int>{3, 1}));
  EXPECT_EQ(trace_.communicators[3].ordinal, 1U);  // one with these ranks came before
  EXPECT_EQ(trace_.steps[3].before.total, 2000U);  // without the 3000 ns of communication
}

}  // namespace
}  // namespace scalediag::pmpi
