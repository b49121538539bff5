#include "core/profile/resource_notes.h"

namespace scalediag::core {
namespace {

struct NoteText {
  const char* note;
  const char* text;
};
constexpr NoteText kTexts[] = {
    {"stalls_derived",
     "stalls are derived, not counted: time beyond instructions x the kernel's smallest CPI. So BF_mem is relative, "
     "and 0 "
     "in the kernel's best configuration also where it waits for memory everywhere; at most it is bf_mem_high, were "
     "all "
     "time beyond the machine's smallest CPI stalls"},
    {"stalls_total", "stalls of every kind were counted: those for memory, and BF_mem, are at most so large"},
    {"single_configuration", "only one configuration was counted, so derived stalls are 0"},
    {"stalls_not_memory", "stalled without any counted access to memory: part of T_comp"},
    {"stalls_exceed_memory", "stalled longer than all accesses one after the other take on an idle machine"},
    {"few_samples", "fewer than 100 samples: times are uncertain by more than 10 %"},
    {"few_overflows", "an event overflowed seldom here: a count is uncertain by more than 10 %"},
    {"counts_in_part", "few rounds of the main loop were counted: those of the others are estimated by them"},
    {"counts_of_repeats", "some counts come from other repeats"},
    {"cpi_below_machine", "CPI below what the machine can do: counts and time do not fit"},
    {"cache_size_guessed",
     "the size of the simulated last cache is a guess, so that E, and what comes from memory, are not known: profile "
     "simulates the size that machine measures, where that finds one"},
};

}  // namespace

std::string resource_note_text(const std::string& note) {
  for (const NoteText& known : kTexts) {
    if (note == known.note) return known.text;
  }
  return note;
}

}  // namespace scalediag::core
