#include "fit/data/tables/column_names.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "core/text/join.h"
#include "fit/data/number_text.h"
#include "fit/data/tables/cell_text.h"
#include "fit/data/tables/translated_words.h"

namespace scalediag::fit {
namespace {

using NameWords = std::vector<std::string>;

constexpr std::string_view kFilling[] = {"of",  "number", "num", "n",    "no", "nr",   "count", "total",   "the",
                                         "per", "in",     "by",  "used", "#",  "mean", "avg",   "average", "median"};

struct ProcessWord {
  std::string_view word, parameter;
};
constexpr ProcessWord kProcessWords[] = {
    {"np", "np"},           {"p", "np"},
    {"nproc", "np"},        {"nprocs", "np"},
    {"proc", "np"},         {"procs", "np"},
    {"process", "np"},      {"processes", "np"},
    {"processor", "np"},    {"processors", "np"},
    {"rank", "np"},         {"ranks", "np"},
    {"nranks", "np"},       {"nrank", "np"},
    {"task", "np"},         {"tasks", "np"},
    {"ntasks", "np"},       {"ntask", "np"},
    {"mpi", "np"},          {"nmpi", "np"},
    {"core", "cores"},      {"cores", "cores"},
    {"ncores", "cores"},    {"ncore", "cores"},
    {"cpu", "cores"},       {"cpus", "cores"},
    {"ncpus", "cores"},     {"ncpu", "cores"},
    {"pe", "cores"},        {"pes", "cores"},
    {"npes", "cores"},      {"node", "nodes"},
    {"nodes", "nodes"},     {"nnodes", "nodes"},
    {"nnode", "nodes"},     {"thread", "threads"},
    {"threads", "threads"}, {"nthreads", "threads"},
    {"nthread", "threads"}, {"omp", "threads"},
    {"gpu", "gpus"},        {"gpus", "gpus"},
    {"ngpus", "gpus"},      {"ngpu", "gpus"},
    {"gcds", "gpus"},       {"devices", "gpus"},
};
constexpr std::string_view kTimeWords[] = {
    "time",    "times", "walltime", "wall", "wallclock", "runtime", "elapsed",  "duration", "timing",  "timings",
    "seconds", "sec",   "secs",     "real", "t",         "cputime", "runtimes", "makespan", "exectime"};
constexpr std::string_view kOfWhole[] = {"run",       "execution", "exec",     "total",   "overall",     "mean",
                                         "avg",       "average",   "median",   "program", "application", "app",
                                         "whole",     "all",       "job",      "clock",   "step",        "steps",
                                         "iteration", "iter",      "timestep", "to",      "solution"};
constexpr std::string_view kSizeWords[] = {"size", "problem", "atoms",    "natoms", "particles", "elements", "dofs",
                                           "dof",  "cells",   "unknowns", "grid",   "gridsize",  "points",   "ndofs"};
constexpr std::string_view kExtremes[] = {"min", "max", "minimum", "maximum", "best", "worst", "fastest", "slowest"};
constexpr std::string_view kSpreads[] = {"std", "stddev",    "stdev",    "sd",  "sigma",  "err", "error",
                                         "sem", "deviation", "variance", "var", "spread", "ci",  "uncertainty"};
constexpr std::string_view kKernelWords[] = {"kernel",    "kernels", "callpath", "region",  "routine",
                                             "function",  "timer",   "phase",    "section", "subroutine",
                                             "operation", "stage",   "component"};
constexpr std::string_view kRepeatWords[] = {"rep",     "repeat",    "repetition", "repetitions", "trial",
                                             "run",     "iteration", "runid",      "sample",      "try",
                                             "attempt", "idx",       "index",      "id"};

template <class Range> bool has_word(const Range& range, std::string_view word) {
  return std::find(std::begin(range), std::end(range), word) != std::end(range);
}

template <class Range> bool any_word(const NameWords& words, const Range& range) {
  return std::any_of(words.begin(), words.end(), [&range](const std::string& word) { return has_word(range, word); });
}

template <class Range> void remove_words(NameWords& words, const Range& range) {
  std::erase_if(words, [&range](const std::string& word) { return has_word(range, word); });
}

// The words in lower case. A change from a small to a capital letter begins a new one; the "d'" of French none.
NameWords written_words(std::string_view text) {
  NameWords words;
  std::string word;
  char before = 0;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(lower(word));
    word.clear();
  };
  constexpr std::string_view kApostrophe = "\xE2\x80\x99";
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_utf8 = text.substr(i).starts_with(kApostrophe);
    const bool is_apostrophe = text[i] == '\'' || is_utf8 || (text[i] == '\x92' && (word == "d" || word == "l"));
    if (is_apostrophe && (word == "d" || word == "l")) word.clear();
    if (is_utf8) i += kApostrophe.size() - 1;
    const char c = is_apostrophe ? '\'' : text[i];
    const bool capital = c >= 'A' && c <= 'Z';
    const bool small = c >= 'a' && c <= 'z';
    const bool in_word =
        capital || small || (c >= '0' && c <= '9') || c == '%' || static_cast<unsigned char>(c) >= 0x80;
    if (!in_word || (capital && before >= 'a' && before <= 'z')) end_word();
    if (in_word) word += c;
    before = c;
  }
  end_word();
  return words;
}

// Without the accents of Latin letters: "coeurs" of "cœurs", "grosse" of "Größe", in UTF-8 and as Excel writes CSV on
// Windows, in code page 1252.
std::string without_accents(std::string_view word) {
  // From 0xC0 and from 0xE0 on in Latin-1; in UTF-8 these are the second bytes of 0xC3. "*" stands for no letter.
  constexpr std::string_view kLetters = "aaaaaa*ceeeeiiii*nooooo*ouuuuy*s";
  std::string plain;
  for (size_t i = 0; i < word.size(); ++i) {
    const std::string_view letter = word.substr(i, 2);
    const auto is_between = [](char c, unsigned char low, unsigned char high) {
      return static_cast<unsigned char>(c) >= low && static_cast<unsigned char>(c) <= high;
    };
    const bool is_pair = letter.size() == 2 && is_between(letter[1], 0x80, 0xBF);
    const bool is_ligature = letter == "\xC5\x93" || letter == "\xC5\x92";
    if (is_ligature || word[i] == '\x9C' || word[i] == '\x8C') {
      plain += "oe";
    } else if (is_pair ? letter[0] == '\xC3' : is_between(word[i], 0xC0, 0xFF)) {
      const char c = is_pair ? letter[1] : letter[0];
      plain += kLetters[static_cast<unsigned char>(c) % kLetters.size()];
      if (c == (is_pair ? '\x9F' : '\xDF')) plain += 's';
    } else {
      plain += word[i];
      continue;
    }
    i += is_pair ? 1 : 0;
  }
  return plain;
}

// In English. "par" and the like stand between two words, or are a name.
NameWords translated(NameWords words) {
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string plain = without_accents(words[i]);
    const auto row =
        std::find_if(std::begin(kTranslatedWords), std::end(kTranslatedWords),
                     [&](const TranslatedWord& known) { return known.word == plain || known.word == words[i]; });
    const bool is_known =
        row != std::end(kTranslatedWords) && (row->english != "per" || (i > 0 && i + 1 < words.size()));
    words[i] = is_known ? std::string(row->english) : plain;
  }
  return words;
}

NameWords words_of_name(std::string_view text) { return translated(written_words(text)); }

// The text in the last brackets at the end of a name: "time (ms)", "time [s]"; and the name without them.
std::string take_bracket(std::string& name) {
  const size_t end = name.find_last_not_of(" \t");
  if (end == name.npos || (name[end] != ')' && name[end] != ']')) return "";
  const size_t begin = name.find_last_of(name[end] == ')' ? '(' : '[', end);
  if (begin == name.npos || begin == 0) return "";
  std::string inner = name.substr(begin + 1, end - begin - 1);
  name.erase(begin);
  return inner;
}

// The processes that the words name; empty: they name none. "MPI ranks per node" is no number of processes.
std::string processes_named_by(NameWords words) {
  if (has_word(words, "per")) return "";
  if (words.size() > 1 || (!words.empty() && words.front() != "n")) remove_words(words, kFilling);
  if (has_word(words, "omp") && has_word(words, "num")) words = {"threads"};
  std::string name;
  for (const std::string& word : words) {
    const auto known = std::find_if(std::begin(kProcessWords), std::end(kProcessWords),
                                    [&word](const ProcessWord& process) { return process.word == word; });
    if (known == std::end(kProcessWords)) return "";
    // "MPI ranks" and "CPU cores" name one thing, "OMP threads" too.
    if (!name.empty() && name != known->parameter && word != "threads" && word != "cores") return "";
    name = known->parameter;
  }
  return name;
}

// "steps/s", "ns per day", "Mcells/sec": the more, the faster.
bool is_rate(const std::string& name) {
  const NameWords words = words_of_name(name);
  const std::string_view last = words.empty() ? std::string_view() : std::string_view(words.back());
  const bool is_time = seconds_per(last) || last == "day" || last == "year" || last == "d";
  const bool divides = name.find('/') != name.npos || has_word(words, "per");
  return divides && is_time && words.size() > 1;
}

}  // namespace

ColumnGuess guess_column(const std::string& column) {
  std::string name = column;
  const std::string bracket = take_bracket(name);
  NameWords written = written_words(name);
  std::string unit = seconds_per(bracket) ? bracket : "";
  if (unit.empty() && !bracket.empty()) {
    const NameWords inner = written_words(bracket);
    written.insert(written.end(), inner.begin(), inner.end());
  }
  NameWords words = translated(written);
  if (words.empty()) return {};
  if (has_word(words, "speedup") || (has_word(words, "speed") && has_word(words, "up")))
    return {ColumnUse::kSpeedup, "", ""};
  if (any_word(words, std::initializer_list<std::string_view>{"efficiency", "eff", "efficiencies"})) {
    return {ColumnUse::kEfficiency, "", ""};
  }
  if (any_word(words, kSpreads)) return {ColumnUse::kSpread, "", ""};
  if (unit.empty() && bracket.empty()) {
    if (const std::string processes = processes_named_by(words); !processes.empty()) {
      return {ColumnUse::kProcesses, processes, ""};
    }
  } else if (unit.empty() && !has_word(words, "per")) {
    // "cores (MPI)": the name in front counts.
    if (const std::string processes = processes_named_by(words_of_name(name)); !processes.empty()) {
      return {ColumnUse::kProcesses, processes, ""};
    }
  }
  if (words.size() == 1 && has_word(kRepeatWords, words.front()) && unit.empty()) return {ColumnUse::kRepeat, "", ""};
  if (any_word(words, kKernelWords) && !any_word(words, kTimeWords) && unit.empty()) {
    return {ColumnUse::kKernel, "", ""};
  }
  const bool extreme = any_word(words, kExtremes);
  if (is_rate(name) || is_rate(bracket)) return {};
  if (const size_t slash = bracket.find('/');
      unit.empty() && slash != bracket.npos && seconds_per(bracket.substr(0, slash))) {
    unit = bracket.substr(0, slash);  // "s/step"
  }
  // A unit as a word of the name: "wall_ms", "time in seconds". A lone "h" or "min" is none.
  if (unit.empty() && !words.empty()) {
    const std::string& last = words.back();
    const bool is_usual = seconds_per(last) && last != "min" && (last != "h" || words.size() > 1);
    if (is_usual) {
      unit = last;
      words.pop_back();
    }
  }
  const bool is_time = !unit.empty() || any_word(words, kTimeWords);
  const bool is_whole = std::all_of(words.begin(), words.end(), [](const std::string& word) {
    return has_word(kTimeWords, word) || has_word(kOfWhole, word) || has_word(kFilling, word);
  });
  if (is_time && extreme) return {ColumnUse::kExtreme, "", unit};
  if (is_time && is_whole) return {ColumnUse::kTime, "", unit};
  if (is_time) {
    constexpr std::string_view kNoName[] = {"in", "mean", "avg", "average", "median"};
    NameWords kernel;
    for (size_t i = 0; i < words.size(); ++i) {
      if (!has_word(kTimeWords, words[i]) && !has_word(kNoName, words[i])) kernel.push_back(written[i]);
    }
    const bool by_unit = kernel.size() == words.size() && seconds_per(bracket).has_value();
    return {ColumnUse::kTime, core::join(kernel, "_"), unit, by_unit};
  }
  if (words.size() == 1 &&
      has_word(std::initializer_list<std::string_view>{"total", "mean", "average", "avg"}, words[0])) {
    return {ColumnUse::kTime, "", ""};
  }
  if (any_word(words, kSizeWords)) return {ColumnUse::kSize, core::join(written, "_"), ""};
  return {};
}

}  // namespace scalediag::fit
