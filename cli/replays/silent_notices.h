// Notices that nobody sees: of recordings and replays that a command makes by itself, and says in a sentence of its own
// why there are none.
#pragma once

#include <string>

#include "collector/launch/notices.h"

namespace scalediag::cli {

class SilentNotices : public launch::Notices {
 public:
  void note(const std::string& /*message*/) override {}
  void warn(const std::string& /*message*/, const std::string& /*hint*/) override {}
};

}  // namespace scalediag::cli
