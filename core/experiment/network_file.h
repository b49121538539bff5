// The network of the host that an experiment was measured on, beside its other files. A user may put another one there.
#pragma once

#include <string>

namespace scalediag::core {

inline std::string network_file_of(const std::string& experiment_folder) { return experiment_folder + "/network.json"; }

}  // namespace scalediag::core
