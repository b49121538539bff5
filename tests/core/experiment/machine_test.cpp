#include "core/experiment/machine.h"

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

// The message of reading the example after `change`.
template <class Change>
std::string message_after(Change change) {
  Machine m = example_machine();
  change(m);
  const auto read = parse_machine(machine_to_text(m).value(), "m.json");
  if (read.ok()) return "no error";
  EXPECT_EQ(read.error().code, ErrorCode::kInput);
  EXPECT_EQ(read.error().hint, "measure again: scalediag machine -o m.json; docs/machine.md describes every field");
  return read.error().message;
}

TEST(Machine, WhatNoMachineHasIsRefusedNamingTheField) {
  EXPECT_EQ(message_after([](Machine& m) { m.caches[1].latency_s.value = 0; }),
            "m.json is damaged: caches[1].latency_s: 0 cannot be: expected seconds between 1e-11 and 0.001");
  // Nanoseconds and gigahertz, as people may write them.
  EXPECT_EQ(message_after([](Machine& m) { m.memory_latency_s.value = 100; }),
            "m.json is damaged: memory_latency_s: 100 cannot be: expected seconds between 1e-11 and 0.001");
  EXPECT_EQ(message_after([](Machine& m) { m.sustained_all_cores_hz.value = 3.5; }),
            "m.json is damaged: sustained_all_cores_hz: 3.5 cannot be: expected hertz between 1e+06 and 1e+11");
  EXPECT_NE(message_after([](Machine& m) { m.smallest_cpi.value = -1; }).find("smallest_cpi: -1"), std::string::npos);
  EXPECT_NE(message_after([](Machine& m) { m.bandwidth[1].bytes_per_s.value = 0; }).find("bandwidth[1].bytes_per_s"),
            std::string::npos);
  EXPECT_NE(message_after([](Machine& m) { m.line_bytes = 0; }).find("line_bytes"), std::string::npos);
  EXPECT_NE(message_after([](Machine& m) { m.caches[0].size_bytes.value = -1; }).find("caches[0].size_bytes"),
            std::string::npos);
}

TEST(Machine, LevelsThatCannotBeToldApartAreRefused) {
  // l2 takes 4 ns, the last level 16 ns, memory 100 ns.
  EXPECT_NE(message_after([](Machine& m) { m.caches[1].latency_s.value = 17e-9; }).find("latency of llc is not above"),
            std::string::npos);
  EXPECT_NE(message_after([](Machine& m) { m.memory_latency_s.value = 16e-9; }).find("latency of memory is not above"),
            std::string::npos);
  EXPECT_NE(message_after([](Machine& m) { m.caches[1].name = "l1"; }).find("two levels are called l1"),
            std::string::npos);
}

TEST(Machine, AMissingFileIsNamedWithTheCommandThatMakesIt) {
  const auto read = read_machine("/nonexistent/m.json");
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("/nonexistent/m.json"), std::string::npos);
  EXPECT_EQ(read.error().hint, "measure it: scalediag machine -o /nonexistent/m.json");
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

TEST(Machine, TimesOnAnotherOne) {
  Machine from = example_machine();
  from.sustained_all_cores_hz.value = 2e9;
  from.smallest_cpi.value = 0.5;
  from.memory_latency_s.value = 100e-9;
  from.bandwidth = {{1, {9e9, 0, ""}, 9e9}, {2, {10e9, 0, ""}, 10e9}};
  Machine to = from;
  to.sustained_all_cores_hz.value = 4e9;
  to.smallest_cpi.value = 0.25;
  to.memory_latency_s.value = 80e-9;
  to.bandwidth = {{8, {80e9, 0, ""}, 80e9}};
  const TimeRatios ratios = time_ratios(from, to);
  EXPECT_DOUBLE_EQ(ratios.instruction, 0.25);   // 0.0625 ns / 0.25 ns
  EXPECT_DOUBLE_EQ(ratios.memory_access, 0.8);  // 80 / 100
  EXPECT_DOUBLE_EQ(ratios.memory_byte, 0.5);    // 0.1 ns / 0.2 ns
  to.smallest_cpi.value = 0;
  to.bandwidth.clear();
  EXPECT_EQ(time_ratios(from, to).instruction, 0);
  EXPECT_EQ(time_ratios(from, to).memory_byte, 0);
}

}  // namespace
}  // namespace scalediag::core
