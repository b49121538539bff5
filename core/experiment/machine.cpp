// machine.json; its fields are documented in machine.schema.json.
#include "core/experiment/machine.h"

#include "core/atomic_file.h"
#include "core/json/json_fields.h"
#include "core/json/json_writer.h"
#include "core/text/formatted.h"

namespace scalediag::core {
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

// The fields of each record, for FieldReader and FieldWriter.

void fields(auto& f, MachineValue& v) {
  f("value", v.value);
  f("spread", v.spread);
  f("source", v.source);
}

void within(auto& f, const char* key, MachineValue& v, const Range& range) {
  f(key, v);
  if (v.value >= range.from && v.value <= range.to) return;
  const std::string text =
      formatted("%g cannot be: expected %s between %g and %g", v.value, range.unit, range.from, range.to);
  f.fail(key, text);
}

void fields(auto& f, MachineCache& c) {
  f("name", c.name);
  f("size_bytes", c.size_bytes);
  if (!(c.size_bytes.value > 0)) f.fail("size_bytes", "expected a size above 0");
  f("shared_by", c.shared_by, 1);
  within(f, "latency_s", c.latency_s, kLatency);
  f("working_set_bytes", c.working_set_bytes);
  f("step_bytes", c.step_bytes);
}

void fields(auto& f, MachineBandwidth& b) {
  f("cores", b.cores, 1);
  within(f, "bytes_per_s", b.bytes_per_s, kBandwidth);
  f("best_bytes_per_s", b.best_bytes_per_s);
}

// Checks the order of the levels: a hit of one must not cost more than one of the next, nor have the name of another
// level.
void check_levels(auto& f, const Machine& m) {
  for (size_t i = 0; i < m.caches.size(); ++i) {
    const bool is_last = i + 1 == m.caches.size();
    const double next_s = is_last ? m.memory_latency_s.value : m.caches[i + 1].latency_s.value;
    const std::string next = is_last ? "memory" : m.caches[i + 1].name;
    if (!(m.caches[i].latency_s.value < next_s)) {
      f.fail("caches", "the latency of " + next + " is not above that of " + m.caches[i].name);
    }
    if (m.cache(m.caches[i].name) != &m.caches[i]) f.fail("caches", "two levels are called " + m.caches[i].name);
  }
}

void fields(auto& f, Machine& m) {
  f("scalediag_version", m.scalediag_version);
  f("created", m.created);
  f("elapsed_s", m.elapsed_s);
  f("host", m.host);
  if (m.host.cores < 1) f.fail("host", "expected a core or more");
  f("pages", m.pages);
  f("line_bytes", m.line_bytes);
  if (!(m.line_bytes > 0)) f.fail("line_bytes", "expected a number above 0");
  f("caches", m.caches);
  within(f, "memory_latency_s", m.memory_latency_s, kLatency);
  f("memory_working_set_bytes", m.memory_working_set_bytes);
  f("bandwidth", m.bandwidth);
  f("nominal_hz", m.nominal_hz);
  within(f, "sustained_hz", m.sustained_hz, kFrequency);
  within(f, "sustained_all_cores_hz", m.sustained_all_cores_hz, kFrequency);
  within(f, "smallest_cpi", m.smallest_cpi, kCpi);
  f("latency_curve", m.latency_curve);
  f("warnings", m.warnings);
  check_levels(f, m);
}

namespace {

constexpr char kMachineSchema[] = "scalediag-machine";
constexpr int kMachineVersion = 1;
constexpr int kMachineCompactDepth = 2;  // a cache, a number of cores, a point of the curve is a line

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
  const auto document =
      json_of_record(m, {{"schema", std::string(kMachineSchema) + "/" + std::to_string(kMachineVersion)}});
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
  auto machine = record_of<Machine>(JsonNode(document.value(), failure));
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
