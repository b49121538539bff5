// CUPTI's records: the fields that are read, wherever a version's records end. Their places are those of
// cupti_activity.h of CUDA 13.0, where CUpti_ActivityKernel4 has 144 bytes and CUpti_ActivityKernel10 has 216.
#include "collector/inject/gpu/device_activity.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

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

DeviceWork of(bool is_kernel, const std::string& name, uint32_t direction) {
  for (const DeviceWork& work : device_work()) {
    if (work.is_kernel == is_kernel && work.name == name && work.direction == direction) return work;
  }
  return {};
}

// What has been added since this was made: a process has one sum.
class Added {
 public:
  Added(bool is_kernel, std::string name, uint32_t direction)
      : is_kernel_(is_kernel), name_(std::move(name)), direction_(direction), before_(now()) {}
  uint64_t ns() const { return now().ns - before_.ns; }
  uint64_t count() const { return now().count - before_.count; }

 private:
  DeviceWork now() const { return of(is_kernel_, name_, direction_); }
  bool is_kernel_;
  std::string name_;
  uint32_t direction_;
  DeviceWork before_;
};

TEST(DeviceActivity, TimesAreAddedUpByKernelAndDirection) {
  const Added relax(true, "relax", 0), sum(true, "sum", 0), driver(true, "driver call", 0);
  const Added to_device(false, "", raw::kToDevice), on_device(false, "", raw::kOnDevice);
  EXPECT_TRUE(add_kernel(144, 10, "relax", 1000, 1700));
  EXPECT_TRUE(add_copy(1, 2000, 2050));
  EXPECT_TRUE(add_kernel(216, 10, "relax", 3000, 3200));
  EXPECT_TRUE(add_kernel(144, 3, "sum", 4000, 4001));
  EXPECT_TRUE(add_copy(8, 5000, 5010));
  EXPECT_TRUE(add_copy(1, 6000, 6005));
  EXPECT_TRUE(add_kernel(144, 10, "relax", 0, 0));  // not timed
  EXPECT_FALSE(add_kernel(144, 4, "driver call", 1, 2));
  EXPECT_EQ(relax.ns(), 900U);
  EXPECT_EQ(relax.count(), 2U);
  EXPECT_EQ(to_device.ns(), 55U);
  EXPECT_EQ(to_device.count(), 2U);
  EXPECT_EQ(sum.ns(), 1U);
  EXPECT_EQ(on_device.ns(), 10U);
  EXPECT_EQ(driver.count(), 0U);
}

}  // namespace
}  // namespace scalediag::inject::gpu
