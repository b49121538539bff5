// Text of other origin (names of functions, files, hosts) inside a page: whatever it contains, it stays text.
#pragma once

#include <string>
#include <string_view>

namespace scalediag::report::html {

// For content and attributes in either kind of quotes. Characters that may not be shown (core/text/printable.h), except
// and \t, become U+FFFD.
std::string escaped(std::string_view text);

// Appends JSON of core::to_json_line as it may stand inside a script element, for scripts to show its texts:
// without "<", ">", "&", and U+FFFD as in escaped().
void append_script_json(std::string_view json, std::string& out);

// "sha256-..." of a digest in hexadecimal digits, as a Content-Security-Policy names it.
std::string csp_hash(std::string_view sha256_hex);

}  // namespace scalediag::report::html
