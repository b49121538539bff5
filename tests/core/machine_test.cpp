#include "core/machine.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/core/example_machine.h"
#include "tests/core/temporary_folder.h"

namespace scalediag::core {
namespace {

TEST(Machine, IsReadAsItWasWritten) {
  const Machine before = example_machine();
  const auto text = machine_to_text(before);
  ASSERT_TRUE(text.ok());
  const auto after = parse_machine(text.value(), "m.json");
  ASSERT_TRUE(after.ok()) << after.error().message;
  // The text form names every field, so that equal texts are equal machines.
  EXPECT_EQ(machine_to_text(after.value()).value(), text.value());
  EXPECT_EQ(after.value().cache("llc")->latency_s.value, 16e-9);
  EXPECT_EQ(after.value().bandwidth[1].best_bytes_per_s, 5.2e10);
  EXPECT_EQ(after.value().latency_curve, before.latency_curve);
}

TEST(Machine, CutAnywhereIsRefused) {
  const std::string text = machine_to_text(example_machine()).value();
  // Without its last newline it is still whole.
  for (size_t n = 0; n + 1 < text.size(); ++n) EXPECT_FALSE(parse_machine(text.substr(0, n), "m.json").ok()) << n;
}

TEST(Machine, NewerVersionIsRefusedNamingBoth) {
  std::string text = machine_to_text(example_machine()).value();
  const std::string schema = "scalediag-machine/1";
  text.replace(text.find(schema), schema.size(), "scalediag-machine/2");
  const auto machine = parse_machine(text, "m.json");
  ASSERT_FALSE(machine.ok());
  EXPECT_NE(machine.error().message.find('2'), std::string::npos);
  EXPECT_NE(machine.error().message.find('1'), std::string::npos);
}

TEST(Machine, LatencyOfZeroIsRefusedNamingTheField) {
  Machine m = example_machine();
  m.caches[1].latency_s.value = 0;
  const auto read = parse_machine(machine_to_text(m).value(), "m.json");
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("caches[1].latency_s"), std::string::npos) << read.error().message;
}

TEST(Machine, WhatIsNotFiniteIsNotWritten) {
  Machine m = example_machine();
  m.memory_latency_s.value = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(machine_to_text(m).ok());
}

TEST(Machine, AnotherNameCpuOrNumberOfCoresIsAnotherHost) {
  const Host host = example_machine().host;
  EXPECT_TRUE(same_host(host, host));
  Host other = host;
  other.kernel = "Linux 6.2";  // an update of the kernel changes no latency
  EXPECT_TRUE(same_host(host, other));
  other.name = "node2";
  EXPECT_FALSE(same_host(host, other));
  other = host;
  other.cores = 2;
  EXPECT_FALSE(same_host(host, other));
}

}  // namespace
}  // namespace scalediag::core
