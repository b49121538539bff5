#include "collector/launch/process/log_tail.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace scalediag::launch {

std::string tail_of_log(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return "";
  constexpr std::streamoff kTail = 65536;
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(0, size - kTail));
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace scalediag::launch
