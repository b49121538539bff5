#include "tests/core/example_profile.h"

namespace scalediag::core {

OverRanks over_two_ranks(double rank0, double rank1) {
  OverRanksBuilder builder;
  builder.add(0, rank0);
  builder.add(1, rank1);
  return builder.finish(2);
}

namespace {

Run complete_run() {
  Run run;
  run.id = "np0002.dt0.1.grid64.r0";
  run.np = 2;
  run.parameters = {{"grid", 64}, {"dt", 0.1}};
  run.repeat = 0;
  run.complete = true;
  run.clock = Clock::kWall;
  run.clock_reason = "each rank has a core";
  run.counters = "papi";
  run.counters_reason = "papi: as asked for";
  run.counter_events = {{"PAPI_TOT_INS", "instructions", false, "PAPI preset"},
                        {"l1_hits", "l1_hits", true, "loads - L1_MISS"},
                        {"sde:::heat::CELLS", "sde:::heat::CELLS", false, ""}};
  run.counted_ranks = {0, 1};
  run.sampler = "perf";
  run.sampling_rate_hz = 999;
  run.mpi_library = "Open MPI v4.1.4";
  run.hosts = {"node1", "node2"};
  run.threads_max = 3;
  // Rank 0: 6 + 3 + 0.75 + 0.25 = 10; rank 1: 8 + 1 + 0.5 + 0.5 = 10.
  run.times.total_s = over_two_ranks(10, 10);
  run.times.computation_s = over_two_ranks(6, 8);
  run.times.communication_s = over_two_ranks(3, 1);
  run.times.others_s = over_two_ranks(0.75, 0.5);
  run.times.unattributed_s = over_two_ranks(0.25, 0.5);
  run.times.wall_s = over_two_ranks(10.5, 10.25);
  run.times.cpu_s = over_two_ranks(9.5, 9.75);
  run.times.collector_s = over_two_ranks(0.001, 0.002);
  run.samples = 19000;
  run.lost_samples = 3;

  Kernel relax;
  relax.name = "heat::relax(std::vector<double>&, int)";
  relax.module = "heat";
  relax.file = "/src/heat/relax.cpp";
  relax.line = 42;
  relax.samples = 13000;
  relax.metrics = {{"time_s", over_two_ranks(5.9, 7.9)},
                   {"cpu_s", over_two_ranks(6.1, 8.1)},
                   {"system_s", over_two_ranks(0, 0.1)},
                   {"instructions", over_two_ranks(1e10, 2e10)},
                   {"sde:::heat::CELLS", over_two_ranks(64, 65)}};
  Kernel off_cpu;
  off_cpu.name = "[off-CPU]";
  off_cpu.kind = KernelKind::kSystem;
  off_cpu.metrics = {{"time_s", over_two_ranks(0.1, 0.1)}};
  run.kernels = {relax, off_cpu};

  MpiClass small;
  small.communicator_size = 2;
  small.bytes_from = 8;
  small.bytes_to = 15;
  small.calls = over_two_ranks(100, 100);
  small.bytes = over_two_ranks(800, 800);
  small.wall_s = over_two_ranks(3, 1);
  small.blocked_s = over_two_ranks(2.9, 0.9);
  small.shortest_call_s = 1e-6;
  small.longest_call_s = 0.5;
  MpiOperation allreduce;
  allreduce.operation = "MPI_Allreduce";
  allreduce.calls = over_two_ranks(100, 100);
  allreduce.bytes = over_two_ranks(800, 800);
  allreduce.time_s = over_two_ranks(3, 1);
  allreduce.wall_s = over_two_ranks(3, 1);
  allreduce.cpu_s = over_two_ranks(2.5, 0.75);
  allreduce.blocked_s = over_two_ranks(2.9, 0.9);
  allreduce.samples = 3200;
  allreduce.metrics = {{"instructions", over_two_ranks(1e9, 3e9)}};
  allreduce.classes = {small};
  run.operations = {allreduce};

  run.ranks_per_block = 1;
  run.peers = {{0, 1, 10, 1e12}, {1, 0, 10, 80}};
  run.rank_computation_s = {6, 8};
  run.rank_communication_s = {3, 1};
  run.rank_total_s = {10, 10};
  run.warnings = {"rank 1 shared its core"};
  return run;
}

}  // namespace

Profile example_profile() {
  Profile profile;
  profile.application = "heat";
  profile.command = {"./heat", "--grid", "{grid}", "--name", "a \"quoted\" \\ name\n"};
  profile.parameter_names = {"grid", "dt"};
  Run incomplete = complete_run();
  incomplete.id = "np0002.dt0.1.grid64.r1";
  incomplete.repeat = 1;
  incomplete.complete = false;
  incomplete.reason = "rank 1 left no file";
  incomplete.clock = Clock::kCpu;
  profile.runs = {complete_run(), incomplete};
  return profile;
}

Experiment example_experiment() {
  Experiment e;
  e.scalediag_version = "0.1.0";
  e.created = "2024-05-06T07:08:09Z";
  e.command = {"./app", "{grid}"};
  e.executable = "/home/user/app";
  e.executable_fingerprint = "12345-cbf43926";
  e.working_directory = "/home/user";
  e.launcher = "mpirun.openmpi -n {np} {command}";
  e.mpi_flavour = "openmpi";
  e.mpi_library = "/usr/lib/libmpi.so.40";
  e.clock = "cpu";
  e.sampler = "timer";
  e.counters = "papi";
  e.events = {"PAPI_TOT_INS", "sde:::heat::CELLS"};
  e.rate_hz = 500;
  e.stdin_file = "in.txt";
  e.input_files = {{"/home/user/in.txt", "7-0000abcd"}, {"/home/user/log", kWrittenByApplication}};
  e.environment.emplace()["OMP_NUM_THREADS"] = "4";
  e.parameter_names = {"grid"};
  e.host = {"node1", "6.1.0", "A processor", 16, 1.28e11};
  RunEntry done;
  done.configuration = {4, {{"grid", 64}}};
  done.state = RunState::kComplete;
  done.exit_status = 0;
  done.started = "2024-05-06T07:08:10Z";
  done.elapsed_s = 1.25;
  done.command = {"mpirun.openmpi", "-n", "4", "./app", "64"};
  RunEntry planned;
  planned.configuration = {8, {{"grid", 64}}};
  planned.repeat = 1;
  RunEntry failed = planned;
  failed.repeat = 2;
  failed.state = RunState::kFailed;
  failed.exit_status = -11;
  failed.reason = "rank 3: segmentation fault";
  e.runs = {done, planned, failed};
  return e;
}

}  // namespace scalediag::core
