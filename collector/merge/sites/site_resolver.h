// The call sites of a rank as places in the source.
//
// A site is recorded as the return addresses above an MPI routine. Frames of MPI, of libraries that wrap it and of
// C++'s library are passed over (communication_layers.h); the function after them is the site's. What was inlined
// counts as the function in whose source it stands. Where only wrappers were recorded, the outermost one is the site.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "collector/merge/raw/rank_record.h"
#include "collector/merge/samples/sample_attribution.h"
#include "core/profile/profile.h"

namespace scalediag::merge {

// The place that frames lead to. `is_found`: frames further out do not change it.
struct FoundSite {
  core::CallSite site;
  bool is_found = false;
};
// By the code of the frames, which most ranks have in common.
using SiteCache = std::map<std::vector<uint64_t>, FoundSite>;

class SiteResolver {
 public:
  // All have to outlive the resolver. A cache is for one SymbolCache.
  SiteResolver(const RankRecord& record, SampleAttributor& attributor, SiteCache& cache)
      : record_(record), attributor_(attributor), cache_(cache) {}

  // `number` is a raw::site_of(). Site 0, and one that the record does not have, has no function.
  const core::CallSite& site(uint32_t number);
  // Of a function on files: the first function that is in no library for files.
  core::CallSite site_of_file(const raw::FilePlace& place);
  // The site of a call of a GPU's library: the first function that is in no such library and is not what compilers make
  // of a launch: the host's function with the kernel's name.
  core::CallSite site_of_gpu_call(const raw::GpuPlace& place, const std::string& kernel);

 private:
  using IsLayer = std::function<bool(std::string_view path, std::string_view function)>;
  // `key` is one number for each kind of layers. `called` is what the innermost frame is known to have called, as
  // ModuleSymbols::jumped_from() takes it.
  struct Layers {
    uint64_t key = 0;
    IsLayer is_layer;
  };
  const core::CallSite& resolve(uint32_t epoch, const std::vector<uint64_t>& frames, const Layers& layers,
                                std::optional<uint64_t> called);
  static FoundSite resolve(const std::vector<CodePlace>& frames, const IsLayer& is_layer,
                           std::optional<uint64_t> called);

  const RankRecord& record_;
  SampleAttributor& attributor_;
  SiteCache& cache_;
  std::map<uint32_t, core::CallSite> known_;
};

}  // namespace scalediag::merge
