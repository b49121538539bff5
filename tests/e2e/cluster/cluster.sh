#!/usr/bin/env bash
# Runs a script on a cluster of this machine alone: the real Slurm with a controller and some nodes, each with a host
# name and a shared memory of its own.
#
#   cluster.sh NODES CPUS SCRIPT      SCRIPT is read by bash with the functions of helpers.sh and those below
#
# All of it lives in a name space of processes, which the kernel ends with its first one: no daemon outlives the script,
# however that ends. The exit status is the script's; 77 with the reason where such a cluster cannot be had.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# begin_node NUMBER: starts the slurmd of node NUMBER, also after end_node.
begin_node() {
  mkdir -p "$CLUSTER/spool/node$1"
  # Ranks of two nodes must not meet in one shared memory.
  unshare --mount --uts bash -c '
    hostname "node$1" && mount -t tmpfs none /dev/shm && exec slurmd -D -N "node$1"' _ "$1" \
    >"$CLUSTER/log/start.node$1" 2>&1 &
  eval "node_pid_$1=$!"
}

# end_node NUMBER: the node dies with all processes that run on it, found by the name space of its host name. Slurm
# learns of it at once, as from a site's health check: by itself it waits for half a minute.
end_node() {
  local variable=node_pid_$1 space process
  space=$(readlink "/proc/${!variable}/ns/uts")
  for process in /proc/[0-9]*; do
    [ "$(readlink "$process/ns/uts")" = "$space" ] && kill -9 "${process#/proc/}"
  done
  scontrol update NodeName="node$1" State=DOWN Reason=dead
}

# nodes_are STATE NUMBER: waits until so many nodes are in that state.
nodes_are() {
  local i
  for i in $(seq 300); do
    [ "$(sinfo -h -N -o %T 2>/dev/null | grep -c "^$1")" = "$2" ] && return 0
    sleep 0.1
  done
  sinfo >&2
  tail -n 5 "$CLUSTER"/log/* >&2
  echo "not $2 nodes are $1" >&2
  return 1
}

begin_cluster() {
  local nodes=$1 cpus=$2 port=$((20000 + RANDOM % 20000)) i
  mkdir -p "$CLUSTER"/{state,spool,log}
  mkdir -m 700 "$CLUSTER/run"
  (umask 077; head -c 1024 /dev/urandom >"$CLUSTER/munge.key")
  munged --foreground --force --key-file="$CLUSTER/munge.key" --socket="$CLUSTER/run/munge" \
    --pid-file="$CLUSTER/run/munged.pid" --log-file="$CLUSTER/run/munged.log" --seed-file="$CLUSTER/run/seed" \
    >"$CLUSTER/log/munged" 2>&1 &
  {
    cat <<END
ClusterName=scalediag
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$CLUSTER/run/munge
CredType=cred/munge
StateSaveLocation=$CLUSTER/state
SlurmdSpoolDir=$CLUSTER/spool/%n
SlurmctldPidFile=$CLUSTER/run/slurmctld.pid
SlurmdPidFile=$CLUSTER/run/slurmd.%n.pid
SlurmctldLogFile=$CLUSTER/log/slurmctld
SlurmdLogFile=$CLUSTER/log/slurmd.%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=pmi2
ReturnToService=2
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SlurmdTimeout=5
SlurmctldTimeout=5
InactiveLimit=0
KillWait=2
OverTimeLimit=0
CompleteWait=0
JobAcctGatherType=jobacct_gather/none
END
    for i in $(seq "$nodes"); do
      echo "NodeName=node$i NodeAddr=127.0.0.1 Port=$((port + i)) CPUs=$cpus Boards=1 SocketsPerBoard=1" \
        "CoresPerSocket=$cpus ThreadsPerCore=1 RealMemory=1000 State=UNKNOWN"
    done
    echo "PartitionName=all Nodes=node[1-$nodes] Default=YES MaxTime=INFINITE State=UP"
  } >"$CLUSTER/slurm.conf"
  export SLURM_CONF=$CLUSTER/slurm.conf
  for i in $(seq 100); do [ -S "$CLUSTER/run/munge" ] && break; sleep 0.02; done
  slurmctld -D >"$CLUSTER/log/start" 2>&1 &
  for i in $(seq "$nodes"); do begin_node "$i"; done
  nodes_are idle "$nodes"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  nodes=$1 cpus=$2 script=$3
  if [ -z "${CLUSTER-}" ]; then
    for program in slurmctld slurmd munged srun sbatch unshare; do
      command -v $program >/dev/null || { echo "$program is not installed (cmake/install-packages.sh tests)"; exit 77; }
    done
    unshare --pid --fork --kill-child --mount --mount-proc --uts true 2>/dev/null || { echo "name spaces cannot be made here"; exit 77; }
    CLUSTER=$(mktemp -d /tmp/scalediag-cluster.XXXXXX) || exit
    export CLUSTER
    unshare --pid --fork --kill-child --mount --mount-proc bash "${BASH_SOURCE[0]}" "$@" &
    space=$!
    # The program that runs the test may be killed: the cluster ends then, too, and at the latest after some minutes.
    runner=$(ps -o ppid= -p $PPID)
    (for _ in $(seq 400); do kill -0 $runner 2>/dev/null || break; sleep 1; done; kill -9 $space; rm -rf "$CLUSTER") \
      >/dev/null 2>&1 &
    watch=$!
    trap 'kill $watch; kill -9 $space; wait $space; sleep 0.1; rm -rf "$CLUSTER"' EXIT 2>/dev/null
    trap 'exit 143' TERM INT HUP
    wait $space
    exit
  fi
  # Variables of a job around the test would lead Slurm's programs to another cluster.
  for variable in $(compgen -e | grep -E '^(SLURM|SBATCH|SALLOC|SRUN|SINFO|SQUEUE)_'); do unset "$variable"; done
  . "$here/../helpers.sh"
  begin_cluster "$nodes" "$cpus" || exit
  . "$script"
fi
