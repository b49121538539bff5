// JSON that is written straight into a text: for the parts of a report that are millions of numbers, where a document
// in memory would cost more than all the rest.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace scalediag::report {

// Commas are its business, pairs of begin_ and end_ are the caller's.
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
  // To so many significant digits, as printf's %g has them. What is not finite becomes null, which is_finite() tells.
  void number(double value, int digits);
  // As core::to_json_line has it.
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
