// Events a second and memory of the simulator, on one core:
//
//   simulator_bench            all of them, each in a process of its own, so that its memory is its own
//   simulator_bench NAME       one of them
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>

#include "loggp/simulator/simulator.h"

namespace {

using namespace scalediag::loggp;

// Each rank's operations follow from its number, so that the measured memory is the simulator's.
class Generated : public Program {
 public:
  explicit Generated(int ranks) : ranks_(ranks) {}
  int ranks() const override { return ranks_; }
  const std::vector<std::string>& labels() const override { return labels_; }

 private:
  int ranks_;
  std::vector<std::string> labels_ = {""};
};

// In round i: send to rank + 2^i, receive from rank - 2^i.
class Dissemination : public Generated {
 public:
  using Generated::Generated;
  Op next(int rank, uint64_t& position) const override {
    const uint64_t round = position / 2;
    const int64_t distance = int64_t{1} << round;
    if (distance >= ranks()) return {};
    const bool sends = position++ % 2 == 0;
    const int64_t peer = (rank + (sends ? distance : ranks() - distance)) % ranks();
    return message(sends ? OpKind::kSend : OpKind::kRecv, static_cast<int>(peer), 8, static_cast<int>(round));
  }
};

// Every rank sends to every other one, then receives from every other one, all at once.
class LinearAlltoall : public Generated {
 public:
  using Generated::Generated;
  Op next(int rank, uint64_t& position) const override {
    const auto others = static_cast<uint64_t>(ranks() - 1);
    if (position > 2 * others) return {};
    const uint64_t i = position++;
    if (i == 2 * others) return wait_for(0);
    const bool sends = i < others;
    const int peer = (rank + 1 + static_cast<int>(sends ? i : i - others)) % ranks();
    return message(sends ? OpKind::kIsend : OpKind::kIrecv, peer, 8);
  }
};

class OneCollective : public Generated {
 public:
  OneCollective(int ranks, Collective kind, uint64_t bytes) : Generated(ranks), op_(collective(kind, bytes)) {}
  Op next(int /*rank*/, uint64_t& position) const override { return position++ == 0 ? op_ : Op{}; }

 private:
  Op op_;
};

// Steps of a computation, an exchange with the six neighbours in a periodic grid, and an Allreduce of 8 bytes.
class Halo : public Generated {
 public:
  Halo(int x, int y, int z, uint64_t steps) : Generated(x * y * z), sides_{x, y, z}, steps_(steps) {}
  Op next(int rank, uint64_t& position) const override {
    const uint64_t at = position % kEvents;
    if (position / kEvents >= steps_) return {};
    ++position;
    if (at == 0) return compute(1e-5 + 1e-7 * ((rank * 7919 + static_cast<int>(position)) % 13));
    if (at == 13) return wait_for(0);
    if (at == 14) return collective(Collective::kAllreduce, 8);
    const auto side = static_cast<int>((at - 1) % 6);
    const bool sends = at > 6;
    const int axis = side / 2;
    const int towards = (side % 2 == 0) == sends ? 1 : -1;
    return message(sends ? OpKind::kIsend : OpKind::kIrecv, neighbour(rank, axis, towards), 8192, side);
  }

 private:
  static constexpr uint64_t kEvents = 15;
  int neighbour(int rank, int axis, int towards) const {
    const int below = axis == 0 ? 1 : axis == 1 ? sides_[0] : sides_[0] * sides_[1];
    const int at = rank / below % sides_[axis];
    return rank + ((at + towards + sides_[axis]) % sides_[axis] - at) * below;
  }
  int sides_[3];
  uint64_t steps_;
};

Network some_network(const char* collective, const char* algorithm) {
  Segment s;
  s.send_overhead_s = 1e-6;
  s.receive_overhead_s = 1e-6;
  s.gap_s = 1e-6;
  s.gap_s_per_byte = 1e-10;
  Network network = uniform_network(s, 2e-6, 65536);
  network.algorithms = {{collective, algorithm}};
  return network;
}

double cpu_s(const rusage& usage) {
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// The simulator uses one core; CPU time is measured, since other programs may run at the same time.
int measure(const char* name, const Program& program, const Network& network) {
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  const auto begin = std::chrono::steady_clock::now();
  const auto result = simulate(program, network);
  const double elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!result) {
    std::fprintf(stderr, "%s: %s\n", name, result.error().message.c_str());
    return 1;
  }
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  const double used_s = cpu_s(after) - cpu_s(before);
  const double events = static_cast<double>(result.value().n_events);
  std::printf(
      "%-21s %8d ranks %8.2f M events  elapsed %7.3f s  CPU %7.3f s %6.2f M events/CPU s %7.1f MB  (simulated %.9f "
      "s)\n",
      name, program.ranks(), events * 1e-6, elapsed_s, used_s, events * 1e-6 / used_s,
      static_cast<double>(after.ru_maxrss) * 1024e-6, result.value().total_s);
  return 0;
}

struct Benchmark {
  const char* name;
  int (*run)(const char* name);
};

const Benchmark kBenchmarks[] = {
    {"dissemination", [](const char* n) { return measure(n, Dissemination(65536), some_network("Barrier", "bruck")); }},
    {"dissemination-large",
     [](const char* n) { return measure(n, Dissemination(1 << 20), some_network("Barrier", "bruck")); }},
    {"alltoall-256", [](const char* n) { return measure(n, LinearAlltoall(256), some_network("Alltoall", "linear")); }},
    {"alltoall-512", [](const char* n) { return measure(n, LinearAlltoall(512), some_network("Alltoall", "linear")); }},
    {"alltoall-2048",
     [](const char* n) { return measure(n, LinearAlltoall(2048), some_network("Alltoall", "linear")); }},
    {"binomial-broadcast",
     [](const char* n) {
       return measure(n, OneCollective(1 << 20, Collective::kBcast, 8), some_network("Bcast", "binomial"));
     }},
    {"halo",
     [](const char* n) { return measure(n, Halo(32, 32, 16, 10), some_network("Allreduce", "recursive_doubling")); }},
    {"halo-large",
     [](const char* n) { return measure(n, Halo(128, 128, 64, 10), some_network("Allreduce", "recursive_doubling")); }},
    {"barrier-collective",
     [](const char* n) {
       return measure(n, OneCollective(65536, Collective::kBarrier, 0), some_network("Barrier", "bruck"));
     }},
    {"allreduce-collective",
     [](const char* n) {
       return measure(n, OneCollective(1 << 20, Collective::kAllreduce, 8),
                      some_network("Allreduce", "recursive_doubling"));
     }},
};

}  // namespace

int main(int argc, char** argv) {
  for (const Benchmark& b : kBenchmarks) {
    if (argc > 1) {
      if (std::strcmp(argv[1], b.name) == 0) return b.run(b.name);
      continue;
    }
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      const int status = b.run(b.name);
      std::fflush(stdout);
      _exit(status);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) return 1;
  }
  return 0;
}
