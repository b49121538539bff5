// The call sites of a rank as places in the source.
//
// A site is recorded as the return addresses above an MPI routine. Frames of MPI, of libraries that wrap it and of
// C++'s library are passed over (communication_layers.h); the function after them is the site's. What was inlined
// counts as the function in whose source it stands. Where only wrappers were recorded, the outermost one is the site.
#pragma once

#include <map>

#include "collector/merge/raw/rank_record.h"
#include "collector/merge/samples/sample_attribution.h"
#include "core/profile/profile.h"

namespace scalediag::merge {

class SiteResolver {
 public:
  // Both have to outlive the resolver.
  SiteResolver(const RankRecord& record, SampleAttributor& attributor) : record_(record), attributor_(attributor) {}

  // `number` is a raw::site_of(). Site 0, and one that the record does not have, has no function.
  const core::CallSite& site(uint32_t number);

 private:
  core::CallSite resolve(const raw::CallSite& site);

  const RankRecord& record_;
  SampleAttributor& attributor_;
  std::map<uint32_t, core::CallSite> known_;
};

}  // namespace scalediag::merge
