#include "collector/merge/raw/rank_record.h"

namespace scalediag::merge {

std::string operation_name(const RankRecord& record, uint32_t operation) {
  const uint32_t routine = raw::routine_of(operation);
  const auto found = record.operation_names.find(routine);
  return found != record.operation_names.end() ? found->second : "[operation " + std::to_string(routine) + "]";
}

}  // namespace scalediag::merge
