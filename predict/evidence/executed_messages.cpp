#include "predict/evidence/executed_messages.h"

#include <filesystem>

#include "core/atomic_file.h"
#include "core/experiment/experiment.h"
#include "core/json/json_reader.h"
#include "core/json/json_writer.h"

namespace scalediag::predict {
namespace {

constexpr char kExecutedSchema[] = "scalediag-executed-messages";
constexpr int kExecutedVersion = 1;

}  // namespace

double ExecutedMessages::factor() const {
  const double simulated = simulated_s - computation_s, executed = total_s - computation_s;
  return simulated > 0 && executed > 0 ? executed / simulated : 1;
}

core::Status write_executed(const std::string& folder, const ExecutedMessages& e) {
  const std::string file = core::ExperimentFolder(folder).synth_of(e.ranks);
  const auto text =
      core::to_json_text({{"schema", std::string(kExecutedSchema) + "/" + std::to_string(kExecutedVersion)},
                          {"ranks", e.ranks},
                          {"processes", e.processes},
                          {"total_s", e.total_s},
                          {"simulated_s", e.simulated_s},
                          {"computation_s", e.computation_s},
                          {"core_hours", e.core_hours},
                          {"network", e.network},
                          {"network_name", e.network_name},
                          {"disturbed", e.disturbed}},
                         1);
  if (!text) return text.error();
  std::error_code failed;  // writing the file says what is wrong
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), failed);
  return core::write_own_file_atomically(file, text.value());
}

core::Result<std::optional<ExecutedMessages>> read_executed(const std::string& folder, int ranks) {
  const std::string file = core::ExperimentFolder(folder).synth_of(ranks);
  std::error_code failed;
  if (!std::filesystem::exists(file, failed)) return std::optional<ExecutedMessages>();
  const std::string remedy =
      "`scalediag synth " + folder + " --np " + std::to_string(ranks) + " --network NET` makes it anew";
  const auto text = core::read_file(file);
  if (!text) return text.error();
  const auto document = core::parse_json(text.value(), file);
  if (!document) return document.error();
  const auto schema = core::check_schema(document.value(), kExecutedSchema, kExecutedVersion, file, remedy);
  if (!schema) return schema.error();
  std::optional<std::string> failure;
  ExecutedMessages e;
  const core::JsonNode node(document.value(), failure);
  node.read("ranks", e.ranks, 1);
  node.read("processes", e.processes, 1);
  for (auto [key, to] : {std::pair("total_s", &e.total_s),
                         {"simulated_s", &e.simulated_s},
                         {"computation_s", &e.computation_s},
                         {"core_hours", &e.core_hours}}) {
    node.read(key, *to);
    if (!node.failed() && !(*to >= 0)) node.fail(key, "expected a number that is not negative");
  }
  node.read("network", e.network);
  node.read("network_name", e.network_name);
  node.read("disturbed", e.disturbed);
  if (!failure && e.ranks != ranks)
    node.fail("ranks", "expected " + std::to_string(ranks) + ", as the file's name says");
  if (failure) return core::Error{core::ErrorCode::kInput, file + " is damaged: " + *failure, remedy, file};
  return std::optional<ExecutedMessages>(e);
}

}  // namespace scalediag::predict
