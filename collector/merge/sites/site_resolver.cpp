#include "collector/merge/sites/site_resolver.h"

#include <optional>
#include <vector>

#include "collector/merge/sites/communication_layers.h"

namespace scalediag::merge {
namespace {

// Beside the hashes of kernels' names.
constexpr uint64_t kCommunicationKey = 1, kFileKey = 2;

}  // namespace

const core::CallSite& SiteResolver::site(uint32_t number) {
  const auto [entry, is_new] = known_.try_emplace(number);
  if (!is_new) return entry->second;
  const auto recorded = record_.call_sites.find(number);
  if (recorded != record_.call_sites.end()) {
    entry->second = resolve(recorded->second.epoch, recorded->second.frames,
                            {kCommunicationKey, is_communication_layer}, std::nullopt);
  }
  return entry->second;
}

core::CallSite SiteResolver::site_of_file(const raw::FilePlace& place) {
  return resolve(place.epoch, place.frames, {kFileKey, is_file_layer}, ModuleSymbols::kElsewhere);
}

core::CallSite SiteResolver::site_of_gpu_call(const raw::GpuPlace& place, const std::string& kernel) {
  const auto is_layer = [&](std::string_view path, std::string_view function) {
    return is_gpu_layer(path, function) || (!kernel.empty() && function == kernel);
  };
  return resolve(place.epoch, place.frames, {std::hash<std::string>{}(kernel), is_layer}, ModuleSymbols::kElsewhere);
}

const core::CallSite& SiteResolver::resolve(uint32_t epoch, const std::vector<uint64_t>& frames, const Layers& layers,
                                            std::optional<uint64_t> called) {
  static const core::CallSite kUnknown;
  const core::CallSite* site = &kUnknown;
  std::vector<CodePlace> places;
  std::vector<uint64_t> key = {layers.key};
  for (const uint64_t frame : frames) {
    // The call stands before the address to which it returns.
    const std::optional<CodePlace> place = attributor_.place_of(epoch, frame - 1);
    if (!place || place->is_mpi || place->is_collector) continue;
    places.push_back(*place);
    key.insert(key.end(), {reinterpret_cast<uintptr_t>(place->symbols), place->address});
    const auto [entry, is_new] = cache_.try_emplace(key);
    if (is_new) entry->second = resolve(places, layers.is_layer, called);
    site = &entry->second.site;
    if (entry->second.is_found) break;
  }
  return *site;
}

FoundSite SiteResolver::resolve(const std::vector<CodePlace>& frames, const IsLayer& is_layer,
                                std::optional<uint64_t> called) {
  core::CallSite site;
  std::string innermost;
  const CodePlace* below = nullptr;
  for (const CodePlace& frame : frames) {
    const CodePlace* const place = &frame;
    if (below != nullptr) called = below->symbols == place->symbols ? below->address : ModuleSymbols::kElsewhere;
    std::vector<CallingFunction> functions = place->symbols->jumped_from(place->address + 1, called);
    const auto& calling_here = place->symbols->calling_functions_at(place->address);
    functions.insert(functions.end(), calling_here.begin(), calling_here.end());
    below = place;
    for (const CallingFunction& calling : functions) {
      if (is_language_start(calling.function->name)) continue;
      site.function = calling.function->name;
      site.module = calling.function->module;
      site.file = calling.file;
      site.line = calling.line;
      site.address = calling.line > 0 ? 0 : place->address + 1;
      if (is_layer(place->module->path, calling.function->name)) {
        if (innermost.empty()) innermost = calling.function->name;
        continue;
      }
      if (innermost != site.function) site.through = innermost;
      return {site, true};
    }
  }
  if (innermost != site.function) site.through = innermost;
  return {site, false};
}

}  // namespace scalediag::merge
