#include "cli/network/measured_network.h"

#include <tuple>
#include <utility>

#include "collector/launch/host/host_facts.h"
#include "collector/launch/host/installation.h"
#include "loggp/network/parameter_fit.h"

namespace scalediag::cli {
namespace {

// "Open MPI v4.1.4, package: ...", "MPICH Version: 4.0.2"
std::pair<std::string, std::string> library_of(const std::string& text, launch::MpiFlavour started) {
  std::string version;
  const size_t at = text.find_first_of("0123456789");
  if (at != text.npos) version = text.substr(at, text.find_first_not_of("0123456789.", at) - at);
  if (text.starts_with("Open MPI")) return {"openmpi", version};
  if (text.starts_with("MPICH")) return {"mpich", version};
  return {name_of(started), ""};
}

}  // namespace

Result<loggp::Network> network_of(const loggp::NetworkMeasurement& measured, const launch::NetworkProbe& probe,
                                  const std::string& name) {
  loggp::Network network;
  network.name = name;
  std::tie(network.library, network.library_version) = library_of(measured.library, probe.flavour);
  network.reduction_s_per_byte = measured.reduction_s_per_byte;
  network.copy_s_per_byte = measured.copy_s_per_byte;
  network.provenance = {{"measured_by", std::string("scalediag ") + launch::version()},
                        {"created", launch::utc_now()},
                        {"library", measured.library},
                        {"launcher", launch::template_of(probe.launcher)},
                        {"other_ranks", probe.others_wait ? "waited in MPI" : "slept"}};
  for (const loggp::MeasuredLink& link : measured.links) {
    auto fitted = TRY(loggp::fit_link(link));
    network.provenance.emplace_back(link.same_node ? "same_node" : "other_node", link.hosts[0] + ", " + link.hosts[1]);
    if (!link.same_node && measured.exchange_s > 0) loggp::fit_exchange(measured, fitted);
    fitted.connect_s = link.connect_s;
    (link.same_node ? network.same_node : network.other_node) = std::move(fitted);
  }
  network.placement.ranks_per_node = measured.links.size() > 1 ? launch::read_host().cores : 1;
  return network;
}

}  // namespace scalediag::cli
