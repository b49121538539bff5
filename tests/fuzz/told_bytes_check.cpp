#include "tests/fuzz/told_bytes_check.h"

#include <cstdint>

#include "core/mpi_routines.h"
#include "core/raw/event_stream.h"
#include "core/raw/trace_format.h"
#include "loggp/emulation/emulation.h"
#include "tests/loggp/example_network.h"

namespace scalediag::tests {
namespace {

constexpr uint32_t kRanks = 3;

std::string numbers(std::initializer_list<uint64_t> values) {
  std::string bytes;
  for (const uint64_t value : values) trace::put(bytes, value);
  return bytes;
}

std::string chunk(trace::ChunkKind kind, const std::string& payload) {
  return numbers({2 * static_cast<uint64_t>(kind) + 1, payload.size()}) + payload;
}
std::string chunk(uint32_t kind, const std::string& payload) { return chunk(trace::ChunkKind{kind}, payload); }

std::string text(const std::string& of) {
  std::string bytes;
  trace::put_text(bytes, of);
  return bytes;
}

std::string beginning(uint32_t rank) {
  return chunk(trace::ChunkKind::kIdentity, numbers({rank, kRanks}) + text("host") + text("app") + text("MPI")) +
         chunk(trace::ChunkKind::kCommunicators, numbers({1, 1, 0}));
}

std::string piece(uint32_t rank, const std::string& bytes) {
  return std::string{static_cast<char>(rank), static_cast<char>(bytes.size())} + bytes;
}

// The routine has the number 1.
std::string definition(const std::string& routine, trace::EventKind kind, const std::string& rest) {
  return chunk(stream::kDefinition, text(routine) + numbers({static_cast<uint64_t>(kind), 1}) + rest);
}

}  // namespace

void emulate_told_bytes(std::string_view input) {
  if (input.empty()) return;
  static const loggp::Network network = loggp::example_network();
  loggp::EmulationOptions options;
  options.times_calls = true;
  auto emulation = loggp::Emulation::begin(kRanks, network, options, [](auto&&...) {});
  if (!emulation) return;
  loggp::Emulation& e = *emulation.value();
  const auto begun = static_cast<unsigned char>(input[0]);
  input.remove_prefix(1);
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    if ((begun >> rank & 1) != 0 && !e.take(rank, beginning(rank))) return;
  }
  while (input.size() >= 2) {
    const uint32_t rank = static_cast<unsigned char>(input[0]) % kRanks;
    const size_t bytes = static_cast<unsigned char>(input[1]);
    const std::string_view told = input.substr(2, bytes);
    input.remove_prefix(2 + told.size());
    if (!e.take(rank, told) || !e.go_on({rank})) return;
  }
  if (!e.end()) return;
  [[maybe_unused]] const std::string state = e.state();
}

std::vector<std::string> told_seeds() {
  using trace::EventKind;
  std::string ring(1, '\x07'), collectives(1, '\x07'), asked(1, '\x03'), whole(1, '\0');
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    const std::string end =
        chunk(trace::ChunkKind::kEnd, numbers({2, static_cast<uint64_t>(trace::End::kFinalize), 5, 9}));
    const std::string send =
        definition("MPI_Isend", EventKind::kIsend, numbers({(rank + 1) % kRanks, 10, 0, 8, 0}));
    const std::string receive =
        definition("MPI_Recv", EventKind::kRecv, numbers({(rank + kRanks - 1) % kRanks, 10, 0, 8}));
    ring += piece(rank, send + receive + numbers({0, 1000, 2, 500}) + end);
    // Members 0, 1, 2 as signed steps; an allreduce of 8 bytes on it.
    const std::string made = chunk(trace::ChunkKind::kCommunicators, numbers({1, 2, 3, 0, 2, 2}));
    const auto which = static_cast<uint64_t>(mpi::Collective::kAllreduce);
    collectives += piece(rank, made + definition("MPI_Allreduce", EventKind::kCollective, numbers({1, which, 8, 0})) +
                                   numbers({0, 10, 0, 20}) + end);
    whole += piece(rank, beginning(rank) + end);
  }
  asked += piece(0, chunk(stream::kQuestion, numbers({7, 0, 0, 0, 0, 0})) + chunk(stream::kRegionName, text("a")) +
                        chunk(stream::kMark, numbers({1, 0, 1})) + chunk(stream::kMark, numbers({1, 0, 0})));
  asked += piece(1, chunk(stream::kQuestion, numbers({7, 1, 0, 1, 1, 0})));
  return {ring, collectives, asked, whole};
}

}  // namespace scalediag::tests
