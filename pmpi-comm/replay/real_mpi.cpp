#include "pmpi-comm/replay/real_mpi.h"

namespace scalediag::pmpi {
namespace {

template <class Function> void assign_next(Function& to, const char* name) {
  to = reinterpret_cast<Function>(next_symbol(name));
}

RealMpi find_real_mpi() {
  RealMpi m;
  m.library = &mpi_library();
  m.comm_self = m.constants().comm_self;
  m.byte = m.constants().byte;
  assign_next(m.comm_rank, "PMPI_Comm_rank");
  assign_next(m.comm_size, "PMPI_Comm_size");
  assign_next(m.comm_split, "PMPI_Comm_split");
  assign_next(m.comm_group, "PMPI_Comm_group");
  assign_next(m.comm_test_inter, "PMPI_Comm_test_inter");
  assign_next(m.comm_remote_size, "PMPI_Comm_remote_size");
  assign_next(m.group_incl, "PMPI_Group_incl");
  assign_next(m.group_size, "PMPI_Group_size");
  assign_next(m.group_translate_ranks, "PMPI_Group_translate_ranks");
  assign_next(m.group_free, "PMPI_Group_free");
  assign_next(m.topo_test, "PMPI_Topo_test");
  assign_next(m.cartdim_get, "PMPI_Cartdim_get");
  assign_next(m.graph_neighbors_count, "PMPI_Graph_neighbors_count");
  assign_next(m.dist_graph_neighbors_count, "PMPI_Dist_graph_neighbors_count");
  assign_next(m.type_size_x, "PMPI_Type_size_x");
  assign_next(m.type_get_extent, "PMPI_Type_get_extent");
  assign_next(m.type_get_true_extent, "PMPI_Type_get_true_extent");
  assign_next(m.type_get_envelope, "PMPI_Type_get_envelope");
  assign_next(m.type_dup, "PMPI_Type_dup");
  assign_next(m.type_free, "PMPI_Type_free");
  assign_next(m.pack, "PMPI_Pack");
  assign_next(m.unpack, "PMPI_Unpack");
  assign_next(m.get_count, "PMPI_Get_count");
  assign_next(m.request_get_status, "PMPI_Request_get_status");
  assign_next(m.recv_init, "PMPI_Recv_init");
  assign_next(m.isend, "PMPI_Isend");
  assign_next(m.request_free, "PMPI_Request_free");
  assign_next(m.mprobe, "PMPI_Mprobe");
  assign_next(m.mrecv, "PMPI_Mrecv");
  assign_next(m.finalize, "PMPI_Finalize");
  return m;
}

}  // namespace

const RealMpi& real_mpi() {
  static const RealMpi found = find_real_mpi();
  return found;
}

}  // namespace scalediag::pmpi
