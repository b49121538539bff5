// The names of events.def and the encodings of their events, against libpfm4, by which PAPI counts native events.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collector/counters/events.h"

namespace scalediag::counters {
namespace {

// libpfm4's function as in its header; the library is loaded at run time, since it may be missing. It knows the
// processors of the architecture that it was built for.
class Libpfm {
 public:
  Libpfm() {
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);  // also other processors than this one
    library_ = dlopen("libpfm.so.4", RTLD_NOW);
    if (library_ == nullptr) return;
    encode_ = reinterpret_cast<Encode>(dlsym(library_, "pfm_get_event_encoding"));
    encode_for_perf_ = reinterpret_cast<EncodeForPerf>(dlsym(library_, "pfm_get_os_event_encoding"));
    const auto initialize = reinterpret_cast<int (*)()>(dlsym(library_, "pfm_initialize"));
    if (initialize == nullptr || initialize() != 0) encode_ = nullptr;
  }
  bool is_there() const { return encode_ != nullptr; }

  // The value of the register that selects the event; empty: there is no such event.
  std::optional<uint64_t> code(const std::string& event) const {
    constexpr int kUserMode = 8;
    uint64_t* codes = nullptr;
    int n = 0, index = 0;
    char* name = nullptr;
    const int failed = encode_(event.c_str(), kUserMode, &name, &index, &codes, &n);
    const std::optional<uint64_t> found = failed == 0 && n > 0 ? std::optional(codes[0]) : std::nullopt;
    std::free(name);
    std::free(codes);
    return found;
  }

  // Whether the kernel would be asked for the exact instruction of the event: PAPI encodes events in this way.
  bool asks_for_instruction(const std::string& event) const {
    constexpr int kUserMode = 8, kPerfWithExtensions = 2;
    perf_event_attr attributes{};
    char* name = nullptr;
    PerfArguments arguments{&attributes, &name, sizeof arguments, 0, 0, 0};
    const int failed = encode_for_perf_(event.c_str(), kUserMode, kPerfWithExtensions, &arguments);
    std::free(name);
    return failed == 0 && attributes.precise_ip == 1;
  }

 private:
  // pfm_perf_encode_arg_t
  struct PerfArguments {
    perf_event_attr* attributes;
    char** name;
    size_t bytes;
    int index, cpu, flags;
  };
  using EncodeForPerf = int (*)(const char*, int, int, void*);
  using Encode = int (*)(const char*, int, char**, int*, uint64_t**, int*);
  void* library_ = nullptr;
  Encode encode_ = nullptr;
  EncodeForPerf encode_for_perf_ = nullptr;
};

const Libpfm& libpfm() {
  static const Libpfm library;
  return library;
}

struct Processor {
  const char* name;    // libpfm4's
  const char* cycles;  // an event that it has if libpfm4 knows it
};
const std::vector<Processor> kSkylake = {{"skl", "UNHALTED_CORE_CYCLES"}, {"skx", "UNHALTED_CORE_CYCLES"}};
const std::vector<Processor> kIceLake = {{"icl", "UNHALTED_CORE_CYCLES"}, {"icx", "UNHALTED_CORE_CYCLES"}};
const std::vector<Processor> kRapids = {{"spr", "UNHALTED_CORE_CYCLES"}, {"gnr", "UNHALTED_CORE_CYCLES"}};
const std::vector<Processor> kZen2 = {{"amd64_fam17h_zen2", "CYCLES_NOT_IN_HALT"}};
const std::vector<Processor> kZen3 = {{"amd64_fam19h_zen3", "CYCLES_NOT_IN_HALT"}};
const std::vector<Processor> kZen45 = {{"amd64_fam19h_zen4", "CYCLES_NOT_IN_HALT"},
                                       {"amd64_fam1ah_zen5", "CYCLES_NOT_IN_HALT"}};
const std::vector<Processor> kNeoverseN1 = {{"arm_n1", "CPU_CYCLES"}};
const std::vector<Processor> kLaterNeoverse = {
    {"arm_n2", "CPU_CYCLES"}, {"arm_v1", "CPU_CYCLES"}, {"arm_v2", "CPU_CYCLES"}};

std::vector<Processor> together(std::vector<std::vector<Processor>> groups) {
  std::vector<Processor> all;
  for (const auto& group : groups) all.insert(all.end(), group.begin(), group.end());
  return all;
}

// The processors by the first column of events.def.
const std::map<std::string, std::vector<Processor>>& processors() {
  static const std::map<std::string, std::vector<Processor>> all = {
      {"Intel Skylake", kSkylake},
      {"Intel Skylake to Ice Lake", together({kSkylake, kIceLake})},
      {"Intel Skylake to Granite Rapids", together({kSkylake, kIceLake, kRapids})},
      {"Intel Ice Lake to Granite Rapids", together({kIceLake, kRapids})},
      {"Intel Sapphire and Granite Rapids", kRapids},
      {"AMD Zen 2", kZen2},
      {"AMD Zen 3", kZen3},
      {"AMD Zen 2 and 3", together({kZen2, kZen3})},
      {"AMD Zen 2 to 5", together({kZen2, kZen3, kZen45})},
      {"AMD Zen 3 to 5", together({kZen3, kZen45})},
      {"AMD Zen 4 and 5", kZen45},
      {"Arm Neoverse", together({kNeoverseN1, kLaterNeoverse})},
      {"Arm Neoverse N2, V1 and V2", kLaterNeoverse}};
  return all;
}

bool is_known(const Processor& p) { return libpfm().code(std::string(p.name) + "::" + p.cycles).has_value(); }

class EventEncodings : public testing::Test {
 protected:
  void SetUp() override {
    if (!libpfm().is_there()) GTEST_SKIP() << "there is no libpfm.so.4";
  }
};

TEST_F(EventEncodings, EveryNativeEventExistsOnEveryProcessorThatItsLineIsFor) {
  int compared = 0;
  for (const MetricFormula& line : metric_formulas()) {
    if (line.terms.front().event.starts_with("PAPI_")) continue;
    const auto known = processors().find(line.processors);
    ASSERT_NE(known, processors().end()) << line.processors;
    for (const Processor& processor : known->second) {
      if (!is_known(processor)) continue;
      for (const Term& term : line.terms) {
        ++compared;
        EXPECT_TRUE(libpfm().code(std::string(processor.name) + "::" + term.event))
            << processor.name << " " << term.event;
      }
    }
  }
  EXPECT_GT(compared, 0);
}

// Event select, unit mask, edge, inversion and counter mask. The expected numbers are those of the vendors' manuals.
TEST_F(EventEncodings, AreThoseOfTheManuals) {
  constexpr uint64_t kOfTheEvent = 0xff84ffff;
  struct Expected {
    const char* event;
    uint64_t select, unit_mask, counter_mask;
  };
  const Expected all[] = {{"skl::CYCLE_ACTIVITY:STALLS_MEM_ANY", 0xa3, 0x14, 20},
                          {"skx::EXE_ACTIVITY:BOUND_ON_STORES", 0xa6, 0x40, 0},
                          {"skx::CYCLE_ACTIVITY:STALLS_TOTAL", 0xa3, 0x04, 4},
                          {"icx::CYCLE_ACTIVITY:STALLS_MEM_ANY", 0xa3, 0x14, 20},
                          {"icx::EXE_ACTIVITY:BOUND_ON_STORES", 0xa6, 0x40, 2},
                          {"spr::EXE_ACTIVITY:BOUND_ON_LOADS", 0xa6, 0x21, 5},
                          {"spr::EXE_ACTIVITY:BOUND_ON_STORES", 0xa6, 0x40, 2},
                          {"spr::CYCLE_ACTIVITY:STALLS_TOTAL", 0xa3, 0x04, 4},
                          {"spr::FP_ARITH_INST_RETIRED:SCALAR", 0xc7, 0x03, 0},
                          {"spr::FP_ARITH_INST_RETIRED:128B_PACKED_DOUBLE", 0xc7, 0x04, 0},
                          {"spr::FP_ARITH_INST_RETIRED:4_FLOPS", 0xc7, 0x18, 0},
                          {"spr::FP_ARITH_INST_RETIRED:8_FLOPS", 0xc7, 0x60, 0},
                          {"spr::FP_ARITH_INST_RETIRED:512B_PACKED_SINGLE", 0xc7, 0x80, 0},
                          {"skx::FP_ARITH_INST_RETIRED:256B_PACKED_SINGLE:512B_PACKED_DOUBLE", 0xc7, 0x60, 0},
                          {"amd64_fam17h_zen2::DISPATCH_RESOURCE_STALL_CYCLES_1:LOAD_QUEUE_RSRC_STALL", 0xae, 0x02, 0},
                          {"amd64_fam17h_zen2::DISPATCH_RESOURCE_STALL_CYCLES_1:STORE_QUEUE_RSRC_STALL", 0xae, 0x04, 0},
                          {"amd64_fam19h_zen3::DISPATCH_RESOURCE_STALL_CYCLES_1:LOAD_QUEUE_RSRC_STALL", 0xae, 0x02, 0},
                          {"amd64_fam19h_zen3::DISPATCH_RESOURCE_STALL_CYCLES_1:STORE_QUEUE_RSRC_STALL", 0xae, 0x04, 0},
                          {"amd64_fam19h_zen4::CYCLES_NO_RETIRE:NOT_COMPLETE_MISSING_LOAD", 0xd6, 0xa2, 0},
                          {"amd64_fam19h_zen4::CYCLES_NO_RETIRE:NOT_COMPLETE_LOAD_AND_ALU", 0xd6, 0x02, 0},
                          {"arm_n1::STALL_BACKEND", 0x24, 0, 0},
                          {"arm_v1::STALL_BACKEND_MEM", 0x4005, 0, 0},
                          {"arm_v2::STALL_BACKEND_MEM", 0x4005, 0, 0}};
  int compared = 0;
  for (const Expected& e : all) {
    const std::string name = e.event;
    const bool is_arm = name.starts_with("arm_");
    const Processor processor{nullptr, is_arm                       ? "CPU_CYCLES"
                                       : name.starts_with("amd64_") ? "CYCLES_NOT_IN_HALT"
                                                                    : "UNHALTED_CORE_CYCLES"};
    if (!libpfm().code(name.substr(0, name.find("::")) + "::" + processor.cycles)) continue;
    const auto code = libpfm().code(name);
    ASSERT_TRUE(code) << name;
    EXPECT_EQ(*code & (is_arm ? 0xffff : kOfTheEvent), e.select | e.unit_mask << 8 | e.counter_mask << 24) << name;
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

// Intel's loads and stores are those that PEBS knows; no event of AMD, and none of Arm.
TEST_F(EventEncodings, OnlyIntelsMemoryInstructionsCanBeAskedForTheInstruction) {
  int compared = 0;
  for (const MetricFormula& line : metric_formulas()) {
    if (line.terms.front().event.starts_with("PAPI_")) continue;
    for (const Processor& processor : processors().at(line.processors)) {
      if (!is_known(processor)) continue;
      for (const Term& term : line.terms) {
        const bool of_memory = term.event.starts_with("MEM_LOAD_") || term.event.starts_with("MEM_INST_");
        const std::string name = std::string(processor.name) + "::" + term.event;
        EXPECT_FALSE(libpfm().asks_for_instruction(name)) << name;
        EXPECT_EQ(libpfm().asks_for_instruction(name + ":precise=1"), of_memory) << name;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 0);
}

}  // namespace
}  // namespace scalediag::counters
