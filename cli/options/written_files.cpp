#include "cli/options/written_files.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "core/experiment/output_file.h"

namespace scalediag::cli {
namespace {

namespace fs = std::filesystem;

// The names of validators that all values pass.
constexpr char kMark[] = "written", kStdoutMark[] = "standard output";

CLI::Option* mark(CLI::Option* option, const char* name) {
  return option->check(CLI::Validator([](std::string&) { return std::string(); }, "", name));
}

bool is_marked(CLI::Option& option, const char* name) {
  try {
    return option.get_validator(name) != nullptr;
  } catch (const CLI::OptionNotFound&) {
    return false;
  }
}

std::vector<std::string> values_of(const CLI::Option& option) {
  if (option.count() > 0) return option.results();
  const std::string by_default = option.get_default_str();
  return by_default.empty() ? std::vector<std::string>{} : std::vector{by_default};
}

// The word, and what stands behind each of its separators: --input=FILE, network=FILE, replay:DIR.
void add_files_named_in(const std::string& word, std::vector<std::string>& files) {
  std::error_code ignored;
  for (size_t at = 0; at != word.npos && at < word.size();) {
    if (const std::string path = word.substr(at); fs::exists(path, ignored)) files.push_back(path);
    const size_t separator = word.find_first_of("=:,@", at);
    at = separator == word.npos ? word.npos : separator + 1;
  }
}

// A program that is named without a folder is looked up as a shell does.
void add_program(const std::string& name, std::vector<std::string>& files) {
  if (name.find('/') != name.npos) return add_files_named_in(name, files);
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string program = folder + "/" + name;
    if (::access(program.c_str(), X_OK) == 0) return files.push_back(program);
  }
}

}  // namespace

CLI::Option* writes_file(CLI::Option* option) { return mark(option, kMark); }

CLI::Option* writes_file_or_stdout(CLI::Option* option) { return mark(writes_file(option), kStdoutMark); }

bool is_written(CLI::Option& option) { return is_marked(option, kMark); }

Status check_written_files(CLI::App& command, const std::vector<std::string>& application) {
  std::vector<std::string> written, read;
  for (CLI::Option* option : command.get_options()) {
    for (const std::string& value : values_of(*option)) {
      if (!is_written(*option)) {
        add_files_named_in(value, read);
      } else if (value != "-" || !is_marked(*option, kStdoutMark)) {
        written.push_back(value);
      }
    }
  }
  if (written.empty()) return Done{};
  if (!application.empty()) add_program(application[0], read);
  for (size_t i = 1; i < application.size(); ++i) add_files_named_in(application[i], read);
  // Its standard input is ours where that is a file.
  constexpr char kStandardInput[] = "/proc/self/fd/0";
  if (std::error_code ignored; !application.empty() && fs::is_regular_file(kStandardInput, ignored)) {
    read.emplace_back(kStandardInput);
  }
  return core::check_output_files(written, read);
}

}  // namespace scalediag::cli
