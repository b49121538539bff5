// JSON that is written directly into a text, for the parts of a report that are millions of numbers: a document in
// memory would need more memory than everything else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace scalediag::report {

// Writes the commas itself; the caller pairs begin_ and end_.
class JsonStream {
 public:
  // Appends to `out`, which outlives this.
  explicit JsonStream(std::string& out) : out_(out) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  // `name` needs no escapes.
  void key(std::string_view name);

  void null() { raw("null"); }
  void boolean(bool value) { raw(value ? "true" : "false"); }
  void integer(int64_t value);
  // Writes a number with that many significant digits, as printf's %g does. Values that are not finite become null, and
  // is_finite() tells of them.
  void number(double value, int digits);
  // Writes a text as core::to_json_line does.
  void text(std::string_view value);
  void text_or_null(std::string_view value) { value.empty() ? null() : text(value); }

  bool is_finite() const { return is_finite_; }

 private:
  void open(char bracket);
  void close(char bracket);
  void raw(std::string_view value);
  void separate() {
    if (needs_comma_) out_ += ',';
    needs_comma_ = true;
  }

  std::string& out_;
  bool needs_comma_ = false;
  bool is_finite_ = true;
};

}  // namespace scalediag::report
