#include "fit/data/caliper/cali_stream.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fit/data/caliper/caliper_run.h"
#include "fit/data/file_head.h"
#include "fit/data/number_text.h"
#include "fit/data/shown_text.h"

namespace scalediag::fit {
namespace {

using core::Error;
using core::ErrorCode;

// Nodes that every file has without a line for them.
constexpr uint64_t kNameAttribute = 8, kTypeAttribute = 9, kPropertyAttribute = 10;
constexpr unsigned kHidden = 128, kNested = 256;
constexpr size_t kMostNodes = 4'000'000;
constexpr const char* kCaliLines =
    "a line is __rec=node, __rec=ctx or __rec=globals with fields, as Caliper writes them";

struct Node {
  uint64_t attribute = 0;
  std::string data;
  std::optional<uint64_t> parent;
};

struct Attribute {
  std::string name, unit;
  bool nested = false, hidden = false;
};

// "__rec=ctx,ref=42=4242" -> {"__rec": ["ctx"], "ref": ["42", "4242"]}; a backslash takes the next byte as it is.
using Fields = std::vector<std::pair<std::string, std::vector<std::string>>>;

Fields fields_of(std::string_view line) {
  Fields fields;
  std::string word;
  bool in_field = false;
  const auto end_word = [&] {
    if (!in_field) {
      fields.emplace_back(std::move(word), std::vector<std::string>{});
    } else {
      fields.back().second.push_back(std::move(word));
    }
    word.clear();
    in_field = true;
  };
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) {
      ++i;
      word += line[i] == 'n' ? '\n' : line[i];
    } else if (line[i] == '=') {
      end_word();
    } else if (line[i] == ',') {
      end_word();
      in_field = false;
    } else {
      word += line[i];
    }
  }
  if (in_field || !word.empty()) end_word();
  return fields;
}

const std::vector<std::string>* find_field(const Fields& fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(), [name](const auto& f) { return f.first == name; });
  return found == fields.end() ? nullptr : &found->second;
}

std::optional<uint64_t> id_of(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

class StreamReader {
 public:
  StreamReader(const std::string& text, const std::string& file) : lines_(text), file_(file) {
    constexpr const char* kTypes[] = {"usr", "int", "uint", "string", "addr", "double", "bool", "type"};
    for (uint64_t i = 0; i < 8; ++i) nodes_[i] = {kTypeAttribute, kTypes[i], {}};
    nodes_[kNameAttribute] = {kNameAttribute, "cali.attribute.name", 3};
    nodes_[kTypeAttribute] = {kNameAttribute, "cali.attribute.type", 7};
    nodes_[kPropertyAttribute] = {kNameAttribute, "cali.attribute.prop", 1};
    nodes_[11] = {kTypeAttribute, "ptr", {}};
  }

  core::Result<MeasuredRun> read() {
    for (std::optional<std::string_view> line; !error_ && (line = lines_.next());) {
      if (const std::string_view content = trimmed(*line); !content.empty()) read_line(content);
    }
    if (error_) return *error_;
    return run_of_caliper(data_, file_);
  }

 private:
  void fail(const std::string& what) {
    if (!error_)
      error_ = Error{ErrorCode::kInput, file_ + ":" + std::to_string(lines_.number()) + ": " + what, kCaliLines, file_};
  }

  void read_line(std::string_view line) {
    const Fields fields = fields_of(line);
    const auto* kind = find_field(fields, "__rec");
    if (kind == nullptr || kind->size() != 1) return fail("'" + shown(line) + "' is no record of Caliper");
    if (kind->front() == "node") {
      read_node(fields);
    } else if (kind->front() == "ctx") {
      read_record(fields);
    } else if (kind->front() == "globals") {
      read_globals(fields);
    }
  }

  const Node* node(const std::string& id) {
    const auto number = id_of(id);
    const auto found = number ? nodes_.find(*number) : nodes_.end();
    if (found != nodes_.end()) return &found->second;
    fail("node " + shown(id) + " is not there");
    return nullptr;
  }

  void read_node(const Fields& fields) {
    const auto number_in = [&](const char* name) -> std::optional<uint64_t> {
      const auto* field = find_field(fields, name);
      return field == nullptr || field->empty() ? std::nullopt : id_of(field->front());
    };
    const auto id = number_in("id"), attribute = number_in("attr");
    if (!id || !attribute) return fail("a node without an id and an attribute");
    Node made{*attribute, "", number_in("parent")};
    if (const auto* data = find_field(fields, "data"); data != nullptr && !data->empty()) made.data = data->front();
    // Parents come first, so that nothing is its own ancestor.
    if (made.parent && nodes_.count(*made.parent) == 0) {
      return fail("node " + std::to_string(*made.parent) + ", the parent of " + std::to_string(*id) + ", is not there");
    }
    if (nodes_.size() == kMostNodes) return fail("more than " + std::to_string(kMostNodes) + " nodes");
    // Old versions wrote the first nodes as well.
    const auto [place, is_new] = nodes_.try_emplace(*id, std::move(made));
    if (!is_new && *id > 11) fail("node " + std::to_string(*id) + " is there twice");
  }

  const Attribute* attribute(uint64_t id) {
    const auto known = attributes_.find(id);
    if (known != attributes_.end()) return &known->second;
    const auto found = nodes_.find(id);
    if (found == nodes_.end() || found->second.attribute != kNameAttribute) {
      fail("attribute " + std::to_string(id) + " is not there");
      return nullptr;
    }
    Attribute made{found->second.data, "", false, false};
    for (const Node* at = &found->second;; at = &nodes_.at(*at->parent)) {
      if (at->attribute == kPropertyAttribute) {
        const auto properties = static_cast<unsigned>(id_of(at->data).value_or(0));
        made.nested = (properties & kNested) != 0;
        made.hidden = (properties & kHidden) != 0;
      } else if (const auto meaning = nodes_.find(at->attribute);
                 meaning != nodes_.end() && meaning->second.data == "attribute.unit") {
        made.unit = at->data;
      }
      if (!at->parent) break;
    }
    return &attributes_.emplace(id, std::move(made)).first->second;
  }

  // The nested names from the root of the tree down to a node.
  const std::string* path_of(uint64_t id) {
    const auto known = paths_.find(id);
    if (known != paths_.end()) return &known->second;
    std::vector<uint64_t> open;
    std::string path;
    for (std::optional<uint64_t> at = id; at; at = nodes_.at(*at).parent) {
      if (const auto found = paths_.find(*at); found != paths_.end()) {
        path = found->second;
        break;
      }
      open.push_back(*at);
    }
    for (auto at = open.rbegin(); at != open.rend(); ++at) {
      const Node& here = nodes_.at(*at);
      const Attribute* const meaning = attribute(here.attribute);
      if (meaning == nullptr) return nullptr;
      if (meaning->nested) path += (path.empty() ? "" : "->") + here.data;
      path_bytes_ += path.size();
      if (path_bytes_ > kMostPathBytes) {
        fail("call paths of more than 256 MiB");
        return nullptr;
      }
      paths_[*at] = path;
    }
    return &paths_.at(id);
  }

  // Calls take(attribute, text) for each value that stands in the record itself. False after an error.
  template <typename Take>
  bool read_values(const Fields& fields, Take take) {
    const auto* const attributes = find_field(fields, "attr");
    const auto* const data = find_field(fields, "data");
    if ((attributes == nullptr ? 0 : attributes->size()) != (data == nullptr ? 0 : data->size())) {
      fail("there are not as many data as attributes");
      return false;
    }
    for (size_t i = 0; attributes != nullptr && i < attributes->size(); ++i) {
      const auto id = id_of((*attributes)[i]);
      const Attribute* const meaning = attribute(id.value_or(UINT64_MAX));
      if (meaning == nullptr) return false;
      if (!meaning->hidden) take(*id, *meaning, (*data)[i]);
    }
    return true;
  }

  size_t column_of(uint64_t id, const Attribute& meaning) {
    const auto [place, is_new] = columns_.try_emplace(id, data_.columns.size());
    if (is_new) data_.columns.push_back({meaning.name, meaning.unit});
    return place->second;
  }

  void read_record(const Fields& fields) {
    CaliperRecord record;
    bool is_series = false;  // of a piece of the run, beside those of the whole
    const auto* const refs = find_field(fields, "ref");
    for (size_t i = 0; refs != nullptr && i < refs->size(); ++i) {
      const Node* const start = node((*refs)[i]);
      if (start == nullptr) return;
      const std::string* const path = path_of(*id_of((*refs)[i]));
      if (path == nullptr) return;
      if (!path->empty()) record.path = *path;
      for (const Node* at = start;; at = &nodes_.at(*at->parent)) {
        const Attribute* const meaning = attribute(at->attribute);
        if (meaning == nullptr) return;
        if (meaning->name == "spot.channel") is_series = is_series || at->data != "regionprofile";
        if (meaning->name == "mpi.rank" || meaning->name == "rank") {
          if (const auto rank = parse_number(at->data))
            record.cells.emplace_back(column_of(at->attribute, *meaning), *rank);
        }
        if (!at->parent) break;
      }
    }
    const bool read = read_values(fields, [&](uint64_t id, const Attribute& meaning, const std::string& text) {
      if (meaning.name == "spot.channel") is_series = is_series || text != "regionprofile";
      if (const auto value = parse_number(text)) record.cells.emplace_back(column_of(id, meaning), *value);
    });
    if (read && !is_series && !record.cells.empty()) data_.records.push_back(std::move(record));
  }

  void read_globals(const Fields& fields) {
    const auto* const refs = find_field(fields, "ref");
    for (size_t i = 0; refs != nullptr && i < refs->size(); ++i) {
      const Node* at = node((*refs)[i]);
      if (at == nullptr) return;
      for (;; at = &nodes_.at(*at->parent)) {
        const Attribute* const meaning = attribute(at->attribute);
        if (meaning == nullptr) return;
        if (!meaning->hidden) data_.globals.emplace(meaning->name, at->data);
        if (!at->parent) break;
      }
    }
    read_values(fields, [this](uint64_t, const Attribute& meaning, const std::string& text) {
      data_.globals[meaning.name] = text;
    });
  }

  LineReader lines_;
  const std::string& file_;
  size_t path_bytes_ = 0;
  std::unordered_map<uint64_t, Node> nodes_;
  std::unordered_map<uint64_t, Attribute> attributes_;
  std::unordered_map<uint64_t, std::string> paths_;
  std::unordered_map<uint64_t, size_t> columns_;
  CaliperData data_;
  std::optional<Error> error_;
};

}  // namespace

bool is_cali(std::string_view text) { return first_content_line(text).starts_with("__rec="); }

core::Result<MeasuredRun> read_cali(const std::string& text, const std::string& file) {
  return StreamReader(text, file).read();
}

}  // namespace scalediag::fit
