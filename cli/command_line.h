#pragma once

namespace scalediag::cli {

// Runs the command that the arguments of main() name. Returns the exit status; errors have been printed.
int run(int argc, char** argv);

}  // namespace scalediag::cli
