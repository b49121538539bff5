// The machine on which ranks were replayed last, beside what they computed: replay/place.json.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/result.h"

namespace scalediag::replay {

struct ReplayedPlace {
  core::Host host;
  std::map<std::string, std::string> environment;  // as Experiment::environment
  std::vector<std::string> differences;            // from where it was recorded, each a sentence
  std::string build;                               // fingerprint of the program; empty: not known
  bool uses_openmp = false;                        // by the libraries that the program needs
};

// `results`: the folder with the vectors. Error (kEnvironment): it cannot be written.
Status write_place(const std::string& results, const ReplayedPlace& place);

// Of a recording, or of the folder that `replay -o` named; nothing: it has none. Error (kInput): the file cannot be
// read, or is damaged.
Result<std::optional<ReplayedPlace>> read_place(const std::string& folder);

}  // namespace scalediag::replay
