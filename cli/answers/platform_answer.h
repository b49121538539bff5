// The output of `predict --platform`: one target on several machines, in one table.
#pragma once

#include <optional>
#include <string>

#include "cli/answers/prediction_answer.h"
#include "core/result.h"

namespace scalediag::cli {

struct PlatformRequest {
  std::string name;
  std::string replayed;         // folder
  std::string network;          // as of --network
  std::optional<double> price;  // of a core-hour
};

// NAME=DIR,NETWORK[,PRICE]; the network may have commas. Error (kUsage): another text.
Result<PlatformRequest> parse_platform(const std::string& text);

// Each platform is predicted as `predict --replayed DIR --network NETWORK` does. Errors: as of prediction_text(), with
// the platform's name; two platforms with one name, several targets, or one that was not replayed (kUsage).
Result<std::string> platforms_answer(const PredictOptions& options);

}  // namespace scalediag::cli
