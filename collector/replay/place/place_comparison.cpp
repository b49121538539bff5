#include "collector/replay/place/place_comparison.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <string_view>

#include "collector/launch/plan/run_inputs.h"
#include "collector/launch/program/executable_file.h"
#include "collector/replay/place/program_build.h"

namespace scalediag::replay {
namespace {

namespace fs = std::filesystem;

using Variables = std::map<std::string, std::string>;

std::string was_and_is(const std::string& what, const std::string& before, const std::string& now) {
  return what + " was " + before + " and is now " + now;
}

// `value`: of a variable, or the end where it is not set.
std::string text_of_variable(const Variables& variables, Variables::const_iterator value) {
  if (value == variables.end()) return "not set";
  return value->second.empty() ? "empty" : value->second;
}

std::string text_of_processor(const core::Host& host) { return host.cpu.empty() ? "not known" : host.cpu; }

// Whether the variable says how many threads compute.
bool is_number_of_threads(const std::string& variable) {
  for (const std::string_view end : {"NUM_THREADS", "MAXIMUM_THREADS", "THREAD_LIMIT", "NUM_CORES"}) {
    if (variable.ends_with(end)) return true;
  }
  return variable == "OMP_DYNAMIC";
}

// "16344 bytes" of "16344-1a2b3c4d".
std::string size_in(const std::string& fingerprint) { return fingerprint.substr(0, fingerprint.find('-')) + " bytes"; }

void compare_program(const Place& recorded, const Place& here, PlaceComparison& found) {
  const core::Experiment &before = recorded.experiment, &now = here.experiment;
  const bool is_rebuilt = before.executable_fingerprint != now.executable_fingerprint;
  if (is_rebuilt && here.names_program) {
    const std::string options = build_difference(recorded.build, here.build);
    found.said.push_back("the program was " + before.executable + " (" + size_in(before.executable_fingerprint) +
                         ") and is now another build, " + now.executable + " (" + size_in(now.executable_fingerprint) +
                         (options.empty() ? ")" : "; " + options + ")"));
  } else if (is_rebuilt) {
    found.refused.push_back(
        {now.executable + " is another build than the recorded one", {"--program", now.executable}, "", ""});
  } else if (before.executable != now.executable) {
    found.said.push_back("the program was " + before.executable + " and is now the same build, " + now.executable);
  }
  if (before.program.empty()) return;
  const std::string started = here.path_here(before.program);
  const std::string build = launch::fingerprint_of(started);
  if (build == before.program_fingerprint) return;
  const std::string text =
      build.empty() ? before.program + ", which " + before.executable + " started, is not there; another file may run"
                    : started + " is another build than the recorded one";
  if (here.names_program || (build.empty() && before.working_directory != now.working_directory)) {
    found.said.push_back(text);
  } else if (build.empty()) {
    found.refused.push_back({text, {}, "", "restore " + before.program});
  } else {
    found.refused.push_back({text, {"--program", now.executable}, "", ""});
  }
}

// The time of a large file's last change is that of a copy, where it was copied.
bool is_same_content(const std::string& recorded, std::string now, bool is_moved) {
  if (recorded == now) return true;
  const size_t time = recorded.rfind('-'), time_now = now.rfind('-');
  const bool has_time = time != recorded.find('-') && time_now != now.find('-');
  return is_moved && has_time && recorded.substr(0, time) == now.substr(0, time_now);
}

void compare_files(const Place& recorded, const Place& here, PlaceComparison& found) {
  Refusal refusal;
  if (here.folder_with_inputs.empty()) {
    refusal.mend = "put the recorded file there, or name the folder that has it with --directory";
  } else {
    refusal.options = {"--directory", here.folder_with_inputs};
  }
  for (const auto& [path, fingerprint] : recorded.experiment.input_files.value_or(Variables())) {
    const bool is_program = path == recorded.experiment.executable || path == recorded.experiment.program;
    if (fingerprint == core::kWrittenByApplication || is_program) continue;
    const std::string file = here.path_here(path);
    std::error_code failed;
    if (!fs::exists(file, failed)) {
      refusal.reason = file + " is gone";
    } else if (!is_same_content(fingerprint, launch::fingerprint_of_input(file), file != path)) {
      refusal.reason = "the content of " + file + " is not the recorded one";
    } else {
      continue;
    }
    found.refused.push_back(refusal);
  }
}

void compare_environment(const Place& recorded, const Place& here, PlaceComparison& found) {
  if (!recorded.experiment.environment) return;
  const Variables& before = *recorded.experiment.environment;
  const Variables now = here.experiment.environment.value_or(Variables());
  std::set<std::string> names;
  for (const Variables* variables : {&before, &now}) {
    for (const auto& [name, value] : *variables) names.insert(name);
  }
  for (const std::string& name : names) {
    const auto was = before.find(name), is = now.find(name);
    if (was != before.end() && is != now.end() && was->second == is->second) continue;
    const std::string text = was_and_is(name, text_of_variable(before, was), text_of_variable(now, is));
    if (!is_number_of_threads(name) || here.set_variables.count(name) > 0) {
      found.said.push_back(text);
    } else if (was != before.end()) {
      found.refused.push_back({text, {"--env", name + "=" + was->second}, "", ""});
    } else {
      found.refused.push_back({text, {}, name, ""});
    }
  }
}

// Without a number OpenMP takes as many threads as there are cores.
void compare_cores(const Place& recorded, const Place& here, PlaceComparison& found) {
  const char* const name = "OMP_NUM_THREADS";
  const int before = recorded.experiment.host.cores, now = here.experiment.host.cores;
  const auto is_set = [&](const Place& place) {
    return place.experiment.environment && place.experiment.environment->count(name) > 0;
  };
  if (!here.uses_openmp || before == now || before == 0 || is_set(recorded) || is_set(here)) return;
  found.refused.push_back({std::string(name) + " is not set, so that a rank had " + std::to_string(before) +
                               " threads of OpenMP and would now have " + std::to_string(now),
                           {"--env", std::string(name) + "=" + std::to_string(before)},
                           "",
                           ""});
}

std::string text_of_mpi(const Place& place) {
  return place.experiment.mpi_library + (place.mpi_version.empty() ? "" : " (version " + place.mpi_version + ")");
}

}  // namespace

PlaceComparison compare_places(const Place& recorded, const Place& here) {
  PlaceComparison found;
  const core::Experiment &before = recorded.experiment, &now = here.experiment;
  compare_program(recorded, here, found);
  if (before.working_directory != now.working_directory) {
    found.said.push_back(was_and_is("the folder", before.working_directory, now.working_directory));
  }
  const bool are_known = !before.mpi_library.empty() && !now.mpi_library.empty();
  const bool has_versions = !recorded.mpi_version.empty() && !here.mpi_version.empty();
  if ((are_known && before.mpi_library != now.mpi_library) ||
      (has_versions && recorded.mpi_version != here.mpi_version)) {
    found.said.push_back(was_and_is("the MPI library", text_of_mpi(recorded), text_of_mpi(here)));
  }
  if (before.host.cpu != now.host.cpu) {
    found.said.push_back(was_and_is("the processor", text_of_processor(before.host), text_of_processor(now.host)));
  }
  compare_environment(recorded, here, found);
  compare_cores(recorded, here, found);
  compare_files(recorded, here, found);
  return found;
}

std::string mpi_version_in(const std::string& text) {
  const auto is_digit = [&](size_t i) {
    return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0;
  };
  for (size_t begin = 0; begin < text.size(); ++begin) {
    if (!is_digit(begin)) continue;
    size_t end = begin;
    while (is_digit(end) || (end < text.size() && text[end] == '.' && is_digit(end + 1))) ++end;
    const std::string version = text.substr(begin, end - begin);
    if (version.find('.') != version.npos) return version;
    begin = end;
  }
  return "";
}

}  // namespace scalediag::replay
