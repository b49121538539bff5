#include "collector/merge/sites/parallel_regions.h"

#include <optional>

#include "collector/merge/symbols/symbol_names.h"
#include "core/text/formatted.h"

namespace scalediag::merge {
namespace {

std::string file_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string name_of(const raw::ParallelRegion& region, const CodePlace& place) {
  // Where a function ends with the region's call, as a jump, that returns to the function's caller.
  if (region.is_return != 0) {
    const auto jumped = place.symbols->jumped_from(place.address + 1, ModuleSymbols::kElsewhere);
    if (!jumped.empty()) return jumped.front().function->name + " at its end";
  }
  const CallingFunction& code = place.symbols->calling_functions_at(place.address).front();
  const std::string& function = code.function->name;
  if (code.line > 0) return without_region(function) + " at " + file_of(code.file) + ":" + std::to_string(code.line);
  if (region.is_return == 0) return function;
  const std::string address = core::formatted(" at 0x%llx", static_cast<unsigned long long>(place.address + 1));
  return function + address;
}

}  // namespace

std::map<uint32_t, std::string> names_of_parallel_regions(const RankRecord& record, SampleAttributor& attributor) {
  std::map<uint32_t, std::string> names;
  for (const raw::ParallelRegion& region : record.parallel_regions) {
    // The call stands before the address to which it returns.
    const std::optional<CodePlace> place = attributor.place_of(region.epoch, region.address - region.is_return);
    if (place) names[region.region] = name_of(region, *place);
  }
  return names;
}

}  // namespace scalediag::merge
