#!/bin/bash
#SBATCH --job-name=buttress
#SBATCH --array=0-15
#SBATCH --cpus-per-task=8
#SBATCH --mem=32G
#SBATCH --time=12:00:00
#SBATCH --requeue
# An array of tasks: task 0 begins the batch and collects, and all of them take jobs.
#
#   BOARD=redis://HOST:6379 MODELS=/shared/models RESULTS=/shared/results.jsonl sbatch slurm.sh
#
# The memory of a task is for all its jobs together: here 8 jobs, each with less than an eighth of it.
set -euo pipefail
: "${BOARD:?the address of a Redis server}" "${MODELS:?a folder of models}" "${RESULTS:?a file for the results}"
common=(--board "$BOARD" --queue "slurm-$SLURM_ARRAY_JOB_ID" --jobs "$SLURM_CPUS_PER_TASK")
if [ "$SLURM_ARRAY_TASK_ID" -eq 0 ]; then
  exec buttress batch "$MODELS" "${common[@]}" --results "$RESULTS" --timeout 3600 --memory 3500
fi
exec buttress batch --take "${common[@]}" --wait 3600
