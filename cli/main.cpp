// scalediag finds the functions of an MPI program that stop scaling, at what scale, and why.
#include <fcntl.h>
#include <signal.h>

#include "cli/command_line.h"

namespace {

// Occupies the numbers of standard streams that are missing at the start: a file that we open would otherwise get such
// a number, and output for the stream would go into it. Writing to a missing stream has to fail, so that the
// replacement cannot be written to.
void occupy_standard_streams() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", O_RDONLY) < 0) return;
  }
}

// A file that becomes larger than RLIMIT_FSIZE allows is an error of write(), like a full disk. The signal gets a
// handler that does nothing, so that the programs that we start have the default again; an ignored one stays ignored.
void survive_file_size_limits() {
  struct sigaction before {};
  if (sigaction(SIGXFSZ, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = [](int) {};
  sigemptyset(&action.sa_mask);
  sigaction(SIGXFSZ, &action, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_streams();
  survive_file_size_limits();
  return scalediag::cli::run(argc, argv);
}
