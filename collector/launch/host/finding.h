// A finding of `scalediag doctor`.
#pragma once

#include <string>

namespace scalediag::launch {

enum class Health {
  kWorks,
  kLimited,  // profiling works, with limits: the text names them
  kMissing,  // something does not work that profiling can do without
  kFails,    // profiling cannot work at all
};
const char* name_of(Health health);  // "works", "limited", "missing", "fails"

struct Finding {
  std::string subject;  // "PMU", "valgrind"
  Health health = Health::kWorks;
  std::string text;  // one line
  std::string mend;  // the command or setting that helps; empty where nothing is wrong or nothing would help
};

}  // namespace scalediag::launch
