// CUPTI's records: the fields that are read, wherever a version's records end. Their places are those of
// cupti_activity.h of CUDA 13.0, where CUpti_ActivityKernel4 has 144 bytes and CUpti_ActivityKernel10 has 216.
#include "collector/inject/gpu/device_activity.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/raw/gpu_functions.h"

namespace scalediag::inject::gpu {
namespace {

template <class T> void put(std::vector<unsigned char>& record, size_t at, T value) {
  std::memcpy(record.data() + at, &value, sizeof value);
}
std::vector<unsigned char> record(size_t bytes, uint32_t kind, uint64_t begin_ns, uint64_t end_ns) {
  std::vector<unsigned char> made(bytes, 0xEE);  // fields that are not read have values too
  put(made, 0, kind);
  put(made, 16, begin_ns);
  put(made, 24, end_ns);
  return made;
}
bool add_kernel(size_t bytes, uint32_t kind, const char* name, uint64_t begin_ns, uint64_t end_ns) {
  auto made = record(bytes, kind, begin_ns, end_ns);
  put(made, 104, name);
  return add_activity(made.data());
}
bool add_copy(uint8_t way, uint64_t begin_ns, uint64_t end_ns) {
  auto made = record(64, 1, begin_ns, end_ns);
  put(made, 4, way);
  return add_activity(made.data());
}

TEST(DeviceActivity, TimesAreAddedUpByKernelAndDirection) {
  EXPECT_TRUE(add_kernel(144, 10, "relax", 1000, 1700));
  EXPECT_TRUE(add_copy(1, 2000, 2050));
  EXPECT_TRUE(add_kernel(216, 10, "relax", 3000, 3200));
  EXPECT_TRUE(add_kernel(144, 3, "sum", 4000, 4001));
  EXPECT_TRUE(add_copy(8, 5000, 5010));
  EXPECT_TRUE(add_copy(1, 6000, 6005));
  EXPECT_TRUE(add_kernel(144, 10, "relax", 0, 0));  // not timed
  EXPECT_FALSE(add_kernel(144, 4, "driver call", 1, 2));
  const std::vector<DeviceWork> work = device_work();
  ASSERT_EQ(work.size(), 4U);
  EXPECT_TRUE(work[0].is_kernel);
  EXPECT_EQ(work[0].name, "relax");
  EXPECT_EQ(work[0].ns, 900U);
  EXPECT_EQ(work[0].count, 2U);
  EXPECT_FALSE(work[1].is_kernel);
  EXPECT_EQ(work[1].direction, raw::kToDevice);
  EXPECT_EQ(work[1].ns, 55U);
  EXPECT_EQ(work[1].count, 2U);
  EXPECT_EQ(work[2].name, "sum");
  EXPECT_EQ(work[3].direction, raw::kOnDevice);
}

}  // namespace
}  // namespace scalediag::inject::gpu
