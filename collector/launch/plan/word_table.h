// The TABLE of `--words NAME=TABLE`: words for {NAME} in the application's arguments, by the number of processes, for
// programs whose process grid is no function of that number alone.
//
//   TABLE = entry { "," or a line break, entry }
//   entry = NP ":" WORDS       split as a shell would; commas inside quotes separate nothing
//
// "2:2 1 1,4:2 2 1" gives three arguments each.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/result.h"

namespace scalediag::launch {

using WordTable = std::map<int, std::vector<std::string>>;
using WordTables = std::map<std::string, WordTable>;  // by name

// `option` names the option in errors ("--words grid"). Errors (kUsage): an entry without a number of processes, one
// that is given twice, a quote that is not closed.
Result<WordTable> parse_word_table(const std::string& text, const std::string& option);

// The tables of `typed`, NAME=TABLE each, completed by the entries of `stored`, TABLE by NAME. Errors (kUsage): as of
// parse_word_table(); no "=", a name that is given twice.
Result<WordTables> parse_word_tables(const std::vector<std::string>& typed,
                                     const std::map<std::string, std::string>& stored);

// The TABLE that parse_word_table() reads back.
std::string text_of(const WordTable& table);
std::map<std::string, std::string> texts_of(const WordTables& tables);

}  // namespace scalediag::launch
