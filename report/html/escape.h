// Text of others (names of functions, files, hosts) inside a page: whatever it is, it stays text.
#pragma once

#include <string>
#include <string_view>

namespace scalediag::report::html {

// For element content and for attribute values in either kind of quotes. Control characters become U+FFFD.
std::string escaped(std::string_view text);

// Appends JSON in a form that may stand inside a script element: no "<", ">", "&", and no line ends that only
// JavaScript knows.
void append_script_json(std::string_view json, std::string& out);

// "sha256-..." of a digest in hexadecimal digits, as a Content-Security-Policy names it.
std::string csp_hash(std::string_view sha256_hex);

}  // namespace scalediag::report::html
