#!/bin/sh
# Thirty days of a lab of 150 researchers, for each seed: sh examples/lab-150/run.sh OUT [DAYS [SEED...]]
# Needs policyctl on the PATH and the top of the repository as the current folder. Writes OUT/SEED.json and prints a table.
set -eu
out=$1
days=${2:-30}
[ $# -ge 2 ] && shift 2 || shift 1
[ $# -gt 0 ] || set -- 31 32 33
mkdir -p "$out/policy"
cp -r policies/. "$out/policy"
cp -r examples/lab-150/policy/. "$out/policy"
for seed in "$@"; do
  policyctl workload generate --policy "$out/policy" --seed "$seed" --days "$days" --researchers 150 \
    --load 2.5 --at-most 75 --unequal 1.8 --zero 40% --block 0% -o "$out/$seed.workload.json.gz" 2> "$out/$seed.workload.txt"
  policyctl simulate --policy "$out/policy" --workload "$out/$seed.workload.json.gz" --seed "$seed" \
    --against labels --against labels-first-fit --against fifo --format json > "$out/$seed.json"
done
python3 examples/lab-150/table.py h100 "$out"/*.json
