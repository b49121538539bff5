#include "loggp/collectives/collective_names.h"

#include <cctype>

namespace scalediag::loggp {
namespace {

std::string plain(const std::string& name) {
  std::string result;
  for (const char c : name) result += c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result.starts_with("mpi_") ? result.substr(4) : result;
}

}  // namespace

std::optional<Collective> collective_named(const std::string& name) {
  for (size_t i = 0; i < kCollectives; ++i) {
    if (plain(mpi::kCollectiveNames[i]) == plain(name)) return static_cast<Collective>(i);
  }
  return std::nullopt;
}

std::optional<Algorithm> algorithm_named(const std::string& name) {
  for (size_t i = 0; i < kAlgorithms; ++i) {
    if (kAlgorithmNames[i] == plain(name)) return static_cast<Algorithm>(i);
  }
  return std::nullopt;
}

}  // namespace scalediag::loggp
