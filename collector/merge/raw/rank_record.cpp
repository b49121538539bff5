#include "collector/merge/raw/rank_record.h"

namespace scalediag::merge {

std::string operation_name(const RankRecord& record, uint32_t operation) {
  const auto found = record.operation_names.find(operation);
  return found != record.operation_names.end() ? found->second : "[operation " + std::to_string(operation) + "]";
}

}  // namespace scalediag::merge
