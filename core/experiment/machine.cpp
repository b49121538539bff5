// machine.json; its fields are documented in machine.schema.json.
#include "core/experiment/machine.h"

#include <cstdio>

#include "core/atomic_file.h"
#include "core/json/json_reader.h"
#include "core/json/json_writer.h"

namespace scalediag::core {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kMachineSchema[] = "scalediag-machine";
constexpr int kMachineVersion = 1;
constexpr int kMachineCompactDepth = 2;  // a cache, a number of cores, a point of the curve is a line

Json to_json(const MachineValue& v) { return {{"value", v.value}, {"spread", v.spread}, {"source", v.source}}; }

Json to_json(const MachineCache& c) {
  return {{"name", c.name},
          {"size_bytes", to_json(c.size_bytes)},
          {"shared_by", c.shared_by},
          {"latency_s", to_json(c.latency_s)},
          {"working_set_bytes", c.working_set_bytes},
          {"step_bytes", c.step_bytes}};
}

Json to_json(const MachineBandwidth& b) {
  return {{"cores", b.cores}, {"bytes_per_s", to_json(b.bytes_per_s)}, {"best_bytes_per_s", b.best_bytes_per_s}};
}

MachineValue read_value(const JsonNode& node, const char* key) {
  MachineValue v;
  node.object(key, [&v](const JsonNode& n) {
    n.read("value", v.value);
    n.read("spread", v.spread);
    n.read("source", v.source);
  });
  return v;
}

// The valid range of a quantity. Times are divided by these values or made from them, so that a zero or another unit
// would lead to wrong times.
struct Range {
  double from;
  double to;
  const char* unit;
};
constexpr Range kLatency{1e-11, 1e-3, "seconds"};
constexpr Range kFrequency{1e6, 1e11, "hertz"};
constexpr Range kCpi{0.01, 100, "cycles an instruction"};
constexpr Range kBandwidth{1e6, 1e15, "bytes a second"};

MachineValue read_within(const JsonNode& node, const char* key, const Range& range) {
  const MachineValue v = read_value(node, key);
  if (!node.failed() && !(v.value >= range.from && v.value <= range.to)) {
    char text[96];
    std::snprintf(text, sizeof text, "%g cannot be: expected %s between %g and %g", v.value, range.unit, range.from,
                  range.to);
    node.fail(key, text);
  }
  return v;
}

double read_positive(const JsonNode& node, const char* key) {
  double value = 0;
  node.read(key, value);
  if (!node.failed() && !(value > 0)) node.fail(key, "expected a number above 0");
  return value;
}

MachineCache read_cache(const JsonNode& node) {
  MachineCache c;
  node.read("name", c.name);
  c.size_bytes = read_value(node, "size_bytes");
  if (!node.failed() && !(c.size_bytes.value > 0)) node.fail("size_bytes", "expected a size above 0");
  node.read("shared_by", c.shared_by, 1);
  c.latency_s = read_within(node, "latency_s", kLatency);
  node.read("working_set_bytes", c.working_set_bytes);
  node.read("step_bytes", c.step_bytes);
  return c;
}

MachineBandwidth read_bandwidth(const JsonNode& node) {
  MachineBandwidth b;
  node.read("cores", b.cores, 1);
  b.bytes_per_s = read_within(node, "bytes_per_s", kBandwidth);
  node.read("best_bytes_per_s", b.best_bytes_per_s);
  return b;
}

std::pair<double, double> read_point(const JsonNode& node) {
  std::pair<double, double> point;
  size_t column = 0;
  node.each_element([&](const JsonNode& value) {
    if (column < 2) value.get(column == 0 ? point.first : point.second);
    ++column;
  });
  if (column != 2) node.fail("expected two values: bytes, seconds");
  return point;
}

// Checks the order of the levels: a hit of one must not cost more than one of the next, nor have the name of another
// level.
void check_levels(const JsonNode& node, const Machine& m) {
  for (size_t i = 0; i < m.caches.size() && !node.failed(); ++i) {
    const bool is_last = i + 1 == m.caches.size();
    const double next_s = is_last ? m.memory_latency_s.value : m.caches[i + 1].latency_s.value;
    const std::string next = is_last ? "memory" : m.caches[i + 1].name;
    if (!(m.caches[i].latency_s.value < next_s)) {
      node.fail("caches", "the latency of " + next + " is not above that of " + m.caches[i].name);
    }
    if (m.cache(m.caches[i].name) != &m.caches[i]) node.fail("caches", "two levels are called " + m.caches[i].name);
  }
}

Machine read_fields(const JsonNode& node) {
  Machine m;
  node.read("scalediag_version", m.scalediag_version);
  node.read("created", m.created);
  node.read("elapsed_s", m.elapsed_s);
  node.object("host", [&m](const JsonNode& host) {
    host.read("name", m.host.name);
    host.read("kernel", m.host.kernel);
    host.read("cpu", m.host.cpu);
    host.read("cores", m.host.cores, 1);
    host.read("memory_bytes", m.host.memory_bytes);
  });
  node.read("pages", m.pages);
  m.line_bytes = read_positive(node, "line_bytes");
  node.each("caches", [&m](const JsonNode& cache) { m.caches.push_back(read_cache(cache)); });
  m.memory_latency_s = read_within(node, "memory_latency_s", kLatency);
  node.read("memory_working_set_bytes", m.memory_working_set_bytes);
  node.each("bandwidth", [&m](const JsonNode& b) { m.bandwidth.push_back(read_bandwidth(b)); });
  m.nominal_hz = read_value(node, "nominal_hz");
  m.sustained_hz = read_within(node, "sustained_hz", kFrequency);
  m.sustained_all_cores_hz = read_within(node, "sustained_all_cores_hz", kFrequency);
  m.smallest_cpi = read_within(node, "smallest_cpi", kCpi);
  node.each("latency_curve", [&m](const JsonNode& point) { m.latency_curve.push_back(read_point(point)); });
  node.read("warnings", m.warnings);
  check_levels(node, m);
  return m;
}

}  // namespace

const MachineCache* Machine::cache(const std::string& name) const {
  for (const MachineCache& c : caches) {
    if (c.name == name) return &c;
  }
  return nullptr;
}

TimeRatios time_ratios(const Machine& from, const Machine& to) {
  const auto ratio = [](double a, double b) { return a > 0 && b > 0 ? b / a : 0; };
  const auto instruction_s = [](const Machine& m) {
    const double hz = m.sustained_all_cores_hz.value > 0 ? m.sustained_all_cores_hz.value : m.sustained_hz.value;
    return hz > 0 ? m.smallest_cpi.value / hz : 0;
  };
  const auto byte_s = [](const Machine& m) {
    if (m.bandwidth.empty() || !(m.bandwidth.back().bytes_per_s.value > 0)) return 0.0;
    return m.bandwidth.back().cores / m.bandwidth.back().bytes_per_s.value;
  };
  return {ratio(instruction_s(from), instruction_s(to)), ratio(from.memory_latency_s.value, to.memory_latency_s.value),
          ratio(byte_s(from), byte_s(to))};
}

bool same_host(const Host& a, const Host& b) { return a.name == b.name && a.cpu == b.cpu && a.cores == b.cores; }

Result<std::string> machine_to_text(const Machine& m) {
  Json caches = Json::array();
  for (const MachineCache& c : m.caches) caches.push_back(to_json(c));
  Json bandwidth = Json::array();
  for (const MachineBandwidth& b : m.bandwidth) bandwidth.push_back(to_json(b));
  Json curve = Json::array();
  for (const auto& [bytes, latency_s] : m.latency_curve) curve.push_back(Json::array({bytes, latency_s}));
  const Json document = {{"schema", std::string(kMachineSchema) + "/" + std::to_string(kMachineVersion)},
                         {"scalediag_version", m.scalediag_version},
                         {"created", m.created},
                         {"elapsed_s", m.elapsed_s},
                         {"host",
                          {{"name", m.host.name},
                           {"kernel", m.host.kernel},
                           {"cpu", m.host.cpu},
                           {"cores", m.host.cores},
                           {"memory_bytes", m.host.memory_bytes}}},
                         {"pages", m.pages},
                         {"line_bytes", m.line_bytes},
                         {"caches", caches},
                         {"memory_latency_s", to_json(m.memory_latency_s)},
                         {"memory_working_set_bytes", m.memory_working_set_bytes},
                         {"bandwidth", bandwidth},
                         {"nominal_hz", to_json(m.nominal_hz)},
                         {"sustained_hz", to_json(m.sustained_hz)},
                         {"sustained_all_cores_hz", to_json(m.sustained_all_cores_hz)},
                         {"smallest_cpi", to_json(m.smallest_cpi)},
                         {"latency_curve", curve},
                         {"warnings", m.warnings}};
  return to_json_text(document, kMachineCompactDepth);
}

Result<Machine> parse_machine(const std::string& text, const std::string& file) {
  const std::string hint = "measure again: scalediag machine -o " + file + "; docs/machine.md describes every field";
  auto document = parse_json(text, file);
  if (!document) {
    Error error = document.error();
    error.hint = hint;
    return error;
  }
  if (auto schema = check_schema(document.value(), kMachineSchema, kMachineVersion, file, hint); !schema)
    return schema.error();
  std::optional<std::string> failure;
  Machine machine = read_fields(JsonNode(document.value(), failure));
  if (failure) return Error{ErrorCode::kInput, file + " is damaged: " + *failure, hint, file};
  return machine;
}

Result<Machine> read_machine(const std::string& path) {
  const Result<std::string> text = read_file(path);
  if (text) return parse_machine(text.value(), path);
  Error error = text.error();
  if (error.hint.empty()) error.hint = "measure it: scalediag machine -o " + path;
  return error;
}

Status write_machine(const Machine& machine, const std::string& path) {
  const Result<std::string> text = machine_to_text(machine);
  return text ? write_file_atomically(path, text.value()) : text.error();
}

}  // namespace scalediag::core
