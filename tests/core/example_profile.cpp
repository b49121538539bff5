#include "tests/core/example_profile.h"

#include "tests/core/example_machine.h"

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
  run.counter_method = "events";
  run.sampled_events = {{"PAPI_TOT_INS", 2500009, 12003, 3.01e10}};
  run.counted_ranks = {0, 1};
  run.sampler = "perf";
  run.sampling_rate_hz = 999;
  run.mpi_library = "Open MPI v4.1.4";
  run.hosts = {"node1", "node2"};
  run.threads_max = 3;
  // Rank 0: 6 + 3 + 0.75 + 0.25 = 10; rank 1: 8 + 1 + 0.5 + 0.5 = 10.
  run.times.total_s = over_two_ranks(10, 10);
  run.times.computation_s = over_two_ranks(6, 8);
  // Only runs of many ranks have them, but none is refused.
  run.times.computation_s.quantiles = {6, 6, 6, 8, 8};
  run.times.communication_s = over_two_ranks(3, 1);
  run.times.others_s = over_two_ranks(0.75, 0.5);
  run.times.unattributed_s = over_two_ranks(0.25, 0.5);
  run.times.wall_s = over_two_ranks(10.5, 10.25);
  run.times.cpu_s = over_two_ranks(9.5, 9.75);
  run.times.collector_s = over_two_ranks(0.001, 0.002);
  run.times.asleep_s = over_two_ranks(0.5, 0.25);
  run.times.children_s = over_two_ranks(0, 1);
  run.memory_peak_bytes = over_two_ranks(5e7, 7e7);
  run.memory_peak_node_bytes = 7e7;
  run.files = {{"write", over_two_ranks(3, 5), over_two_ranks(300, 4096), over_two_ranks(0.002, 0.001), {}}};
  run.files[0].sites = {{{"heat::save(int)", "heat", "/src/heat/save.cpp", 9, 0, "std::__basic_file<char>::xsputn"},
                         over_two_ranks(3, 5),
                         over_two_ranks(300, 4096),
                         over_two_ranks(0.002, 0.001)}};
  run.gpu = {{"cudaMemcpyAsync",
              "copy",
              "host to device",
              false,
              over_two_ranks(2, 1),
              over_two_ranks(800, 400),
              over_two_ranks(0.001, 0.002),
              over_two_ranks(0.25, 0.5),
              over_two_ranks(2, 1),
              {}}};
  run.gpu[0].sites = {{{"heat::send(int)", "heat", "/src/heat/gpu.cpp", 12, 0, ""},
                       over_two_ranks(2, 1),
                       over_two_ranks(800, 400),
                       over_two_ranks(0.001, 0.002)}};
  run.gpu_devices = {{"node1", "0000:17:00.0", 2}};
  run.gpu_busy = {over_two_ranks(0, 0), over_two_ranks(0.25, 0.5), over_two_ranks(0.25, 0.5),
                  over_two_ranks(0.125, 0.25)};
  run.gpu_timed_by = "events";
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
  relax.count_errors = {{"instructions", 2.7e8}};
  // A mean of 6.9 s and 1.5e10 instructions, on the example machine: 1.6e9 x 1 ns + 1.25e8 x 16 ns + 1e7 x 100 ns = 4.6
  // s of memory, half of it hidden: 6.9 = 4.6 + 0.5 x 4.6. CPI = 4.6 s x 3 GHz / 1.5e10.
  relax.resources = {{"cpi", 0.92},
                     {"hz", 3e9},
                     {"t_comp_s", 4.6},
                     {"t_stall_s", 2.3},
                     {"t_stall_high_s", 4.6},
                     {"t_mem_s", 4.6},
                     {"t_mem_l1_s", 1.6},
                     {"t_mem_l2_s", 0},
                     {"t_mem_llc_s", 2},
                     {"t_mem_memory_s", 1},
                     {"bf_mem", 0.5},
                     {"bf_mem_high", 1},
                     {"l1_hit_ratio", 1.6e9 / 1.735e9},
                     {"l2_hit_ratio", 0},
                     {"llc_hit_ratio", 1.25e8 / 1.35e8},
                     {"memory_bytes", 6.4e8},
                     {"llc_miss_ratio", 1e7 / 1.735e9},
                     {"flops_per_byte", 12.5}};  // of 8e9 operations
  relax.resource_notes = {"counts_of_repeats", "stalls_derived"};
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
  allreduce.slowest = {0, 100, 800, 3};
  // Sites of 60 + 70 and of 40 + 30 calls of 8 bytes.
  MpiSite norm{{"heat::norm(std::vector<double>&)", "heat", "/src/heat/norm.cpp", 17, 0, "Communicator::sum(double)"},
               over_two_ranks(60, 70),
               over_two_ranks(480, 560),
               over_two_ranks(2, 0.5),
               over_two_ranks(2, 0.5),
               over_two_ranks(1.9, 0.4),
               2000,
               {small}};
  norm.classes[0].calls = norm.calls;
  norm.classes[0].bytes = norm.bytes;
  norm.classes[0].wall_s = norm.wall_s;
  norm.classes[0].blocked_s = norm.blocked_s;
  MpiSite step{{"heat::step(int)", "libheat.so", "", 0, 0x1a2b, ""},
               over_two_ranks(40, 30),
               over_two_ranks(320, 240),
               over_two_ranks(1, 0.5),
               over_two_ranks(1, 0.5),
               over_two_ranks(1, 0.5),
               1200,
               {small}};
  step.classes[0].calls = step.calls;
  step.classes[0].bytes = step.bytes;
  step.classes[0].wall_s = step.wall_s;
  step.classes[0].blocked_s = step.blocked_s;
  allreduce.sites = {norm, step};
  run.operations = {allreduce};
  Region loop;
  loop.name = kMainLoop;
  loop.source = "MPI calls";
  loop.note = "rounds of MPI_Allreduce";
  loop.count = {100, 50, 50, 50, 0, 0};
  loop.elapsed_s = {3.0, 1.5, 1.25, 1.75, 0, 1};
  loop.cpu_s = {2.0, 1.0, 1.0, 1.0, 0, 0};
  loop.computation_s = {2.0, 1.0, 0.75, 1.25, 0, 1};
  loop.communication_s = {1.0, 0.5, 0.5, 0.5, 0, 0};
  Region solve = loop;
  solve.name = "solve";
  solve.parent = kMainLoop;
  solve.source = "MPI_Pcontrol";
  solve.note = "";
  solve.parameters["n"] = {100, 64, 32, 96};
  // Two threads on each rank, 1.5 s: the slowest one was busy for 1.25 s, and both together for 2 s.
  Region parallel = loop;
  parallel.name = "heat::relax at relax.cpp:44";
  parallel.source = kOpenMp;
  parallel.note = "";
  parallel.parallel = ParallelThreads{2,
                                      {4.0, 2.0, 2.0, 2.0, 0, 0},
                                      {2.0, 1.0, 0.5, 1.5, 0, 1},
                                      {2.5, 1.25, 1.25, 1.25, 0, 0},
                                      {3.5, 1.75, 1.75, 1.75, 0, 0}};
  run.regions = {loop, parallel, solve};
  run.openmp = OpenMpTimes{{3.0, 1.5, 1.25, 1.75, 0, 1}, {1.0, 0.5, 0.5, 0.5, 0, 0}, {0.5, 0.25, 0.25, 0.25, 0, 0}};
  // main calls relax, and an operation of MPI; 0.5 s are in paths too small to be kept.
  const auto path = [](int parent, const char* function, CallPathKind kind, OverRanks inclusive, OverRanks exclusive) {
    return CallPath{parent, function, "heat", "/src/heat/relax.cpp", 42, kind, 900, inclusive, exclusive};
  };
  run.call_paths = {path(-1, "main", CallPathKind::kFunction, over_two_ranks(9, 9.5), over_two_ranks(0, 0.5)),
                    path(0, "heat::relax(std::vector<double>&, int)", CallPathKind::kFunction, over_two_ranks(6, 8),
                         over_two_ranks(6, 8)),
                    path(0, "MPI_Allreduce", CallPathKind::kMpi, over_two_ranks(3, 0.5), over_two_ranks(3, 0.5)),
                    path(0, "[other]", CallPathKind::kOther, over_two_ranks(0, 0.5), over_two_ranks(0, 0.5))};
  run.call_paths_from = 0.0005;

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
  profile.scaling = "strong";
  Run incomplete = complete_run();
  incomplete.id = "np0002.dt0.1.grid64.r1";
  incomplete.repeat = 1;
  incomplete.complete = false;
  incomplete.reason = "rank 1 left no file";
  incomplete.clock = Clock::kCpu;
  profile.runs = {complete_run(), incomplete};
  const Machine machine = example_machine();
  profile.machine = MachineUsed{machine.host.name,
                                machine.host.cpu,
                                machine.host.cores,
                                machine.created,
                                machine.sustained_all_cores_hz.value,
                                machine.line_bytes,
                                machine.smallest_cpi.value,
                                machine.bandwidth.back().bytes_per_s.value,
                                {{"l1", machine.cache("l1")->latency_s.value},
                                 {"l2", machine.cache("l2")->latency_s.value},
                                 {"llc", machine.cache("llc")->latency_s.value},
                                 {"memory", machine.memory_latency_s.value}}};
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
  e.scaling = "weak";
  e.rate_hz = 500;
  e.traced = true;
  e.traced_series = true;
  e.stdin_file = "in.txt";
  e.input_files = {{"/home/user/in.txt", "7-0000abcd"}, {"/home/user/log", kWrittenByApplication}};
  e.environment.emplace()["OMP_NUM_THREADS"] = "4";
  e.parameter_names = {"grid"};
  e.words = {{"cells", "2:2 1,4:2 2"}};
  e.refused = {{"network", "something else ran"}};
  e.launcher_trials = {{"srun -N {nodes} -n {np} {command}", "exit status 1"}, {"mpirun -n {np} {command}", ""}};
  e.nodes = {{2, 1}, {4, 2}};
  e.ranks_per_node = 2;
  e.program = "/opt/heat";
  e.program_fingerprint = "100-00000001";
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
