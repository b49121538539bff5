// Ranges of device memory, and the calls of MPI that are given them.
#include "pmpi-comm/device_memory.h"

#include <gtest/gtest.h>

#include <memory>

#include "core/mpi_routines.h"

namespace scalediag::pmpi {
namespace {

TEST(DeviceMemory, IsWhatWasAllocatedAndNotFreed) {
  const auto memory = std::make_unique<DeviceMemory>();
  EXPECT_TRUE(memory->is_empty());
  memory->add(1000, 100);
  memory->add(5000, 10);
  EXPECT_FALSE(memory->is_empty());
  EXPECT_TRUE(memory->contains(1000));
  EXPECT_TRUE(memory->contains(1099));
  EXPECT_FALSE(memory->contains(1100));
  EXPECT_FALSE(memory->contains(999));
  EXPECT_EQ(memory->remove(1000), 100U);
  EXPECT_EQ(memory->remove(1000), 0U);
  EXPECT_FALSE(memory->contains(1050));
  EXPECT_TRUE(memory->contains(5009));
  memory->add(5000, 20);  // given again, larger
  EXPECT_TRUE(memory->contains(5019));
  memory->remove(5000);
  EXPECT_FALSE(memory->contains(5000));
}

TEST(DeviceMemory, HoldsAsManyRangesAsThereIsRoomFor) {
  const auto memory = std::make_unique<DeviceMemory>();
  for (uintptr_t i = 1; i <= DeviceMemory::kMostRanges; ++i) memory->add(16 * i, 16);
  memory->add(1 << 30, 16);
  EXPECT_FALSE(memory->contains(1 << 30));
  EXPECT_TRUE(memory->contains(16 * DeviceMemory::kMostRanges));
  memory->remove(16);
  memory->add(1 << 30, 16);
  EXPECT_TRUE(memory->contains(1 << 30));
}

// A barrier's first argument is a communicator, whatever its number.
TEST(DeviceMemory, CallsAreCountedByTheirFirstBuffer) {
  const DeviceCalls &sent = device_calls(Origin::kDevice, mpi::kSend),
                    &copied = device_calls(Origin::kCopied, mpi::kSend),
                    &barrier = device_calls(Origin::kDevice, mpi::kBarrier);
  const uint64_t calls = sent.calls.load(), bytes = sent.bytes.load(), copies = copied.calls.load(),
                 barriers = barrier.calls.load();
  device_memory.add(4096, 4096);
  copied_memory.add(4100, 8192);  // what is the device's is no copy of it
  for (const uintptr_t buffer : {uintptr_t{4096}, uintptr_t{8191}, uintptr_t{8192}}) {
    note_device_buffer(mpi::kSend, buffer, 10);
    note_device_buffer(mpi::kBarrier, buffer, 0);
  }
  EXPECT_EQ(sent.calls.load() - calls, 2U);
  EXPECT_EQ(sent.bytes.load() - bytes, 20U);
  EXPECT_EQ(barrier.calls.load(), barriers);
  EXPECT_EQ(copied.calls.load() - copies, 1U);
  device_memory.remove(4096);
  copied_memory.remove(4100);
}

}  // namespace
}  // namespace scalediag::pmpi
