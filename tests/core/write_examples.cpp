// Writes the example profile, experiment and machine into the given folder, for checks of the files themselves.
#include <cstdio>

#include "core/profile/profile_json.h"
#include "tests/core/example_machine.h"
#include "tests/core/example_profile.h"

int main(int argc, char** argv) {
  using namespace scalediag::core;
  if (argc != 2) return 2;
  const ExperimentFolder folder(argv[1]);
  const Status profile = write_profile(example_profile(), folder.profile_file());
  const Status experiment = folder.save(example_experiment());
  const Status machine = write_machine(example_machine(), folder.path() + "/machine.json");
  for (const Status& status : {profile, experiment, machine}) {
    if (!status) std::fprintf(stderr, "%s\n", status.error().message.c_str());
  }
  return profile && experiment && machine ? 0 : 1;
}
