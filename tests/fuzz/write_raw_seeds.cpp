// write_raw_seeds FOLDER: the corpus that the fuzzer starts from.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "raw_seeds.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_raw_seeds FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  int n = 0;
  for (const std::string& seed : scalediag::fuzz::raw_seeds()) {
    std::ofstream(folder / ("seed" + std::to_string(n++) + ".raw"), std::ios::binary) << seed;
  }
  return 0;
}
