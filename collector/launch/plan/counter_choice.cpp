#include "collector/launch/plan/counter_choice.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "collector/counters/callgrind/valgrind.h"
#include "core/text/value_list.h"

namespace scalediag::launch {
namespace {

// Splits the list; commas occur only as separators: "PAPI_L1_DCM,sde:::lib::NAME".
std::vector<std::string> split_at_commas(const std::string& list) {
  std::vector<std::string> items;
  std::istringstream stream(list);
  for (std::string item; std::getline(stream, item, ',');) {
    if (!item.empty()) items.push_back(item);
  }
  return items;
}

// What --count-in-part cannot do without, or would have no use for.
Status check_parts(const ProfileRequest& request) {
  const auto refused = [](const std::string& why) {
    return Error{ErrorCode::kUsage, "--count-in-part " + why, "leave out one of the two", "--count-in-part"};
  };
  if (request.counters == "papi" || request.counters == "none") {
    return refused("simulates counts, but --counters " + request.counters + " was given");
  }
  if (!request.events.empty()) return refused("simulates counts, but --events names PAPI's");
  if (request.events_precise) return refused("simulates counts, but --events-precise is for PAPI's");
  if (!request.simulate_ranks.empty()) return refused("chooses its ranks, and --simulate-ranks those counted whole");
  if (request.no_trace) return refused("finds rounds in traces, but --no-trace (SCALEDIAG_NO_TRACE) was given");
  return Done{};
}

Status check_combination(const ProfileRequest& request) {
  if (request.count_in_part) TRY(check_parts(request));
  if (!request.events.empty() && (request.counters == "simulated" || request.counters == "none")) {
    return Error{ErrorCode::kUsage, "--events names PAPI's events, but --counters " + request.counters + " was given",
                 "leave out --events, or use --counters papi", "--events"};
  }
  if (request.events_precise && (request.counters == "simulated" || request.counters == "none")) {
    return Error{ErrorCode::kUsage,
                 "--events-precise is for events that PAPI counts, but --counters " + request.counters + " was given",
                 "leave out --events-precise, or use --counters papi", "--events-precise"};
  }
  const bool simulates = request.counters == "simulated" || request.counters == "auto";
  if (!request.simulate_ranks.empty() && !(simulates && request.events.empty() && !request.events_precise)) {
    return Error{ErrorCode::kUsage, "--simulate-ranks is of use only where counters are simulated",
                 "use it with --counters simulated", "--simulate-ranks"};
  }
  return Done{};
}

Status read_ranks(const std::string& list, CounterChoice& choice) {
  choice.simulate_all = list == "all";
  if (list.empty() || choice.simulate_all) return Done{};
  const auto values = TRY(core::parse_value_list(list, "--simulate-ranks"));
  std::vector<int> ranks;
  for (const core::ListValue& value : values) {
    if (!(value.value >= 0 && value.value < (1 << 24)) || value.value != std::floor(value.value)) {
      return Error{ErrorCode::kUsage, "--simulate-ranks: '" + value.text + "' is not a rank",
                   "give whole numbers from 0, or all", "--simulate-ranks"};
    }
    ranks.push_back(static_cast<int>(value.value));
  }
  std::ranges::sort(ranks);
  choice.simulate_ranks = std::move(ranks);
  return Done{};
}

Status prepare_counting(CounterChoice& choice) {
  choice.valgrind = TRY(counters::find_valgrind());
  return Done{};
}

Result<CounterChoice> choose_papi(CounterChoice choice, const ProfileRequest& request) {
  auto plan = counters::plan_events(choice.events, request.rate_hz, request.events_precise);
  if (!plan) {
    Error error = plan.error();
    // The hint names another source, unless particular events were requested.
    const bool is_said = error.hint.find("--counters simulated") != std::string::npos;
    if (request.events_precise && error.code == ErrorCode::kEnvironment && error.where.empty()) {
      error.hint = "--events-precise needs a unit whose counters overflow: leave it out" +
                   std::string(error.hint.empty() ? "" : "; ") + error.hint;
      error.where = "--events-precise";
    } else if (choice.events.empty() && error.code == ErrorCode::kEnvironment && !is_said) {
      error.hint += (error.hint.empty() ? "" : "; ") + std::string("--counters simulated counts without it");
    }
    return error;
  }
  choice.source = "papi";
  choice.plan = std::move(plan).value();
  return choice;
}

Result<CounterChoice> choose_automatically(CounterChoice choice, const ProfileRequest& request) {
  if (!choice.events.empty() || request.events_precise) {
    choice.reason = "events were asked for";
    return choose_papi(std::move(choice), request);
  }
  const counters::PapiState& papi = counters::probe_papi();
  if (papi.counts && (choice.simulate_all || choice.simulate_ranks.has_value())) {
    return Error{ErrorCode::kUsage, "--simulate-ranks names ranks, but PAPI counts on this machine and auto takes it",
                 "use --counters simulated, or leave out --simulate-ranks", "--simulate-ranks"};
  }
  if (papi.counts) {
    choice.reason = "auto: PAPI " + papi.version + " counts on this machine";
    return choose_papi(std::move(choice), request);
  }
  choice.reason = "auto: PAPI cannot count here (" + papi.reason + ")";
  if (const auto prepared = prepare_counting(choice); !prepared) {
    choice.source = "clock";
    choice.reason += ", and " + prepared.error().message + " (" + prepared.error().hint + ")";
  }
  return choice;
}

}  // namespace

Result<CounterChoice> choose_counters(const ProfileRequest& request) {
  TRY(check_combination(request));
  CounterChoice choice;
  choice.events = split_at_commas(request.events);
  TRY(read_ranks(request.simulate_ranks, choice));
  if (request.counters == "none") {
    choice.source = "clock";
    choice.reason = "asked for";
    return choice;
  }
  if (request.counters == "papi") {
    choice.reason = "asked for";
    return choose_papi(std::move(choice), request);
  }
  if (request.counters == "simulated") {
    choice.source = "simulated";
    choice.reason = "asked for";
    TRY(prepare_counting(choice));
    return choice;
  }
  return choose_automatically(std::move(choice), request);
}

}  // namespace scalediag::launch
