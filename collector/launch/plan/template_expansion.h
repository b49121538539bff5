// Placeholders in the application's arguments: {np}, and {NAME} of each --param and --words.
//
// A placeholder is a brace, an identifier ([A-Za-z_][A-Za-z0-9_]*) and a closing brace. Every other brace stands for
// itself, so that JSON in an argument is unchanged; "{{" is a literal "{" before text that would otherwise be a
// placeholder ("{{np}" gives "{np}"). "}}" is not special, because it is frequent in JSON.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/result.h"

namespace scalediag::launch {

using PlaceholderValues = std::map<std::string, std::vector<std::string>>;  // words by name

// Replaces the placeholders of one argument. As where a shell replaces a variable that is not quoted, several words
// make several arguments: what stands before the placeholder goes to the first one, what stands behind it to the last.
// Precondition: check_placeholders() passed for these names.
std::vector<std::string> expand_placeholders(const std::string& text, const PlaceholderValues& values);

// The placeholders that `text` uses.
std::set<std::string> placeholders_of(const std::string& text);

// Errors (kUsage): a placeholder that is neither np nor declared; a parameter or table that no argument uses; one
// called np or whose name is not an identifier; a name declared twice.
Status check_placeholders(const std::vector<std::string>& arguments, const std::vector<std::string>& parameters,
                          const std::vector<std::string>& tables = {});

bool is_identifier(const std::string& text);

}  // namespace scalediag::launch
