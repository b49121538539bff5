"""Calls and bytes of all_routines.{c,F90}, derived from its source, section by section.

Numbers are sums over the 3 ranks. D is the size of a double. What counts as a call's bytes is the
table in pmpi-comm/README.md; nothing in here was taken from a profile.
"""

import collections

P = 3
D = 8
I = 4  # a default integer


class Tally:
    def __init__(self):
        self.calls = collections.Counter()
        self.bytes = collections.Counter()

    def total(self, name, calls, nbytes=0):
        self.calls["MPI_" + name] += calls
        self.bytes["MPI_" + name] += nbytes

    def every(self, name, nbytes=0, times=1):
        """Every rank makes `times` calls of `nbytes` bytes each."""
        self.total(name, P * times, P * times * nbytes)


def point_to_point(t, mpi_version):
    # Blocking sends, each received by an Irecv that was posted for 20.
    for name, n in (("Send", 11), ("Bsend", 12), ("Ssend", 13), ("Rsend", 14)):
        t.every("Irecv", 20 * D)
        t.every(name, n * D)
        t.every("Wait")
    t.every("Barrier")  # before Rsend

    t.every("Isend", 15 * D)
    t.every("Recv", 21 * D)  # the posted size, not the 15 that arrive
    t.every("Wait")
    t.every("Sendrecv", 16 * D)  # the sending part
    t.every("Sendrecv_replace", 17 * D)

    t.every("Isend", 18 * D)
    t.every("Probe")
    t.every("Recv", 18 * D)
    t.every("Wait")
    t.every("Isend", 19 * D)
    t.every("Mprobe")
    t.every("Mrecv", 22 * D)
    t.every("Wait")
    t.every("Isend", 23 * D)
    t.every("Probe")
    t.every("Improbe")
    t.every("Imrecv", 24 * D)
    t.every("Waitall")

    # MPI_PROC_NULL: calls without bytes.
    t.every("Iprobe", times=100)
    t.every("Improbe", times=2)
    t.every("Mrecv")
    t.every("Imrecv")
    t.every("Wait")

    for name, n in (("Ibsend", 25), ("Issend", 26), ("Irsend", 27)):
        t.every("Irecv", 28 * D)
        t.every(name, n * D)
        t.every("Waitall")
    t.every("Barrier")  # before Irsend

    t.every("Send")  # to MPI_PROC_NULL
    t.every("Recv")
    t.every("Irecv")  # of nothing
    t.every("Send")
    t.every("Wait")

    if mpi_version >= 4:
        t.every("Isendrecv", 61 * D)
        t.every("Isendrecv_replace", 62 * D)
        t.every("Wait", times=2)


def derived_types(t):
    # Two vectors of 3 blocks of 2 doubles; then one of 5 integers.
    t.every("Irecv", 12 * D)
    t.every("Send", 2 * 3 * 2 * D)
    t.every("Irecv", 5 * I)
    t.every("Send", 5 * I)
    t.every("Wait", times=2)


def persistent(t):
    for name, n in (("Send_init", 31), ("Bsend_init", 32), ("Ssend_init", 33)):
        t.every("Recv_init")
        t.every(name)
        t.every("Startall", (40 + n) * D, times=2)
        t.every("Waitall", times=2)
    t.every("Recv_init")
    t.every("Rsend_init")
    t.every("Start", 40 * D)
    t.every("Barrier")
    t.every("Start", 34 * D)
    t.every("Waitall")
    t.every("Request_free", times=2 * 4)
    # To MPI_PROC_NULL.
    t.every("Send_init")
    t.every("Start")
    t.every("Wait")
    t.every("Request_free")


def completion(t):
    for name in ("Wait", "Waitany", "Waitall", "Waitsome", "Testany", "Testall", "Testsome", "Request_get_status"):
        t.every(name)
    t.every("Test", times=70)
    t.every("Irecv", 1 * D)
    t.every("Cancel")
    t.every("Wait")
    t.every("Buffer_detach")


def alltoallw_bytes():
    # r + i + 1 elements between r and i, integers where r + i is even.
    return sum((r + i + 1) * (I if (r + i) % 2 == 0 else D) for r in range(P) for i in range(P))


def collectives(t, prefix):
    """prefix: "" or "I"."""

    def name(n):
        return prefix + n.lower() if prefix else n

    ranked = sum(r + 1 for r in range(P)) * D  # r + 1 elements at rank r
    pairwise = sum(r + i + 1 for r in range(P) for i in range(P)) * D
    t.every(name("Barrier"))
    t.every(name("Bcast"), 41 * D)
    # Each of the following twice, the second time with MPI_IN_PLACE, which changes nothing: the contribution is then in
    # the receive buffer.
    t.every(name("Gather"), 3 * D)
    t.every(name("Gather"), 4 * D)
    t.total(name("Gatherv"), 2 * P, 2 * ranked)
    t.every(name("Scatter"), 5 * D, times=2)
    t.total(name("Scatterv"), 2 * P, 2 * ranked)
    t.every(name("Allgather"), 6 * D, times=2)
    t.total(name("Allgatherv"), 2 * P, 2 * ranked)
    t.every(name("Alltoall"), 7 * D * P, times=2)
    t.total(name("Alltoallv"), 2 * P, 2 * pairwise)
    t.total(name("Alltoallw"), 2 * P, 2 * alltoallw_bytes())
    t.every(name("Reduce"), 8 * D, times=2)
    t.every(name("Allreduce"), 9 * D, times=2)
    t.every(name("Reduce_scatter"), (1 + 2 + 3) * D, times=2)
    t.every(name("Reduce_scatter_block"), 4 * P * D, times=2)
    t.every(name("Scan"), 13 * D)
    t.every(name("Exscan"), 14 * D)
    if prefix:
        t.every("Wait", times=2 + 2 * 13 + 2)


def neighborhoods(t, mpi, language):
    for name in ("Cart_create", "Cart_sub", "Graph_create", "Dist_graph_create", "Dist_graph_create_adjacent"):
        t.every(name)
    # A line 0 - 1 - 2: its ends have one neighbour, so 4 blocks are sent; each sends 2 in the graph
    # and 1 in the ring.
    line, graph, ring = 4, 2 * P, 1 * P
    t.total("Neighbor_allgather", P, line * 3 * D)
    t.total("Neighbor_allgather", P, graph * 2 * D)
    t.total("Neighbor_allgather", P, ring * 1 * D)
    t.total("Neighbor_allgatherv", P, line * 4 * D)
    t.total("Neighbor_alltoall", P, line * 5 * D)
    # 6 elements to the one below (ranks 1 and 2 have one), 7 to the one above (ranks 0 and 1).
    t.total("Neighbor_alltoallv", P, 2 * 6 * D + 2 * 7 * D)
    if mpi == "mpich" and language == "f08":
        t.total("Neighbor_alltoallw", P, ring * 6 * I)  # on the ring: see the source
    else:
        t.total("Neighbor_alltoallw", P, 2 * 6 * I + 2 * 7 * D)
    t.total("Ineighbor_allgather", P, ring * 3 * D)
    t.total("Ineighbor_allgatherv", P, ring * 4 * D)
    t.total("Ineighbor_alltoall", P, ring * 5 * D)
    t.total("Ineighbor_alltoallv", P, ring * 6 * D)
    t.total("Ineighbor_alltoallw", P, ring * 6 * I)
    t.every("Wait", times=5)
    t.every("Comm_free", times=5)


def one_sided(t):
    t.every("Win_create")
    # One more fence than the eight epochs; the last of them holds the swap and the Put to nobody.
    t.every("Win_fence", times=9)
    t.every("Put", 3 * D)
    t.every("Get", 4 * D)
    t.every("Accumulate", 5 * D)
    t.every("Get_accumulate", 6 * D)
    t.every("Get_accumulate", 7 * D)  # MPI_NO_OP: what is read
    t.every("Fetch_and_op", D, times=2)
    t.every("Compare_and_swap", I)
    t.every("Put")  # to MPI_PROC_NULL

    t.every("Win_lock_all")
    t.every("Rput", 8 * D)
    t.every("Rget", 9 * D)
    t.every("Raccumulate", 10 * D)
    t.every("Rget_accumulate", 11 * D)
    t.every("Wait", times=4)
    for name in ("flush", "flush_all", "flush_local", "flush_local_all", "sync", "unlock_all", "lock", "unlock"):
        t.every("Win_" + name)
    t.every("Barrier", times=2)

    t.every("Win_post", times=2)
    t.every("Win_start")
    t.every("Put", 2 * D)
    t.every("Win_complete")
    t.every("Win_wait")
    t.every("Win_test")
    t.every("Win_allocate")
    t.every("Win_allocate_shared")
    t.every("Win_create_dynamic")
    t.every("Win_free", times=4)


def communicators(t):
    for name in ("Comm_dup", "Comm_dup_with_info", "Comm_idup", "Comm_create", "Comm_create_group", "Comm_split",
                 "Comm_split_type", "Intercomm_create", "Intercomm_merge"):
        t.every(name)
    t.every("Wait")
    # One rank each.
    t.total("Send", 1, 21 * D)
    t.total("Recv", 1, 21 * D)
    t.total("Send", 1, 57 * D)
    t.total("Recv", 1, 57 * D)
    # Between {0, 2} and {1}: rank 0 is the root, rank 2 beside it takes no part, rank 1 is on the other side.
    t.total("Bcast", P, (51 + 0 + 51) * D)
    t.total("Gather", P, 52 * D)
    t.total("Scatter", P, 53 * D)
    t.total("Reduce", P, 54 * D)
    t.total("Allgather", P, P * 55 * D)
    t.total("Alltoall", P, (1 + 1 + 2) * 56 * D)  # ranks 0 and 2 have one partner, rank 1 has two
    t.every("Barrier")
    t.every("Comm_free", times=8)
    t.every("Comm_disconnect")


def files(t):
    for name in ("open", "set_view", "set_size", "preallocate", "set_info", "set_atomicity", "get_size", "seek",
                 "seek_shared", "get_position", "get_position_shared", "get_byte_offset", "sync", "close", "delete"):
        t.every("File_" + name)
    t.every("Barrier")
    # Elements in the order of the source: 11, 12, ...
    elements = iter(range(11, 39))

    def transfers(names):
        for name in names.split():
            t.every("File_" + name, next(elements) * D)

    transfers("write_at read_at write_at_all read_at_all iwrite_at iread_at iwrite_at_all iread_at_all")
    transfers("write read write_all read_all iwrite iread iwrite_all iread_all")
    transfers("write_shared read_shared iwrite_shared iread_shared write_ordered read_ordered")
    t.every("Wait", times=4 + 4 + 2)
    split = ("write_at_all", "read_at_all", "write_all", "read_all", "write_ordered", "read_ordered")
    transfers(" ".join(name + "_begin" for name in split))
    for name in split:
        t.every("File_" + name + "_end")


def local(t, language):
    t.every("Pack", 5 * D)
    t.every("Unpack", 5 * D)
    t.every("Reduce_local", 7 * D)
    if language == "c":
        t.every("Alloc_mem")
        t.every("Free_mem")


def errors(t, language, mpi):
    t.every("Send")  # to a rank that does not exist
    if language == "c":
        for name in ("Comm_spawn", "Comm_spawn_multiple", "Comm_accept", "Comm_connect"):
            t.every(name)
        if mpi != "openmpi":
            t.every("Comm_join")


# Routines that a program does not call, with the reason. The key is (library, language), * for any.
LEFT_OUT = {
    ("*", "fortran"): {
        "MPI_Comm_spawn": "CHARACTER arguments: not intercepted",
        "MPI_Comm_spawn_multiple": "CHARACTER arguments: not intercepted",
        "MPI_Comm_accept": "CHARACTER arguments: not intercepted",
        "MPI_Comm_connect": "CHARACTER arguments: not intercepted",
        "MPI_Alloc_mem": "its memory needs a C pointer, of which Fortran has none before mpi_f08",
        "MPI_Free_mem": "the same",
        "MPI_Comm_join": "needs a socket, which Fortran does not have",
    },
    ("openmpi", "*"): {
        "MPI_Isendrecv": "MPI 4.0",
        "MPI_Isendrecv_replace": "MPI 4.0",
        "MPI_Comm_join": "reads from a bad socket for ever instead of failing",
    },
}


def left_out(mpi, language):
    kind = "c" if language == "c" else "fortran"
    names = set()
    for (library, lang), routines in LEFT_OUT.items():
        if library in ("*", mpi) and lang in ("*", kind):
            names |= set(routines)
    return names


def expected(mpi, language):
    """mpi: "openmpi" or "mpich"; language: "c", "mpif", "mpi" or "f08". Returns {operation: (calls, bytes)}."""
    t = Tally()
    point_to_point(t, 4 if mpi == "mpich" else 3)
    derived_types(t)
    persistent(t)
    completion(t)
    collectives(t, "")
    collectives(t, "I")
    neighborhoods(t, mpi, language)
    one_sided(t)
    communicators(t)
    files(t)
    local(t, language)
    errors(t, language, mpi)
    return {name: (t.calls[name], t.bytes[name]) for name in t.calls}


def expected_peers(mpi):
    """{(from, to): (messages, bytes)} of point-to-point and one-sided traffic."""
    doubles = [11, 12, 13, 14, 15, 16, 17, 18, 19, 23, 25, 26, 27, 0]  # to the right, in the order of the source
    if mpi == "mpich":
        doubles += [61, 62]
    doubles += 2 * [31, 32, 33] + [34]  # persistent
    sent = [n * D for n in doubles] + [2 * 3 * 2 * D, 5 * I]
    put = [n * D for n in (3, 5, 6, 1, 8, 10, 11, 2)] + [I]
    got = [n * D for n in (4, 7, 1, 9)]  # flows from the right
    peers = collections.Counter()
    messages = collections.Counter()

    def flow(source, to, sizes):
        messages[source, to] += len(sizes)
        peers[source, to] += sum(sizes)

    for r in range(P):
        right = (r + 1) % P
        flow(r, right, sent + put)
        flow(right, r, got)
    flow(0, 2, [21 * D])  # rank 0 to rank 1 of {0, 2}
    flow(1, 2, [57 * D])  # across the intercommunicator
    return {edge: (messages[edge], peers[edge]) for edge in peers}
