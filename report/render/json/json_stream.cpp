#include "report/render/json/json_stream.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/json/json_line.h"

namespace scalediag::report {

void JsonStream::key(std::string_view name) {
  separate();
  out_ += '"';
  out_ += name;
  out_ += "\":";
  needs_comma_ = false;
}

void JsonStream::integer(int64_t value) {
  char text[24];
  const auto end = std::to_chars(text, text + sizeof text, value);
  raw({text, static_cast<size_t>(end.ptr - text)});
}

void JsonStream::number(double value, int digits) {
  if (!std::isfinite(value)) {
    is_finite_ = false;
    return null();
  }
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits);
  raw({text, static_cast<size_t>(end.ptr - text)});
}

void JsonStream::text(std::string_view value) {
  const bool is_plain =
      std::all_of(value.begin(), value.end(), [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; });
  if (!is_plain) return raw(core::to_json_line(value));
  separate();
  out_ += '"';
  out_ += value;
  out_ += '"';
}

void JsonStream::open(char bracket) {
  separate();
  out_ += bracket;
  needs_comma_ = false;
}

void JsonStream::close(char bracket) {
  out_ += bracket;
  needs_comma_ = true;
}

void JsonStream::raw(std::string_view value) {
  separate();
  out_ += value;
}

}  // namespace scalediag::report
