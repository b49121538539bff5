#include "fit/data/cube/cube_anchor.h"

#include <expat.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "fit/data/runs/measured_run.h"

namespace scalediag::fit {
namespace {

using core::Error;
using core::ErrorCode;

constexpr size_t kMostDepth = 10000;
constexpr const char* kWriteAgain =
    "`cube_dump -m time FILE` of Cube shows whether it can be read there; copy the file again";

const char* attribute(const char** attributes, const char* name) {
  for (; *attributes != nullptr; attributes += 2) {
    if (std::strcmp(attributes[0], name) == 0) return attributes[1];
  }
  return nullptr;
}

std::optional<int> number(const char* text) {
  if (text == nullptr) return std::nullopt;
  int value = 0;
  const char* const end = text + std::strlen(text);
  const auto [last, error] = std::from_chars(text, end, value);
  return error == std::errc() && last == end && value >= 0 ? std::optional(value) : std::nullopt;
}

std::string_view stripped(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == text.npos ? std::string_view() : text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

// The functions that expat calls, element by element.
class AnchorBuilder {
 public:
  explicit AnchorBuilder(XML_Parser parser) : parser_(parser) {}

  void begin(std::string_view element, const char** attributes) {
    if (!error_.empty()) return;
    if (++depth_ > kMostDepth) return fail("elements are nested deeper than " + std::to_string(kMostDepth));
    text_.clear();
    takes_text_ = false;
    if (element == "metric") {
      begin_metric(attributes);
    } else if (element == "region") {
      in_region_ = number(attribute(attributes, "id"));
      if (!in_region_) fail("a region without an id");
    } else if (element == "cnode") {
      begin_node(attributes);
    } else if (element == "locationgroup" || element == "process") {
      groups_.push_back({});
      group_ = groups_.size() - 1;
      in_group_ = true;
    } else if (element == "location" || element == "thread") {
      begin_location(attributes);
    } else {
      takes_text_ =
          element == "name" || element == "uniq_name" || element == "dtype" || element == "uom" || element == "type";
    }
  }

  void text(std::string_view bytes) {
    if (takes_text_ && text_.size() < 10000) text_.append(bytes);
  }

  void end(std::string_view element) {
    if (!error_.empty()) return;
    --depth_;
    const std::string_view value = stripped(text_);
    if (element == "metric") {
      if (!open_metrics_.empty()) open_metrics_.pop_back();
    } else if (element == "region") {
      in_region_.reset();
    } else if (element == "cnode") {
      if (!open_nodes_.empty()) open_nodes_.pop_back();
    } else if (element == "location" || element == "thread") {
      in_location_ = false;
    } else if (element == "locationgroup" || element == "process") {
      in_group_ = false;
    } else if (takes_text_) {
      take(element, value);
    }
    takes_text_ = false;
    text_.clear();
  }

  // The anchor from what was seen.
  core::Result<CubeAnchor> finish(const std::string& where) {
    if (error_.empty()) finish_paths();
    if (error_.empty()) finish_locations();
    if (!error_.empty()) return Error{ErrorCode::kInput, where + line_ + ": " + error_, kWriteAgain, where};
    if (anchor_.metrics.empty()) return Error{ErrorCode::kInput, where + " has no metric", kWriteAgain, where};
    if (anchor_.nodes.empty()) return Error{ErrorCode::kInput, where + " has no call tree", kWriteAgain, where};
    if (anchor_.locations.empty()) return Error{ErrorCode::kInput, where + " has no process", kWriteAgain, where};
    return std::move(anchor_);
  }

 private:
  struct Group {
    bool is_process = true;
  };
  struct Place {
    int id = 0;
    size_t group = 0;
    bool is_thread = true;
  };

  void fail(const std::string& what) {
    error_ = what;
    line_ = ":" + std::to_string(XML_GetCurrentLineNumber(parser_));
    XML_StopParser(parser_, XML_FALSE);
  }

  void begin_metric(const char** attributes) {
    CubeMetric metric;
    const auto id = number(attribute(attributes, "id"));
    if (!id) return fail("a metric without an id");
    metric.id = *id;
    const char* const type = attribute(attributes, "type");
    metric.type = type == nullptr ? "INCLUSIVE" : type;
    metric.inclusive = metric.type == "INCLUSIVE";
    anchor_.metrics.push_back(std::move(metric));
    open_metrics_.push_back(anchor_.metrics.size() - 1);
  }

  void begin_node(const char** attributes) {
    const auto callee = number(attribute(attributes, "calleeId"));
    if (!callee) return fail("a cnode without a calleeId");
    if (anchor_.nodes.size() == kMostCubeNodes) return fail("more than " + std::to_string(kMostCubeNodes) + " cnodes");
    const int index = static_cast<int>(anchor_.nodes.size());
    CubeNode& node = anchor_.nodes.emplace_back();
    callees_.push_back(*callee);
    if (!open_nodes_.empty()) {
      node.parent = open_nodes_.back();
      anchor_.nodes[static_cast<size_t>(node.parent)].children.push_back(index);
    }
    open_nodes_.push_back(index);
  }

  void begin_location(const char** attributes) {
    if (!in_group_) return fail("a location outside of a process");
    if (places_.size() == kMostCubeLocations)
      return fail("more than " + std::to_string(kMostCubeLocations) + " locations");
    places_.push_back({number(attribute(attributes, "Id")).value_or(-1), group_, true});
    in_location_ = true;
  }

  void take(std::string_view element, std::string_view value) {
    if (!open_metrics_.empty()) {
      CubeMetric& metric = anchor_.metrics[open_metrics_.back()];
      if (element == "uniq_name") metric.name = value;
      if (element == "dtype") metric.dtype = value;
      if (element == "uom") metric.unit = value;
    } else if (in_region_ && element == "name") {
      regions_[*in_region_] = value;
    } else if (in_location_ && element == "type") {
      places_.back().is_thread = value != "gpu" && value != "metric" && value != "accelerator stream";
    } else if (in_group_ && element == "type") {
      groups_[group_].is_process = value == "process";
    }
  }

  void finish_paths() {
    size_t bytes = 0;
    for (size_t i = 0; i < anchor_.nodes.size(); ++i) {
      const auto region = regions_.find(callees_[i]);
      if (region == regions_.end()) {
        error_ = "a cnode calls region " + std::to_string(callees_[i]) + ", which is not there";
        return;
      }
      CubeNode& node = anchor_.nodes[i];
      node.path = node.parent < 0 ? region->second
                                  : anchor_.nodes[static_cast<size_t>(node.parent)].path + "->" + region->second;
      bytes += node.path.size();
      if (bytes > kMostPathBytes) {
        error_ = "call paths of more than 256 MiB";
        return;
      }
    }
  }

  // Rows have their values in the order of the locations' ids, which are 0, 1, ... in any order of the document.
  void finish_locations() {
    std::vector<size_t> order(places_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [this](size_t a, size_t b) { return places_[a].id < places_[b].id; });
    std::vector<int> rank_of(groups_.size(), -1);
    for (size_t g = 0; g < groups_.size(); ++g) {
      if (groups_[g].is_process) rank_of[g] = anchor_.ranks++;
    }
    for (const size_t i : order) {
      const int rank = rank_of[places_[i].group];
      anchor_.locations.push_back({std::max(rank, 0), places_[i].is_thread && rank >= 0});
    }
    if (anchor_.ranks == 0 && !groups_.empty()) error_ = "none of the groups of locations is a process";
  }

  XML_Parser parser_;
  CubeAnchor anchor_;
  std::string error_, line_, text_;
  bool takes_text_ = false, in_group_ = false, in_location_ = false;
  size_t depth_ = 0, group_ = 0;
  std::optional<int> in_region_;
  std::vector<size_t> open_metrics_;
  std::vector<int> open_nodes_, callees_;
  std::unordered_map<int, std::string> regions_;
  std::vector<Group> groups_;
  std::vector<Place> places_;
};

void on_begin(void* builder, const char* element, const char** attributes) {
  static_cast<AnchorBuilder*>(builder)->begin(element, attributes);
}
void on_end(void* builder, const char* element) { static_cast<AnchorBuilder*>(builder)->end(element); }
void on_text(void* builder, const char* bytes, int length) {
  static_cast<AnchorBuilder*>(builder)->text({bytes, static_cast<size_t>(length)});
}

}  // namespace

core::Result<CubeAnchor> parse_cube_anchor(std::string_view xml, const std::string& where) {
  const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(XML_ParserCreate(nullptr), &XML_ParserFree);
  AnchorBuilder builder(parser.get());
  XML_SetUserData(parser.get(), &builder);
  XML_SetElementHandler(parser.get(), on_begin, on_end);
  XML_SetCharacterDataHandler(parser.get(), on_text);
  constexpr size_t kPiece = size_t{1} << 24;
  do {
    const std::string_view piece = xml.substr(0, kPiece);
    xml.remove_prefix(piece.size());
    if (XML_Parse(parser.get(), piece.data(), static_cast<int>(piece.size()), xml.empty()) == XML_STATUS_OK) continue;
    const XML_Error code = XML_GetErrorCode(parser.get());
    if (code == XML_ERROR_ABORTED) break;  // by the builder, which says why
    return Error{ErrorCode::kInput,
                 where + ":" + std::to_string(XML_GetCurrentLineNumber(parser.get())) + ": " + XML_ErrorString(code),
                 kWriteAgain, where};
  } while (!xml.empty());
  return builder.finish(where);
}

}  // namespace scalediag::fit
