#include "collector/launch/store/raw_files.h"

#include <filesystem>
#include <system_error>

namespace scalediag::launch {

namespace fs = std::filesystem;

bool has_raw_files(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".raw") return true;
  }
  return false;
}

}  // namespace scalediag::launch
