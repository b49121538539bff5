#include "cli/options/network_option.h"

namespace scalediag::cli {

CLI::Option* add_network_option(CLI::App& command, const std::string& name, std::string& value,
                                const std::string& what) {
  return command
      .add_option(name, value,
                  what +
                      ": a file of `scalediag network`, words (latency=1.2us,bandwidth=12.5GB/s), or a typical "
                      "network's name (`scalediag network --list`)")
      ->type_name("NET");
}

}  // namespace scalediag::cli
