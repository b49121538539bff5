// INPUT of `scalediag show`: an experiment folder or a profile.json.
#pragma once

#include <string>

#include "core/result.h"
#include "report/render/shown_profile.h"

namespace scalediag::cli {

// Errors (kInput): `path` does not exist, is neither, is damaged; the experiment has no run, no complete run, or is not
// merged yet.
Result<report::ShownProfile> load_show_input(const std::string& path);

// Keeps only the run `id`. Errors (kUsage): no such run (the hint names those that exist); it was not measured.
Status select_run(report::ShownProfile& input, const std::string& id);

}  // namespace scalediag::cli
