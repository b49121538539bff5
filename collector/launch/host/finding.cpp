#include "collector/launch/host/finding.h"

namespace scalediag::launch {

const char* name_of(Health health) {
  switch (health) {
    case Health::kWorks: return "works";
    case Health::kLimited: return "limited";
    case Health::kMissing: return "missing";
    case Health::kFails: return "fails";
  }
  return "";
}

}  // namespace scalediag::launch
