#include "collector/launch/host/machine_store.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "collector/counters/machine/machine_measurement.h"
#include "collector/launch/host/host_facts.h"
#include "collector/launch/host/installation.h"
#include "core/experiment/output_file.h"
#include "core/raw/raw_format.h"
#include "core/text/formatted.h"
#include "core/text/shell_words.h"

namespace scalediag::launch {
namespace {

namespace fs = std::filesystem;

std::string cache_folder() {
  // The XDG base directory specification says that a relative path is to be ignored.
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && cache[0] == '/') {
    return std::string(cache) + "/scalediag";
  }
  const char* home = std::getenv("HOME");
  return home != nullptr && home[0] == '/' ? std::string(home) + "/.cache/scalediag" : "";
}

Error of_another_host(const core::ExperimentFolder& folder, const core::Host& measured, const core::Host& here) {
  return {ErrorCode::kEnvironment,
          "the experiment was measured on " + measured.name + " (" + measured.cpu + ", " +
              std::to_string(measured.cores) + " cores), this is " + here.name + " (" + here.cpu + ", " +
              std::to_string(here.cores) + " cores)",
          "there: scalediag machine -o machine.json; then, with that file: scalediag merge --machine machine.json " +
              core::quote_shell_word(folder.path()),
          folder.path()};
}

Result<core::Machine> measure_announced(const core::Host& host, Notices& notices) {
  notices.note(
      "measuring what this machine can do, once for all experiments: 10 s to a minute with all cores busy; --machine "
      "none leaves it out");
  return measure_this_machine(
      host, [](const std::string&) {}, notices);
}

}  // namespace

std::string machine_cache_file(const core::Host& host) {
  const std::string folder = cache_folder();
  if (folder.empty()) return "";
  const std::string kind = host.cpu + "/" + std::to_string(host.cores);
  const std::string checksum = core::formatted("%08x", raw::crc32(kind.data(), kind.size()));
  std::string name = host.name;
  for (char& c : name) {
    if (c == '/') c = '_';
  }
  return folder + "/machine-" + name + "-" + checksum + ".json";
}

std::optional<core::Machine> cached_machine(const core::Host& host) {
  const std::string file = machine_cache_file(host);
  if (file.empty() || access(file.c_str(), F_OK) != 0) return std::nullopt;
  auto machine = core::read_machine(file);
  if (!machine || !core::same_host(machine.value().host, host)) return std::nullopt;
  return std::move(machine).value();
}

Result<core::Machine> measure_this_machine(const core::Host& host,
                                           const std::function<void(const std::string&)>& on_step, Notices& notices,
                                           bool accept_disagreement) {
  const counters::MachineRequest request{host, version(), utc_now(), on_step, accept_disagreement};
  auto machine = TRY(counters::measure_machine(request));
  if (const std::string file = machine_cache_file(host); !file.empty()) {
    std::error_code ignored;
    fs::create_directories(fs::path(file).parent_path(), ignored);
    if (auto written = core::write_machine(machine, file); !written) {
      notices.warn("the measurement is not kept for later: " + written.error().message,
                   "set XDG_CACHE_HOME to a folder that can be written");
    }
  }
  return machine;
}

Result<core::Machine> machine_of(const core::ExperimentFolder& folder, const core::Experiment& experiment,
                                 const std::string& file, Notices& notices, const std::string& refused) {
  const std::string own_file = folder.machine_file();
  if (file.empty() && access(own_file.c_str(), F_OK) == 0) return core::read_machine(own_file);
  const core::Host here = read_host();
  Result<core::Machine> machine = Error{};
  if (!file.empty()) {
    machine = core::read_machine(file);
  } else if (!core::same_host(experiment.host, here)) {
    return of_another_host(folder, experiment.host, here);
  } else if (auto cached = cached_machine(here)) {
    machine = *std::move(cached);
  } else if (!refused.empty()) {
    return Error{ErrorCode::kEnvironment, refused, "`scalediag machine`, when nothing else runs, measures it again"};
  } else {
    machine = measure_announced(here, notices);
  }
  if (machine) {
    if (auto usable = core::check_own_file(folder.path(), own_file, {folder.experiment_file()}); !usable) {
      return usable.error();
    }
    TRY(core::write_machine(machine.value(), own_file));
  }
  return machine;
}

Status check_machine_file(const std::string& file) {
  if (file.empty() || file == kNoMachine) return Done{};
  TRY(core::read_machine(file));
  return Done{};
}

}  // namespace scalediag::launch
