#include "collector/inject/settings.h"

#include <cstdlib>
#include <cstring>

#include "collector/inject/writing/node_place.h"
#include "core/raw/event_relay.h"

namespace scalediag::inject {
namespace {

SamplerChoice parse_sampler(const char* text) {
  if (text == nullptr) return SamplerChoice::kAuto;
  if (std::strcmp(text, "cpus") == 0) return SamplerChoice::kCpus;
  if (std::strcmp(text, "perf") == 0) return SamplerChoice::kPerf;
  if (std::strcmp(text, "timer") == 0) return SamplerChoice::kTimer;
  if (std::strcmp(text, "none") == 0) return SamplerChoice::kNone;
  return SamplerChoice::kAuto;
}

}  // namespace

Settings read_settings() {
  Settings s;
  if (const char* directory = std::getenv("SCALEDIAG_DIRECTORY")) s.directory = directory;
  if (const char* stamp = std::getenv("SCALEDIAG_STAMP")) s.stamp = stamp;
  if (const char* rate = std::getenv("SCALEDIAG_RATE_HZ")) {
    const double hz = std::strtod(rate, nullptr);
    if (hz >= 1 && hz <= 10000) s.rate_hz = hz;
  }
  s.sampler = parse_sampler(std::getenv("SCALEDIAG_SAMPLER"));
  if (const char* events = std::getenv("SCALEDIAG_EVENTS")) s.events = events;
  if (const char* period = std::getenv("SCALEDIAG_PERIOD")) s.overflow_period = std::strtoull(period, nullptr, 10);
  if (const char* bytes = std::getenv("SCALEDIAG_CALL_PATHS")) s.stack_bytes = std::strtoull(bytes, nullptr, 10);
  if (const char* trace = std::getenv("SCALEDIAG_TRACE")) {
    s.trace = true;
    s.trace_series = std::strcmp(trace, "series") == 0;
  }
  if (const char* most = std::getenv("SCALEDIAG_RANK_FILES")) s.most_rank_files = std::atoi(most);
  if (const char* scratch = std::getenv("SCALEDIAG_SCRATCH")) s.scratch = scratch_folder(scratch);
  if (const char* rounds = std::getenv("SCALEDIAG_ROUNDS")) s.rounds = rounds;
  if (const char* gpu = std::getenv("SCALEDIAG_GPU")) {
    s.gpu = std::strcmp(gpu, "none") == 0       ? gpu::Mode::kOff
            : std::strcmp(gpu, "events") == 0   ? gpu::Mode::kEvents
            : std::strcmp(gpu, "activity") == 0 ? gpu::Mode::kActivity
                                                : gpu::Mode::kHost;
  }
  if (const char* emulation = std::getenv("SCALEDIAG_EMULATION")) s.emulation = emulation;
  if (const char* key = std::getenv(stream::kKeyVariable)) s.emulation_key = key;
  if (const char* openmp = std::getenv("SCALEDIAG_OPENMP")) s.parallel_regions = std::strcmp(openmp, "off") != 0;
  return s;
}

void restore_environment() {
  const char* before = std::getenv("SCALEDIAG_USER_PRELOAD");
  if (before != nullptr && *before != '\0') {
    setenv("LD_PRELOAD", before, 1);
  } else {
    unsetenv("LD_PRELOAD");
  }
  unsetenv("SCALEDIAG_USER_PRELOAD");
  unsetenv("SCALEDIAG_DIRECTORY");
  unsetenv("SCALEDIAG_STAMP");
  unsetenv("SCALEDIAG_RATE_HZ");
  unsetenv("SCALEDIAG_SAMPLER");
  unsetenv("SCALEDIAG_EVENTS");
  unsetenv("SCALEDIAG_PERIOD");
  unsetenv("SCALEDIAG_CALL_PATHS");
  unsetenv("SCALEDIAG_TRACE");
  unsetenv("SCALEDIAG_RANK_FILES");
  unsetenv("SCALEDIAG_SCRATCH");
  unsetenv("SCALEDIAG_ROUNDS");
  unsetenv("SCALEDIAG_GPU");
  unsetenv("SCALEDIAG_EMULATION");
  unsetenv(stream::kKeyVariable);
  unsetenv("SCALEDIAG_RECORD");
  unsetenv("SCALEDIAG_REPLAY");
  unsetenv("SCALEDIAG_LOGS");
  unsetenv("SCALEDIAG_NODE");
  unsetenv("SCALEDIAG_LOG_SYSTEM");
  unsetenv("SCALEDIAG_RESULTS");
}

}  // namespace scalediag::inject
