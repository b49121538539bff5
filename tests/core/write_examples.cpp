// Writes the example profile and experiment into the folder that is named, for what checks the files themselves.
#include <cstdio>

#include "tests/core/example_profile.h"

int main(int argc, char** argv) {
  using namespace scalediag::core;
  if (argc != 2) return 2;
  const ExperimentFolder folder(argv[1]);
  const Status profile = write_profile(example_profile(), folder.profile_file());
  const Status experiment = folder.save(example_experiment());
  for (const Status& status : {profile, experiment}) {
    if (!status) std::fprintf(stderr, "%s\n", status.error().message.c_str());
  }
  return profile && experiment ? 0 : 1;
}
