// Text of other origin (names of functions, files, fields, hosts) in a form that can be shown: on a terminal, which
// control characters drive; in a page, a table or a spreadsheet, where invisible characters make one text look like
// another or change the order of the text around them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scalediag::core {

// The number of bytes of the first character of `text`, which is not empty. 0: it may not be shown, because it is a
// byte that is not UTF-8, a control character (C0, DEL, C1), a line or paragraph separator, a character that orders
// text from right to left, or one without width (Unicode's Default_Ignorable_Code_Point and interlinear annotations).
// Letters of languages that are written from right to left may be shown.
size_t shown_bytes(std::string_view text);

// `text` with every character that may not be shown replaced by `replacement`, as is each byte that is not UTF-8; the
// characters in `kept`, all of them ASCII, stay.
std::string printable(std::string_view text, std::string_view replacement = "?", std::string_view kept = "");

// The same JSON document, which is UTF-8, with every character in its texts that may not be shown written as \uXXXX.
std::string printable_json(std::string text);

// Whether a character, by its code point, may be shown.
bool is_shown(char32_t code_point);

}  // namespace scalediag::core
