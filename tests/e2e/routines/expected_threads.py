"""Calls, bytes and peers of threads.c, derived from its source."""

P = 3
THREADS = 4
ROUNDS = 10
EVEN = ODD = ROUNDS // 2
D = 8
ALL = P * THREADS
SIZES = sum(n + 1 for n in range(THREADS)) * D  # one message of each thread


def expected():
    """{operation: {communicator size: (calls, bytes)}}, sums over ranks."""
    return {
        "MPI_Comm_dup": {P: (ALL, 0)},
        "MPI_Comm_split": {P: (ALL * ROUNDS, 0)},
        # All ranks in even rounds, each alone in odd ones; and once on MPI_COMM_SELF.
        "MPI_Barrier": {P: (ALL * EVEN, 0), 1: (ALL * ODD + P, 0)},
        # The same, and each thread's own communicator.
        "MPI_Comm_free": {P: (ALL * EVEN + ALL, 0), 1: (ALL * ODD, 0)},
        "MPI_Irecv": {P: (ALL * EVEN, P * EVEN * SIZES)},
        "MPI_Isend": {P: (ALL * EVEN, P * EVEN * SIZES)},
        "MPI_Waitall": {0: (ALL * EVEN, 0)},
        "MPI_Bcast": {P: (ALL * ROUNDS, ALL * (EVEN * 8 + ODD * 16))},
        "MPI_Allreduce": {P: (ALL * ROUNDS, P * ROUNDS * SIZES)},
    }


def expected_peers():
    """The next in the reversed order is the one before."""
    return {(r, (r - 1) % P): (THREADS * EVEN, EVEN * SIZES) for r in range(P)}
