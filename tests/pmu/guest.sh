#!/bin/bash
# Runs in the emulated machine: guest.sh FOLDER, where FOLDER is the host's name of the shared folder. It gets that name
# here, too, so that the host finds the programs under the paths in the raw files.
set -euo pipefail
folder=$1
mkdir -p "$folder"
mount --bind /host "$folder"
cd "$folder"
# Half a percent of the shorter function, at a clock of 1 GHz.
rate=1000

./probe state >state.txt
./probe plan $rate PAPI_TOT_CYC PAPI_TOT_INS >plan.txt
./probe overflows $rate PAPI_TOT_CYC PAPI_TOT_INS perf::PAGE-FAULTS >overflows.txt
# These are more events than the unit has counters.
./probe plan $rate PAPI_TOT_INS PAPI_LD_INS PAPI_SR_INS PAPI_BR_INS PAPI_BR_MSP PAPI_L2_DCR PAPI_L2_DCW PAPI_L1_DCR \
  PAPI_L1_DCW PAPI_L1_ICA >rotation.txt 2>notes.txt

# run EXPERIMENT RANKS REPEAT "ARGUMENTS OF SCALEDIAG-RANK" WHAT
run() {
  local runs
  runs=$folder/$1/runs/$(printf 'np%04d.r%d' "$2" "$3")
  mkdir -p "$runs"
  # shellcheck disable=SC2086  # several words
  mpirun -n "$2" ./lib/scalediag/scalediag-rank --library "$folder/lib/scalediag/libscalediag.so" --directory "$runs" \
    --rate 250 --sampler auto $4 -- "$folder/known" "$5" </dev/null
}

run ranks 2 0 "$(cat plan.txt)" ranks
run threads 1 0 "$(cat plan.txt)" threads
# A million cycles are about seven turns. 40,000 page faults in 600 million cycles are 67 a million.
run cycles 1 0 "--events PAPI_TOT_CYC,perf::PAGE-FAULTS --period 1000003" turns
run events 1 0 "--events PAPI_TOT_CYC@1000003,perf::PAGE-FAULTS@67" turns
repeat=0
while read -r arguments; do
  run rotation 1 $repeat "$arguments" ranks
  repeat=$((repeat + 1))
done <rotation.txt
