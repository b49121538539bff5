// Names that are shortened to fit into columns of the terminal. A width counts columns, one a code point; UTF-8
// characters stay whole. Names that fit are returned as they are.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace scalediag::core {

size_t display_width(const std::string& text);

// "/usr/lib/libmpi.so.40" -> "/usr/l...so.40" for 14.
std::string shorten_middle(const std::string& text, size_t width);

// "a_long_file_name.cpp:100" -> "...me.cpp:100" for 13: for names that differ at their end.
std::string shorten_front(const std::string& text, size_t width);

// Function names lose the least important parts first: the return type, template arguments, parameters, anonymous
// namespaces, the outer scopes, and only then the middle of their own name.
//   "std::vector<int, A>::push_back(int const&)" -> "std::vector<...>::push_back(int const&)"
//   -> "std::vector<...>::push_back(...)" -> "...<...>::push_back(...)"
// What is no function's name, "[5 functions with too few samples]", loses whole words: "[5 functions ...]".
std::string shorten_function(const std::string& name, size_t width);

// Shortens each text so that texts that differ still do: those that `shorten` makes equal begin near the first place
// where they differ. "solve_momentum_x_implicit", "solve_momentum_y_implicit" -> "...tum_x_imp...", "...tum_y_imp..."
// for 15. Precondition: `width` is at least 12.
std::vector<std::string> shorten_apart(const std::vector<std::string>& texts, size_t width,
                                       std::string (*shorten)(const std::string&, size_t));

}  // namespace scalediag::core
