#!/bin/sh
# The main questions, asked on the embedded policy and the queue beside this script. Needs `policyctl` on the PATH.
set -eu
cd "$(dirname "$0")/../.."
state=examples/lab-queue/state.json

# Says what comes, shows the command, runs it. A refusal (1) is an answer; anything else stops the demo.
ask() {
    printf '\n# %s\n$ policyctl' "$1"
    shift
    printf ' %s' "$@"
    printf '\n'
    policyctl "$@" || [ $? -eq 1 ]
}

echo "A lab on a Monday morning: 1,200 GPUs in three pools, 150 researchers, some 430 jobs that run or wait."

ask "Is the policy in order? Every problem would be shown at its line. (--now: exceptions in it have dates.)" \
    validate policies --now 2026-11-30T09:00:00Z

ask "Who is entitled to what, and who used how much of it? One of three pools." \
    usage --pool h100 --state $state

ask "Who runs next? The program furthest behind first, then its project, then its user." \
    rank --pool h100 --top 10 --state $state

ask "What would a submission buy, and what does it cost? 64 GPUs, asking for a whole day of protection." \
    quote --account /language/posttrain --user r017 --pool h100 --gpus 64 --nodes 8 --min-runtime 24h --state $state

ask "May something be preempted for job 486999? Yes: one job that had its protection, of a program far ahead." \
    preempt plan 486999 --state $state

ask "And may 486927, half an hour old, go for job 486910, as a scheduler proposes? Not before its time is over." \
    preempt authorize 486910 486927 --state $state

printf '\nMore: examples/*/README.md, and policyctl --help.\n'
