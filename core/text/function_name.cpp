#include "core/text/function_name.h"

#include <cctype>
#include <cstddef>
#include <string_view>

namespace scalediag::core {
namespace {

// The length of an operator's name with brackets (operator<, operator<<, operator->, operator()), which open and close
// nothing.
size_t length_of_operator(std::string_view name, size_t at) {
  constexpr std::string_view kWord = "operator";
  const std::string_view text = name.substr(at);
  const auto is_of_identifier = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  if (text.substr(0, kWord.size()) != kWord || (at > 0 && is_of_identifier(name[at - 1]))) return 0;
  for (const std::string_view symbol : {"()", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"}) {
    if (text.substr(kWord.size(), symbol.size()) == symbol) return kWord.size() + symbol.size();
  }
  return 0;
}

void erase_all(std::string& text, std::string_view part) {
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) text.erase(at, part.size());
}

}  // namespace

std::optional<std::string> without_template_arguments(const std::string& name) {
  std::string out;
  int depth = 0;
  for (size_t i = 0; i < name.size();) {
    if (const size_t length = length_of_operator(name, i); length > 0) {
      if (depth == 0) out.append(name, i, length);
      i += length;
      continue;
    }
    const bool arrow = name[i] == '>' && i > 0 && name[i - 1] == '-';  // of a trailing return type
    if (name[i] == '<' && depth++ == 0) out += "<...";
    if (name[i] == '>' && !arrow && --depth < 0) return std::nullopt;
    if (depth == 0) out += name[i];
    ++i;
  }
  if (depth != 0) return std::nullopt;
  return out;
}

std::string without_parameters(const std::string& name) {
  const size_t close = name.rfind(')');
  if (close == std::string::npos) return name;
  int depth = 0;
  for (size_t i = close + 1; i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) {
      const bool part_of_name = close + 1 < name.size() && name[close + 1] == ':';
      return part_of_name || close == i + 1 ? name : name.substr(0, i + 1) + "..." + name.substr(close);
    }
  }
  return name;
}

std::string without_return_type(const std::string& name) {
  if (name.find('<') == std::string::npos) return name;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < name.size();) {
    if (const size_t length = length_of_operator(name, i); length > 0) {
      i += length;
      // "operator<< <char>": the blank belongs to the name.
      if (i < name.size() && name[i] == ' ') ++i;
      continue;
    }
    const char c = name[i];
    if (depth == 0 && std::string_view(name).substr(i).starts_with("operator "))
      break;  // "operator new", "operator int"
    if (depth == 0 && c == '(' && name.find(')', i) != std::string::npos && i > begin) {
      // Parameters end the name, where they are no scope: "(anonymous namespace)::" and "f(int)::g".
      size_t close = i;
      for (int open = 0; close < name.size(); ++close) {
        if (name[close] == '(') ++open;
        if (name[close] == ')' && --open == 0) break;
      }
      if (close + 1 >= name.size() || name[close + 1] != ':') break;
    }
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    if ((c == '>' && !(i > 0 && name[i - 1] == '-')) || c == ')' || c == '}' || c == ']') --depth;
    if (c == ' ' && depth == 0) begin = i + 1;
    ++i;
  }
  return name.substr(begin);
}

std::string without_anonymous_namespaces(std::string name) {
  erase_all(name, "(anonymous namespace)::");
  return name;
}

std::string plain_function(const std::string& name) {
  if (name.empty() || name.front() == '[') return name;
  std::string plain = without_anonymous_namespaces(name);
  const std::string named = without_return_type(plain);
  plain = without_template_arguments(named).value_or(named);
  erase_all(plain, "<...>");
  // "MAIN (Fortran main program)" has no parameters.
  const std::string called = without_parameters(plain);
  const size_t parameters = called.rfind("(...)");
  const bool is_remark = parameters != std::string::npos && parameters > 0 && called[parameters - 1] == ' ' &&
                         name.find('<') == std::string::npos;
  if (parameters != std::string::npos && parameters > 0 && !is_remark) {
    plain = called.substr(0, parameters);
  } else if (const size_t none = plain.rfind("()"); none != std::string::npos && none > 0 && plain[none - 1] != ' ' &&
                                                    plain.find("::", none) == std::string::npos) {
    const bool is_operator = std::string_view(plain).substr(0, none).ends_with("operator");
    plain.erase(is_operator ? none + 2 : none);
  }
  plain.erase(plain.find_last_not_of(' ') + 1);
  return plain.empty() ? name : plain;
}

}  // namespace scalediag::core
