#include "core/json/json_reader.h"

#include <algorithm>

namespace scalediag::core {

using nlohmann::json;

namespace {

// Reads a text without keeping its values, up to the first error; remembers the present field.
class FieldFollower : public json::json_sax_t {
 public:
  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override { return begin(false); }
  bool start_array(std::size_t) override { return begin(true); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool key(string_t& name) override {
    levels_.back().key = name;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception& e) override {
    constexpr int kNumberOverflow = 406;
    if (e.id == kNumberOverflow) found_ = {position, field(), token};
    return false;
  }

  struct Found {
    size_t position;  // behind the number
    std::string field;
    std::string number;
  };
  const std::optional<Found>& found() const { return found_; }

 private:
  struct Level {
    bool is_array;
    size_t index = 0;
    std::string key = {};
  };
  bool begin(bool is_array) {
    levels_.push_back({is_array});
    return true;
  }
  bool end() {
    levels_.pop_back();
    return value();
  }
  bool value() {
    if (!levels_.empty()) ++levels_.back().index;
    return true;
  }
  std::string field() const {
    std::string path;
    for (const Level& level : levels_) {
      path += level.is_array ? "[" + std::to_string(level.index) + "]" : (path.empty() ? "" : ".") + level.key;
    }
    // Names come from the file, and errors go to terminals.
    std::replace_if(
        path.begin(), path.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
    return path;
  }

  std::vector<Level> levels_;
  std::optional<Found> found_;
};

}  // namespace

std::optional<NumberOutOfRange> find_number_out_of_range(std::string_view text) {
  FieldFollower follower;
  json::sax_parse(text, &follower);
  if (!follower.found()) return std::nullopt;
  const FieldFollower::Found& found = *follower.found();
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(found.position, text.size()));
  // When the end of a number is known, the byte behind it has been read already, which may be the end of its line.
  const auto last = end == text.begin() ? end : end - 1;
  return NumberOutOfRange{1 + static_cast<size_t>(std::count(text.begin(), last, '\n')), found.field, found.number};
}

std::string text_of(const NumberOutOfRange& n) {
  return (n.field.empty() ? "" : "field " + n.field + ": ") + n.number + " is out of range, no number is above 1.8e308";
}

Result<json> parse_json(const std::string& text, const std::string& file) {
  try {
    return json::parse(text);
  } catch (const json::parse_error& e) {
    return Error{ErrorCode::kInput,
                 file + " is damaged: it is not JSON from byte " + std::to_string(e.byte) + " of " +
                     std::to_string(text.size()) + " on",
                 "", file};
  } catch (const json::exception&) {  // a number beyond the range of a double
    const auto found = find_number_out_of_range(text);
    return Error{ErrorCode::kInput,
                 file + (found ? ":" + std::to_string(found->line) + ": " + text_of(*found)
                               : " is damaged: it holds a number that is out of range"),
                 "", file};
  }
}

Status check_schema(const json& document, const std::string& name, int supported, const std::string& file,
                    const std::string& older_hint) {
  const std::string ours = name + "/" + std::to_string(supported);
  const auto not_ours = [&](const std::string& found) {
    return Error{ErrorCode::kInput, file + " is not a " + name + " file: schema: " + found, "", file};
  };
  if (!document.is_object()) return not_ours("expected \"" + ours + "\", found no object");
  const auto field = document.find("schema");
  if (field == document.end()) return not_ours("expected \"" + ours + "\", found nothing");
  if (!field->is_string()) return not_ours("expected \"" + ours + "\", found " + std::string(field->type_name()));
  const std::string& found = field->get_ref<const std::string&>();
  if (found == ours) return Done{};

  const std::string prefix = name + "/";
  const std::string version = found.starts_with(prefix) ? found.substr(prefix.size()) : "";
  if (version.empty() || version.find_first_not_of("0123456789") != std::string::npos) {
    return not_ours("expected \"" + ours + "\", found \"" + found + "\"");
  }
  // Compared by length first, so that no number of digits can overflow.
  const std::string known = std::to_string(supported);
  const bool newer = version.size() != known.size() ? version.size() > known.size() : version > known;
  return Error{ErrorCode::kInput,
               file + " has schema " + found + ", " + (newer ? "newer" : "older") + " than " + ours +
                   ", which this scalediag reads",
               newer ? "use the scalediag that wrote it, or a newer one" : older_hint, file};
}

const json* JsonNode::find(const char* key) const {
  if (failure_ || !is(json::value_t::object, "an object")) return nullptr;
  const auto it = value_.find(key);
  if (it == value_.end()) {
    fail(key, "is missing");
    return nullptr;
  }
  return &*it;
}

bool JsonNode::has(const char* key) const { return value_.is_object() && value_.contains(key); }

void JsonNode::read(const char* key, std::string& to) const { read_as(key, to); }
void JsonNode::read(const char* key, bool& to) const { read_as(key, to); }
void JsonNode::read(const char* key, int& to, int smallest) const { read_as(key, to, smallest); }
void JsonNode::read(const char* key, uint64_t& to) const { read_as(key, to); }
void JsonNode::read(const char* key, double& to) const { read_as(key, to); }

void JsonNode::get(std::string& to) const {
  if (is(json::value_t::string, "a string")) to = value_.get_ref<const std::string&>();
}

void JsonNode::get(bool& to) const {
  if (is(json::value_t::boolean, "true or false")) to = value_.get<bool>();
}

void JsonNode::get(int& to, int smallest) const {
  if (failure_) return;
  if (!value_.is_number_integer()) return wrong_type("a whole number");
  const bool too_large =
      value_.is_number_unsigned() && value_.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int>::max());
  const int64_t value = too_large ? 0 : value_.get<int64_t>();
  if (too_large || value < smallest) return fail("is out of range: " + value_.dump());
  to = static_cast<int>(value);
}

void JsonNode::get(uint64_t& to) const {
  if (failure_) return;
  if (!value_.is_number_unsigned()) return wrong_type("a whole number that is not negative");
  to = value_.get<uint64_t>();
}

void JsonNode::get(double& to) const {
  if (failure_) return;
  if (!value_.is_number()) return wrong_type("a number");
  to = value_.get<double>();
}

bool JsonNode::is(json::value_t type, const char* expected) const {
  if (failure_) return false;
  if (value_.type() == type) return true;
  wrong_type(expected);
  return false;
}

void JsonNode::wrong_type(const char* expected) const {
  const std::string found = value_.is_number() ? value_.dump() : std::string(value_.type_name());
  fail("expected " + std::string(expected) + ", found " + found);
}

void JsonNode::fail(const std::string& what) const {
  if (failure_) return;
  const std::string here = path();
  failure_ = (here.empty() ? "the document" : here) + ": " + what;
}

void JsonNode::fail(const char* key, const std::string& what) const {
  if (failure_) return;
  const std::string here = path();
  failure_ = here + (here.empty() ? "" : ".") + key + ": " + what;
}

std::string JsonNode::path() const {
  if (parent_ == nullptr) return "";
  const std::string before = parent_->path();
  if (key_.empty()) return before + "[" + std::to_string(index_) + "]";
  return before + (before.empty() ? "" : ".") + std::string(key_);
}

}  // namespace scalediag::core
