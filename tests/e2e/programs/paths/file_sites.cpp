// Writes files through the libraries of its language, by functions that end with a jump, and from brief threads.
//
// Of each rank: 3 checkpoints of 40,000 bytes and a line of 18; 10 lines of a log, 7 bytes each; 100 blocks of 1000
// bytes and 100 of 50, and one of 7 from each of 50 threads.
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

__attribute__((noinline)) void checkpoint(const std::string& name, const std::vector<double>& field) {
  std::ofstream to(name, std::ios::binary);
  to.write(reinterpret_cast<const char*>(field.data()), static_cast<std::streamsize>(field.size() * sizeof field[0]));
  to << "end of checkpoint\n";
}

__attribute__((noinline)) void log_step(std::FILE* to, int step) { std::fprintf(to, "step %d\n", step); }

__attribute__((noinline)) void write_block(int to, const void* data, size_t bytes) {
  if (write(to, data, bytes) < 0) std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::string own = std::to_string(rank);
  const std::vector<double> field(5000, 1.0);
  for (int i = 0; i < 3; ++i) checkpoint("checkpoint" + own, field);

  std::FILE* log = std::fopen(("log" + own).c_str(), "w");
  if (log == nullptr) return 1;
  for (int i = 0; i < 10; ++i) log_step(log, i);
  std::fclose(log);

  const int blocks = open(("blocks" + own).c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0644);
  for (int i = 0; i < 100; ++i) {
    write_block(blocks, field.data(), 1000);
    write_block(blocks, field.data(), 50);
  }
  for (int i = 0; i < 50; ++i) std::thread([&] { write_block(blocks, field.data(), 7); }).join();
  close(blocks);

  MPI_File shared;
  MPI_File_open(MPI_COMM_WORLD, "shared", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &shared);
  MPI_File_write_at(shared, rank * 100, field.data(), 100, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_close(&shared);
  MPI_Finalize();
  return 0;
}
