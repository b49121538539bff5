#include "loggp/network/network_json.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "core/atomic_file.h"
#include "core/json/json_reader.h"
#include "core/json/json_writer.h"
#include "core/raw/raw_format.h"
#include "core/text/formatted.h"

namespace scalediag::loggp {
namespace {

using core::JsonNode;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kSchema = "scalediag-network";
constexpr int kVersion = 1;
constexpr const char* kNetworkHint =
    "`scalediag network -o FILE` measures a network; docs/network.md describes every field";

// Reads objects whose fields may be left out, and reports fields that nothing reads: in a file written by hand those
// are misspelt, and would silently leave a parameter at zero.
class Fields {
 public:
  Fields(json& object, std::string path, std::string& failure)
      : object_(object), path_(std::move(path)), failure_(failure) {
    if (!object_.is_object()) fail("", "expected an object, found " + std::string(object_.type_name()));
  }

  void know(std::initializer_list<const char*> names) {
    if (!object_.is_object()) return;
    for (const auto& [name, value] : object_.items()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) fail(name, "there is no such field");
    }
  }
  void number(const char* name, double& to) {
    if (const json* field = find(name)) {
      if (!field->is_number()) return fail(name, "expected a number, found " + std::string(field->type_name()));
      to = field->get<double>();
    }
  }
  void number(const char* name, std::optional<double>& to) {
    if (find(name) != nullptr) number(name, to.emplace());
  }
  // Reads a number that has no default: a missing one would make every prediction too low.
  void required_number(const char* name, double& to) {
    if (!has(name)) return fail(name, "is missing: write 0 where it costs nothing");
    number(name, to);
  }
  // Refuses a field that would have no effect.
  void has_no(const char* name, const std::string& why) {
    if (has(name)) fail(name, why);
  }
  void integer(const char* name, int& to) {
    if (const json* field = find(name)) read_integer(name, *field, to);
  }
  // null stands for "without end".
  void size(const char* name, uint64_t& to) {
    const json* field = find(name);
    if (field == nullptr) return;
    if (field->is_null()) {
      to = kAnySize;
    } else if (field->is_number_unsigned()) {
      to = field->get<uint64_t>();
    } else {
      fail(name, "expected a number of bytes or null, found " + field->dump());
    }
  }
  void text(const char* name, std::string& to) {
    if (const json* field = find(name)) {
      if (!field->is_string()) return fail(name, "expected a text, found " + std::string(field->type_name()));
      to = field->get<std::string>();
    }
  }
  void integers(const char* name, std::vector<int>& to) {
    const json* field = array(name);
    if (field == nullptr) return;
    for (size_t i = 0; i < field->size(); ++i) {
      read_integer(name + ("[" + std::to_string(i) + "]"), (*field)[i], to.emplace_back());
    }
  }
  void numbers(const char* name, double* to, size_t count) {
    const json* field = array(name);
    if (field == nullptr) return;
    if (field->size() != count) return fail(name, "expected " + std::to_string(count) + " numbers");
    for (size_t i = 0; i < count; ++i) {
      if (!(*field)[i].is_number()) return fail(name, "expected numbers");
      to[i] = (*field)[i].get<double>();
    }
  }
  void texts(const char* name, std::vector<std::string>& to) {
    const json* field = array(name);
    if (field == nullptr) return;
    for (const json& element : *field) {
      if (!element.is_string()) return fail(name, "expected texts");
      to.push_back(element.get<std::string>());
    }
  }
  // visit(Fields) for the object in a field, if it is there.
  bool object(const char* name, auto visit) {
    json* field = find(name);
    if (field == nullptr) return false;
    Fields fields(*field, path_of(name), failure_);
    if (failure_.empty()) visit(fields);
    return true;
  }
  void each(const char* name, auto visit) {
    json* field = array(name);
    if (field == nullptr) return;
    for (size_t i = 0; i < field->size(); ++i) {
      Fields fields((*field)[i], path_of(name) + "[" + std::to_string(i) + "]", failure_);
      if (!failure_.empty()) return;
      visit(fields);
    }
  }
  void each_text(auto visit) {
    if (!object_.is_object()) return;
    for (const auto& [name, value] : object_.items()) {
      if (!value.is_string()) return fail(name, "expected a text");
      visit(name, value.template get<std::string>());
    }
  }
  void fail(const std::string& name, const std::string& what) {
    if (failure_.empty()) failure_ = path_of(name) + ": " + what;
  }
  bool has(const char* name) { return find(name) != nullptr; }

 private:
  std::string path_of(const std::string& name) const {
    if (name.empty()) return path_.empty() ? "the file" : path_;
    return path_.empty() ? name : path_ + "." + name;
  }
  json* find(const std::string& name) {
    if (!failure_.empty() || !object_.is_object()) return nullptr;
    const auto it = object_.find(name);
    return it == object_.end() ? nullptr : &*it;
  }
  json* array(const char* name) {
    json* field = find(name);
    if (field != nullptr && !field->is_array()) {
      fail(name, "expected a list, found " + std::string(field->type_name()));
      return nullptr;
    }
    return field;
  }
  void read_integer(const std::string& name, const json& field, int& to) {
    if (!field.is_number_integer()) return fail(name, "expected a whole number, found " + field.dump());
    const auto value = field.get<int64_t>();
    if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
      return fail(name, field.dump() + " is out of range");
    }
    to = static_cast<int>(value);
  }

  json& object_;
  std::string path_;
  std::string& failure_;
};

void read_link(Fields& fields, LinkClass& link) {
  fields.know({"L", "S_sync", "exchange", "connect", "segments", "measured", "notes"});
  fields.number("L", link.latency_s);
  fields.size("S_sync", link.sync_bytes);
  fields.number("exchange", link.exchange);
  fields.number("connect", link.connect_s);
  link.segments.clear();
  bool all_have_latency = true;
  fields.each("segments", [&](Fields& f) {
    f.know({"from", "to", "o_s", "o_r", "O", "g", "G", "L", "handshake", "residual"});
    Segment& s = link.segments.emplace_back();
    f.size("from", s.from_bytes);
    f.size("to", s.to_bytes);
    f.required_number("o_s", s.send_overhead_s);
    f.required_number("o_r", s.receive_overhead_s);
    f.number("O", s.overhead_s_per_byte);
    f.required_number("g", s.gap_s);
    f.required_number("G", s.gap_s_per_byte);
    f.number("L", s.latency_s);
    all_have_latency = all_have_latency && s.latency_s.has_value();
    f.number("handshake", s.handshake);
    f.number("residual", s.residual);
  });
  if (!fields.has("L") && (link.segments.empty() || !all_have_latency)) {
    fields.fail("L", "is missing: state it here or in every segment, 0 where it costs nothing");
  }
  fields.each("measured", [&link](Fields& f) {
    f.know({"bytes", "half_round_trip", "gap"});
    SizeSample& sample = link.samples.emplace_back();
    f.size("bytes", sample.bytes);
    f.numbers("half_round_trip", sample.half_round_trip_s, 3);
    f.numbers("gap", sample.gap_s, 3);
  });
  fields.texts("notes", link.notes);
}

void read_placement(Fields& fields, Placement& placement) {
  fields.know({"kind", "ranks_per_node", "nodes", "list"});
  std::string kind = "block";
  fields.text("kind", kind);
  if (kind == "block") {
    placement.kind = Placement::Kind::kBlock;
  } else if (kind == "cyclic") {
    placement.kind = Placement::Kind::kCyclic;
  } else if (kind == "list") {
    placement.kind = Placement::Kind::kList;
  } else {
    fields.fail("kind", "expected block, cyclic or list, found '" + kind + "'");
  }
  fields.integer("ranks_per_node", placement.ranks_per_node);
  fields.integer("nodes", placement.nodes);
  fields.integers("list", placement.list);
  const std::string why = "has no effect with placement.kind " + kind;
  if (kind != "block") fields.has_no("ranks_per_node", why);
  if (kind != "cyclic") fields.has_no("nodes", why);
  if (kind != "list") fields.has_no("list", why);
}

void read_topology(Fields& fields, Topology& topology) {
  fields.know({"kind", "shape", "hop_latency"});
  std::string kind = "flat";
  fields.text("kind", kind);
  if (kind == "flat") {
    topology.kind = Topology::Kind::kFlat;
  } else if (kind == "torus") {
    topology.kind = Topology::Kind::kTorus;
  } else if (kind == "tree") {
    topology.kind = Topology::Kind::kTree;
  } else {
    fields.fail("kind", "expected flat, torus or tree, found '" + kind + "'");
  }
  fields.integers("shape", topology.shape);
  fields.number("hop_latency", topology.hop_latency_s);
  if (kind == "flat" && (!topology.shape.empty() || topology.hop_latency_s != 0)) {
    fields.fail("", "shape and hop_latency have no effect without kind torus or tree");
  }
}

Error with_hint(Error error) {
  if (error.hint.empty()) error.hint = kNetworkHint;
  return error;
}

ordered_json size_json(uint64_t bytes) { return bytes == kAnySize ? ordered_json(nullptr) : ordered_json(bytes); }

ordered_json link_json(const LinkClass& link) {
  ordered_json segments = ordered_json::array();
  for (const Segment& s : link.segments) {
    ordered_json one = {{"from", s.from_bytes},        {"to", size_json(s.to_bytes)}, {"o_s", s.send_overhead_s},
                        {"o_r", s.receive_overhead_s}, {"O", s.overhead_s_per_byte},  {"g", s.gap_s},
                        {"G", s.gap_s_per_byte}};
    if (s.latency_s) one["L"] = *s.latency_s;
    if (s.handshake != 1) one["handshake"] = s.handshake;
    one["residual"] = s.residual;
    segments.push_back(std::move(one));
  }
  ordered_json result = {{"L", link.latency_s}, {"S_sync", size_json(link.sync_bytes)}};
  if (link.exchange != 1) result["exchange"] = link.exchange;
  if (link.connect_s != 0) result["connect"] = link.connect_s;
  result["segments"] = segments;
  if (!link.samples.empty()) {
    ordered_json& measured = result["measured"] = ordered_json::array();
    for (const SizeSample& s : link.samples) {
      measured.push_back({{"bytes", s.bytes}, {"half_round_trip", s.half_round_trip_s}, {"gap", s.gap_s}});
    }
  }
  if (!link.notes.empty()) result["notes"] = link.notes;
  return result;
}

}  // namespace

Result<Network> parse_network(const std::string& text, const std::string& file) {
  auto document = core::parse_json(text, file);
  if (!document) return with_hint(document.error());
  if (auto known = core::check_schema(document.value(), kSchema, kVersion, file, "measure the network again"); !known) {
    return with_hint(known.error());
  }
  Network network;
  std::string failure;
  Fields fields(document.value(), "", failure);
  fields.know({"schema", "units", "name", "same_node", "other_node", "placement", "topology", "progress", "reduction",
               "copy", "library", "library_version", "algorithms", "provenance"});
  fields.text("name", network.name);
  const bool has_other = fields.object("other_node", [&](Fields& f) { read_link(f, network.other_node); });
  const bool has_same = fields.object("same_node", [&](Fields& f) { read_link(f, network.same_node); });
  if (!has_other && !has_same) fields.fail("other_node", "is missing: a network has at least one link class");
  if (has_other && has_same && network.same_node.exchange != 1) {
    fields.fail("same_node.exchange", "has no effect: messages within a node are copied one by one");
  }
  fields.object("placement", [&](Fields& f) { read_placement(f, network.placement); });
  fields.object("topology", [&](Fields& f) { read_topology(f, network.topology); });
  std::string progress = "always";
  fields.text("progress", progress);
  if (progress == "in-calls") {
    network.progress = Progress::kInCalls;
  } else if (progress != "always") {
    fields.fail("progress", "expected always or in-calls, found '" + progress + "'");
  }
  fields.number("reduction", network.reduction_s_per_byte);
  fields.number("copy", network.copy_s_per_byte);
  fields.text("library", network.library);
  fields.text("library_version", network.library_version);
  fields.object("algorithms", [&](Fields& f) {
    f.each_text([&](const std::string& collective, const std::string& algorithm) {
      network.algorithms.emplace_back(collective, algorithm);
    });
  });
  fields.object("provenance", [&](Fields& f) {
    f.each_text(
        [&](const std::string& name, const std::string& value) { network.provenance.emplace_back(name, value); });
  });
  if (!failure.empty()) {
    return Error{ErrorCode::kInput, file + ": " + failure, kNetworkHint, file};
  }
  // The link is checked before it is copied to the other class, so that errors name the field of the file.
  LinkClass nothing;
  nothing.segments = {Segment{}};
  if (!has_same) network.same_node = nothing;
  if (!has_other) network.other_node = nothing;
  TRY(validate(network, file));
  if (!has_same) {
    network.same_node = network.other_node;
    network.same_node.exchange = 1;  // has no effect within a node, where the file may not have it
  }
  if (!has_other) network.other_node = network.same_node;
  return network;
}

Result<Network> read_network(const std::string& path) {
  const auto text = core::read_file(path);
  if (!text) return with_hint(text.error());
  return parse_network(text.value(), path);
}

Result<std::string> network_text(const Network& network) {
  ordered_json document;
  document["schema"] = std::string(kSchema) + "/" + std::to_string(kVersion);
  document["units"] = "seconds, bytes, seconds per byte";
  document["name"] = network.name;
  document["library"] = network.library;
  document["library_version"] = network.library_version;
  if (network.progress == Progress::kInCalls) document["progress"] = "in-calls";
  document["reduction"] = network.reduction_s_per_byte;
  if (network.copy_s_per_byte > 0) document["copy"] = network.copy_s_per_byte;
  ordered_json& placement = document["placement"];
  switch (network.placement.kind) {
    case Placement::Kind::kBlock:
      placement = {{"kind", "block"}, {"ranks_per_node", network.placement.ranks_per_node}};
      break;
    case Placement::Kind::kCyclic: placement = {{"kind", "cyclic"}, {"nodes", network.placement.nodes}}; break;
    case Placement::Kind::kList: placement = {{"kind", "list"}, {"list", network.placement.list}}; break;
  }
  constexpr std::array kTopologies = {"flat", "torus", "tree"};
  document["topology"] = {{"kind", kTopologies[static_cast<size_t>(network.topology.kind)]},
                          {"shape", network.topology.shape},
                          {"hop_latency", network.topology.hop_latency_s}};
  document["algorithms"] = ordered_json::object();
  for (const auto& [collective, algorithm] : network.algorithms) document["algorithms"][collective] = algorithm;
  if (!network.provenance.empty()) {
    for (const auto& [name, text] : network.provenance) document["provenance"][name] = text;
  }
  // A class without segments was not measured; on reading, the other one's values replace it.
  if (!network.same_node.segments.empty()) document["same_node"] = link_json(network.same_node);
  if (!network.other_node.segments.empty()) document["other_node"] = link_json(network.other_node);
  return core::to_json_text(document, 3);
}

Result<std::string> fingerprint_of(Network network) {
  network.name.clear();
  network.provenance.clear();
  for (LinkClass* link : {&network.same_node, &network.other_node}) {
    link->samples.clear();
    link->notes.clear();
    for (Segment& segment : link->segments) segment.residual = 0;
  }
  const auto text = TRY(network_text(network));
  return core::formatted("%08x", raw::crc32(text.data(), text.size()));
}

}  // namespace scalediag::loggp
