#!/usr/bin/env bash
# Decides all models of a folder with takers on machines that ssh reaches.
#
#   ssh.sh redis://HOST:6379 MODELS RESULTS.jsonl MACHINE…
#
# Every machine has buttress and reaches the server. Without a shared file system, add --send-models below. Where this
# is stopped, begin it again: what has a row is not run again.
set -euo pipefail
board=$1 models=$2 results=$3
shift 3
for machine in "$@"; do
  ssh -n "$machine" "buttress batch --take --board '$board'" &
done
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
code=0
buttress batch "$models" --board "$board" --results "$results" --timeout "${TIMEOUT:-600}" || code=$?
wait
exit "$code"
