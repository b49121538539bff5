#include "cli/machine_option.h"

namespace scalediag::cli {

void add_machine_option(CLI::App& command, std::string& file) {
  command
      .add_option("--machine", file,
                  "What turns counts into memory times: a file of scalediag machine, or none (default: this machine, "
                  "measured once)")
      ->type_name("FILE")
      ->envname("SCALEDIAG_MACHINE");
}

}  // namespace scalediag::cli
