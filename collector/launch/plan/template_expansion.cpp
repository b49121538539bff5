#include "collector/launch/plan/template_expansion.h"

#include <functional>
#include <utility>

namespace scalediag::launch {
namespace {

bool starts_identifier(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_identifier(char c) { return starts_identifier(c) || (c >= '0' && c <= '9'); }

// Walks over `text`: literal characters go to `literal`, names of placeholders to `placeholder`.
void scan(const std::string& text, const std::function<void(char)>& literal,
          const std::function<void(const std::string&)>& placeholder) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '{') {
      literal(text[i]);
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == '{') {
      literal('{');
      ++i;
      continue;
    }
    size_t end = i + 1;
    if (end < text.size() && starts_identifier(text[end])) {
      while (end < text.size() && continues_identifier(text[end])) ++end;
    }
    if (end > i + 1 && end < text.size() && text[end] == '}') {
      placeholder(text.substr(i + 1, end - i - 1));
      i = end;
    } else {
      literal('{');
    }
  }
}

Error template_error(std::string message, std::string hint, std::string where) {
  return {ErrorCode::kUsage, std::move(message), std::move(hint), std::move(where)};
}

}  // namespace

bool is_identifier(const std::string& text) {
  if (text.empty() || !starts_identifier(text[0])) return false;
  for (const char c : text) {
    if (!continues_identifier(c)) return false;
  }
  return true;
}

std::vector<std::string> expand_placeholders(const std::string& text, const PlaceholderValues& values) {
  std::vector<std::string> words(1);
  bool has_content = text.empty();
  scan(
      text,
      [&](char c) {
        words.back() += c;
        has_content = true;
      },
      [&](const std::string& name) {
        const auto found = values.find(name);
        const std::vector<std::string> inserted = found != values.end() ? found->second : std::vector{"{" + name + "}"};
        if (inserted.empty()) return;
        has_content = true;
        words.back() += inserted.front();
        words.insert(words.end(), inserted.begin() + 1, inserted.end());
      });
  return has_content ? words : std::vector<std::string>{};
}

std::set<std::string> placeholders_of(const std::string& text) {
  std::set<std::string> names;
  scan(
      text, [](char) {}, [&](const std::string& name) { names.insert(name); });
  return names;
}

Status check_placeholders(const std::vector<std::string>& arguments, const std::vector<std::string>& parameters,
                          const std::vector<std::string>& tables) {
  std::set<std::string> known = {"np"};
  std::vector<std::pair<std::string, std::string>> declared;  // option and name
  for (const std::string& name : parameters) declared.emplace_back("--param", name);
  for (const std::string& name : tables) declared.emplace_back("--words", name);
  for (const auto& [option, name] : declared) {
    if (!is_identifier(name)) {
      return template_error(option + ": '" + name + "' is not a name",
                            "a name is letters, digits and _, as in --param grid=64,128", option);
    }
    if (name == "np") {
      return template_error(option + " np: the number of processes is given by -n",
                            "use -n LIST; {np} is replaced in the arguments", option);
    }
    if (!known.insert(name).second) {
      return template_error(option + " " + name + " is given twice",
                            "put its values into one list: --param " + name + "=A,B", option);
    }
  }
  std::set<std::string> used;
  for (const std::string& argument : arguments) {
    for (const std::string& name : placeholders_of(argument)) {
      if (known.count(name) == 0) {
        return template_error(
            "the argument '" + argument + "' has the placeholder {" + name + "}, which is not declared",
            "declare it with --param " + name + "=LIST, or write {{" + name + "} if the braces are meant literally",
            argument);
      }
      used.insert(name);
    }
  }
  for (const auto& [option, name] : declared) {
    if (used.count(name) == 0) {
      return template_error(
          option + " " + name + " is not used: no argument of the application has {" + name + "}",
          "put {" + name + "} where the application takes the value, as in -- ./app --size {" + name + "}", option);
    }
  }
  return Done{};
}

}  // namespace scalediag::launch
