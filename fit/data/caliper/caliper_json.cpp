#include "fit/data/caliper/caliper_json.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/json/json_reader.h"
#include "fit/data/caliper/caliper_run.h"
#include "fit/data/file_head.h"
#include "fit/data/number_text.h"

namespace scalediag::fit {
namespace {

using core::Error;
using core::ErrorCode;
using nlohmann::json;

constexpr const char* kSplitForm = "the form is json-split: lists named data, columns, column_metadata and nodes";

std::string at(const char* list, size_t i) { return std::string(list) + "[" + std::to_string(i) + "]"; }

class SplitReader {
 public:
  SplitReader(const json& document, const std::string& file) : document_(document), file_(file) {}

  core::Result<MeasuredRun> read() {
    read_columns();
    if (!error_) read_nodes();
    if (!error_) choose_path_column();
    if (!error_) read_rows();
    if (error_) return *error_;
    for (const auto& [name, value] : document_.items()) {
      if (value.is_string()) data_.globals[name] = value.get<std::string>();
      if (value.is_number()) data_.globals[name] = value.dump();
    }
    return run_of_caliper(data_, file_);
  }

 private:
  void fail(const std::string& where, const std::string& what) {
    if (!error_) error_ = Error{ErrorCode::kInput, file_ + ": " + where + ": " + what, kSplitForm, file_};
  }

  const json* list(const char* name) {
    const auto found = document_.find(name);
    if (found != document_.end() && found->is_array()) return &*found;
    fail(name, "there is no such list");
    return nullptr;
  }

  void read_columns() {
    const json* const names = list("columns");
    const json* const facts = list("column_metadata");
    if (names == nullptr || facts == nullptr) return;
    if (facts->size() != names->size()) return fail("column_metadata", "there are not as many as columns");
    for (size_t i = 0; i < names->size(); ++i) {
      const json& fact = (*facts)[i];
      if (!(*names)[i].is_string()) return fail(at("columns", i), "expected a name");
      if (!fact.is_object()) return fail(at("column_metadata", i), "expected an object");
      const auto unit = fact.find("attribute.unit");
      const auto is_value = fact.find("is_value");
      data_.columns.push_back(
          {(*names)[i].get<std::string>(), unit != fact.end() && unit->is_string() ? unit->get<std::string>() : ""});
      is_value_.push_back(is_value != fact.end() && is_value->is_boolean() && is_value->get<bool>());
    }
  }

  void read_nodes() {
    const json* const nodes = list("nodes");
    if (nodes == nullptr) return;
    size_t bytes = 0;
    for (size_t i = 0; i < nodes->size(); ++i) {
      const json& node = (*nodes)[i];
      const auto label = node.is_object() ? node.find("label") : node.end();
      if (label == node.end() || !label->is_string()) return fail(at("nodes", i), "expected an object with a label");
      std::string path = label->get<std::string>();
      if (const auto parent = node.find("parent"); parent != node.end() && !parent->is_null()) {
        // Parents come first, so that nothing is its own ancestor.
        if (!parent->is_number_unsigned() || parent->get<uint64_t>() >= i) {
          return fail(at("nodes", i), "its parent is no earlier node");
        }
        path = paths_[parent->get<size_t>()] + "->" + path;
      }
      bytes += path.size();
      if (bytes > kMostPathBytes) return fail(at("nodes", i), "call paths of more than 256 MiB");
      paths_.push_back(std::move(path));
    }
  }

  // "path", or without it the column of a call path's addresses; other columns of names tell something else.
  void choose_path_column() {
    for (size_t i = 0; i < data_.columns.size(); ++i) {
      if (is_value_[i]) continue;
      const std::string& name = data_.columns[i].name;
      const bool is_callpath = name.find("callpath") != name.npos;
      if (name == "path" || !path_column_ || (is_callpath && data_.columns[*path_column_].name != "path"))
        path_column_ = i;
    }
    if (!path_column_) fail("columns", "none has the nodes of regions");
  }

  void read_rows() {
    const json* const rows = list("data");
    for (size_t i = 0; rows != nullptr && i < rows->size(); ++i) {
      const json& row = (*rows)[i];
      if (!row.is_array() || row.size() != data_.columns.size()) {
        return fail(at("data", i), "expected a list of " + std::to_string(data_.columns.size()) + " values");
      }
      CaliperRecord record;
      for (size_t c = 0; c < row.size(); ++c) {
        if (is_value_[c]) {
          if (const auto value = number(row[c])) record.cells.emplace_back(c, *value);
        } else if (c == *path_column_ && !row[c].is_null()) {
          if (!row[c].is_number_unsigned() || row[c].get<uint64_t>() >= paths_.size()) {
            return fail(at("data", i), "it refers to a node that is not there");
          }
          record.path = paths_[row[c].get<size_t>()];
        }
      }
      data_.records.push_back(std::move(record));
    }
  }

  static std::optional<double> number(const json& cell) {
    if (cell.is_number()) return cell.get<double>();
    return cell.is_string() ? parse_number(cell.get_ref<const std::string&>()) : std::nullopt;
  }

  const json& document_;
  const std::string& file_;
  CaliperData data_;
  std::vector<bool> is_value_;
  std::vector<std::string> paths_;
  std::optional<size_t> path_column_;
  std::optional<Error> error_;
};

}  // namespace

bool is_caliper_json(std::string_view text) {
  const std::string_view all = json_head(text, text.size());
  // Both stand behind the data in some versions.
  return all.starts_with("{") && all.find("\"column_metadata\"") != all.npos && all.find("\"nodes\"") != all.npos;
}

core::Result<MeasuredRun> read_caliper_json(const std::string& text, const std::string& file) {
  const core::Result<json> document = core::parse_json(text, file);
  if (!document) return document.error();
  return SplitReader(document.value(), file).read();
}

}  // namespace scalediag::fit
