#include "collector/counters/callgrind/callgrind_caches.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>

namespace scalediag::counters {
namespace {

constexpr uint64_t kUsualWays = 8;

uint64_t distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

std::string read_word(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string word;
  stream >> word;
  return word;
}

// A number as "32K", "1024K", "2M", "64"; 0 where it cannot be read.
uint64_t read_number(const std::filesystem::path& file) {
  const std::string word = read_word(file);
  if (word.empty() || word.front() < '0' || word.front() > '9' || word.size() > 12) return 0;
  const uint64_t number = std::stoull(word);
  switch (word.back()) {
    case 'K': return number << 10;
    case 'M': return number << 20;
    case 'G': return number << 30;
    default: return number;
  }
}

struct Level {
  int level = 0;
  std::string type;
  CacheGeometry geometry;
};

std::vector<Level> read_levels(const std::string& root) {
  std::vector<Level> levels;
  for (int i = 0; i < 16; ++i) {
    const std::filesystem::path folder = root + "/index" + std::to_string(i);
    Level level;
    level.level = static_cast<int>(read_number(folder / "level"));
    level.type = read_word(folder / "type");
    level.geometry = {read_number(folder / "size"), read_number(folder / "ways_of_associativity"),
                      read_number(folder / "coherency_line_size")};
    if (level.level > 0 && level.geometry.size > 0 && level.geometry.line > 0) levels.push_back(level);
  }
  return levels;
}

std::string size_text(uint64_t bytes) {
  const bool mega = bytes >= (1u << 20);
  const double value = static_cast<double>(bytes) / (mega ? 1 << 20 : 1 << 10);
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + (mega ? " MiB" : " KiB");
}

std::string text_of(const CacheGeometry& g) {
  return size_text(g.size) + " " + std::to_string(g.ways) + "-way with lines of " + std::to_string(g.line) + " bytes";
}

}  // namespace

CacheGeometry nearest_simulated(const CacheGeometry& real) {
  const uint64_t line = std::clamp<uint64_t>(std::bit_ceil(real.line), 16, 4096);
  const uint64_t wanted_ways = real.ways == 0 ? kUsualWays : real.ways;
  CacheGeometry best;
  // The number of sets that the cache would have with its own ways, rounded down and up to powers of two.
  const uint64_t sets = std::max<uint64_t>(1, real.size / (line * wanted_ways));
  for (const uint64_t power : {std::bit_floor(sets), std::bit_ceil(sets)}) {
    const uint64_t way = power * line;
    for (const uint64_t ways : {real.size / way, real.size / way + 1}) {
      if (ways == 0) continue;
      const CacheGeometry candidate{ways * way, ways, line};
      if (candidate.size <= line) continue;  // valgrind wants more than a line
      const bool first = best.size == 0;
      const uint64_t error = distance(candidate.size, real.size);
      const uint64_t best_error = distance(best.size, real.size);
      const bool closer_ways = distance(candidate.ways, wanted_ways) < distance(best.ways, wanted_ways);
      if (first || error < best_error || (error == best_error && closer_ways)) best = candidate;
    }
  }
  return best;
}

double share_of_last_level(double bytes, int shared_by, const RanksOnHost& on) {
  const int cores = std::max(1, on.cores);
  const int sharing_cores = std::clamp(shared_by, 1, cores);
  const int at_once = std::clamp(on.ranks, 1, std::max(1, cores / std::max(1, on.threads_of_rank)));
  const int levels = (cores + sharing_cores - 1) / sharing_cores;
  return bytes / ((at_once + levels - 1) / levels);
}

CallgrindCaches callgrind_caches(const std::string& root, double last_bytes) {
  const auto levels = read_levels(root);
  const Level* instruction = nullptr;
  const Level* data = nullptr;
  const Level* last = nullptr;
  bool has_middle = false;
  for (const Level& level : levels) {
    if (level.level == 1 && level.type != "Data") instruction = &level;
    if (level.level == 1 && level.type != "Instruction") data = &level;
    if (level.level > 1 && level.type != "Instruction" && (last == nullptr || level.level > last->level)) {
      has_middle = has_middle || last != nullptr;
      last = &level;
    }
  }
  CallgrindCaches caches;
  if (instruction == nullptr || data == nullptr || last == nullptr) {
    caches.description = "as valgrind guesses them";
    caches.notes.emplace_back("the kernel does not tell this machine's caches, so valgrind's guess is simulated");
    return caches;
  }
  const auto add = [&caches, last_bytes](const std::string& option, const std::string& name,
                                         const CacheGeometry& real) {
    const bool measured = name == "last level" && last_bytes > 0;
    CacheGeometry wanted = real;
    if (measured) wanted.size = static_cast<uint64_t>(last_bytes);
    const CacheGeometry g = nearest_simulated(wanted);
    caches.options.push_back("--" + option + "=" + std::to_string(g.size) + "," + std::to_string(g.ways) + "," +
                             std::to_string(g.line));
    caches.description += (caches.description.empty() ? "" : ", ") + name + " " + size_text(g.size);
    if (measured || g == real) return;
    const std::string real_text = real.ways == 0 ? size_text(real.size) : text_of(real);
    caches.notes.push_back(name + " is " + real_text + "; the nearest that callgrind can simulate is " + text_of(g));
  };
  add("I1", "I1", instruction->geometry);
  add("D1", "D1", data->geometry);
  add("LL", "last level", last->geometry);
  if (has_middle) {
    caches.notes.emplace_back(
        "callgrind simulates the first and the last level; hits of those between count as hits of the last");
  }
  return caches;
}

}  // namespace scalediag::counters
