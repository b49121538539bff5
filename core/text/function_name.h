// Names of functions as demanglers print them, and their parts.
#pragma once

#include <optional>
#include <string>

namespace scalediag::core {

// The scopes and the function's own name, without return type, template arguments, parameters and what follows them,
// and without anonymous namespaces: "void a::b<int>::f<double>(double) const" -> "a::b::f". Descriptions in square
// brackets stay.
std::string plain_function(const std::string& name);

// "..." in place of the text in outermost pairs of angle brackets; empty where they do not pair.
std::optional<std::string> without_template_arguments(const std::string& name);

// "(...)" in place of the last outermost pair of parentheses, which holds the parameters; "(anonymous namespace)"
// stays.
std::string without_parameters(const std::string& name);

// The name after its return type, which demanglers print of template functions only: what is after the last blank that
// is in no brackets and belongs to no operator's name.
std::string without_return_type(const std::string& name);

// The name without "(anonymous namespace)::", which takes 23 columns and says little.
std::string without_anonymous_namespaces(std::string name);

}  // namespace scalediag::core
