#!/usr/bin/env bash
# Hold a benchmark machine still, run a command on it, and leave the machine as it was.
#
# usage: pinned.sh [--cpu N] [--fifo] [--best-effort] [--dry-run] [--] COMMAND [ARGUMENT...]
#
#   --cpu N        the CPU to run on; by default the first of those isolated at boot (isolcpus=)
#   --fifo         under SCHED_FIFO, with the limit on the time of real-time tasks lifted
#   --best-effort  do what can be done and say what is not so, instead of refusing
#   --dry-run      only say what would be done
#
# While the command runs: its CPU's frequency governor is performance, the clock boost is off, its address space is
# not randomised, it runs on its CPU alone and, with numactl, on the memory of that CPU's node. What was changed is
# changed back when the command ends, when the set-up fails, and on INT, TERM and HUP, which the command receives
# first. Only KILL leaves the machine as it is then.
#
# A machine is refused, with every reason, where a run could not count as pinned by benchgate/environment.py, and when
# another thread of the CPU's core is online. The command runs as root; `runuser -u NAME --` before it makes it NAME's.
# Not sudo: a program that is setuid has its address space randomised again.
#
# Exit code: the command's own; 2 when it was not run, or when it succeeded and something could not be changed back.
#
# TAPEMARK_SYSROOT, for tests: the folder that stands for / where /proc and /sys are read and written.
set -u

root=${TAPEMARK_SYSROOT:-}
cpus=/sys/devices/system/cpu
cpu='' fifo='' best_effort='' dry_run=''
reasons=() # why the machine is not pinned
prefix=()  # the commands that start the one to run, each in its own place, so that a signal to the first is for it
changed=() # the files written, and what was in them
former=()

say() {
    printf 'pinned: %s\n' "$*" >&2
}

usage() {
    say "$*"
    say 'usage: pinned.sh [--cpu N] [--fifo] [--best-effort] [--dry-run] [--] COMMAND [ARGUMENT...]'
    exit 2
}

while [[ $# -gt 0 ]]; do
    case $1 in
        --cpu)
            [[ ${2-} =~ ^(0|[1-9][0-9]{0,5})$ ]] || usage "--cpu: expected a CPU's number, got '${2-}'"
            cpu=$2
            shift
            ;;
        --fifo) fifo=1 ;;
        --best-effort) best_effort=1 ;;
        --dry-run) dry_run=1 ;;
        --)
            shift
            break
            ;;
        -*) usage "unknown option $1" ;;
        *) break ;;
    esac
    shift
done
[[ $# -gt 0 ]] || usage 'no command'

# --- what keeps this machine from being pinned

content() { # PATH: print the file's first line; empty when it cannot be read
    local line=''
    { read -r line <"$root$1"; } 2>/dev/null || true
    printf '%s' "$line"
}

expand() { # LIST: print the CPUs of a list such as 0-2,5, one a line
    local part
    for part in ${1//,/ }; do
        seq "${part%-*}" "${part#*-}"
    done
}

among() { # CPU LIST
    expand "$2" | grep -qx "$1"
}

missing() {
    reasons+=("$*")
}

try() { # REASON COMMAND...: let the command start the next one, or say why it cannot
    local said
    if said=$("${@:2}" true 2>&1); then
        prefix+=("${@:2}")
    else
        missing "$1: $said"
    fi
}

allowed() { # the CPUs that this process may run on
    sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "$root/proc/self/status" 2>/dev/null
}

[[ $(uname -s) == Linux ]] || missing "$(uname -s) does not tell how CPUs are held"
[[ $(id -u) == 0 ]] || missing 'not root, who alone may set the governor and the boost'

isolated=$(content $cpus/isolated)
if [[ -z $cpu && -n $isolated ]]; then
    cpu=$(expand "$isolated" | head -n 1)
elif [[ -z $cpu ]]; then
    missing 'no CPU is isolated: boot with isolcpus=N, or choose with --cpu'
    cpu=$(expand "$(allowed)" | tail -n 1) # the last: most interrupts go to the first
    cpu=${cpu:-0}
elif ! among "$cpu" "$isolated"; then
    missing "CPU $cpu is not isolated: boot with isolcpus=$cpu"
fi
if among "$cpu" "$(content $cpus/online)"; then
    try "CPU $cpu cannot be chosen" taskset -c "$cpu"
else
    missing "CPU $cpu is not online"
fi

governor=$cpus/cpu$cpu/cpufreq/scaling_governor
if [[ -z $(content "$governor") ]]; then
    missing "no governor can be set: there is no $governor"
fi

if [[ -z $(content $cpus/intel_pstate/no_turbo) && -z $(content $cpus/cpufreq/boost) ]]; then
    missing "the clock boost cannot be known: there is no $cpus/cpufreq/boost"
fi

siblings=$(content "$cpus/cpu$cpu/topology/thread_siblings_list")
if [[ -z $siblings ]]; then
    missing "it cannot be known which CPUs share the core of CPU $cpu: there is no thread_siblings_list"
fi
for sibling in $(expand "$siblings"); do
    [[ $sibling == "$cpu" ]] ||
        missing "CPU $sibling, on the same core as CPU $cpu, is online: write 0 to $cpus/cpu$sibling/online"
done

if grep -Eqs '^flags.* hypervisor( |$)' "$root/proc/cpuinfo"; then
    missing 'this is a virtual machine, whose host can neither be seen nor held'
elif ! grep -Eqs '^flags[[:space:]]*:[[:space:]]*[^[:space:]]' "$root/proc/cpuinfo"; then
    missing 'it cannot be known whether this is a virtual machine: /proc/cpuinfo lists no flags'
fi
[[ -z $fifo ]] || try 'SCHED_FIFO cannot be had' chrt -f 1
for node in "$root$cpus/cpu$cpu"/node[0-9]*; do
    # Only its memory: numactl refuses the CPUs that were isolated at boot.
    if [[ -e $node ]] && command -v numactl >/dev/null; then
        try 'memory cannot be kept to one node' numactl "--membind=${node##*/node}" --
    fi
done
try 'address space randomisation cannot be switched off' setarch "$(uname -m)" -R

# --- what is changed, and changed back

set_to() { # VALUE PATH: write, remembering what was there
    local was
    was=$(content "$2")
    [[ -n $was && $was != "$1" ]] || return 0
    if [[ -n $dry_run ]]; then
        printf 'write %s to %s, then %s again\n' "$1" "$2" "$was"
        return 0
    fi
    # Noted before it is done: a signal may come at any time.
    changed+=("$2")
    former+=("$was")
    if ! { printf '%s\n' "$1" >"$root$2"; } 2>/dev/null || [[ $(content "$2") != "$1" ]]; then
        unable "$2 does not become $1"
    fi
}

unable() { # REASON: refuse, unless best effort is wanted
    if [[ -n $best_effort ]]; then
        say "not so: $*"
    else
        say "refused: $*"
        exit 2
    fi
}

# shellcheck disable=SC2329 # a trap calls it
change_back() {
    local code=$? i
    trap '' INT TERM HUP
    for ((i = ${#changed[@]} - 1; i >= 0; i--)); do
        [[ $(content "${changed[i]}") == "${former[i]}" ]] && continue
        if ! { printf '%s\n' "${former[i]}" >"$root${changed[i]}"; } 2>/dev/null ||
            [[ $(content "${changed[i]}") != "${former[i]}" ]]; then
            say "could not change ${changed[i]} back to ${former[i]}"
            [[ $code != 0 ]] || code=2
        fi
    done
    exit "$code"
}

# shellcheck disable=SC2329 # a trap calls it
on_signal() { # NAME NUMBER: the command ends first, if it runs
    interrupted=1
    if [[ -z ${!:-} ]]; then
        exit $((128 + $2))
    fi
    kill -s "$1" -- "-$!" 2>/dev/null || true
}

for reason in ${reasons[@]+"${reasons[@]}"}; do
    if [[ -n $best_effort ]]; then
        say "not so: $reason"
    else
        say "refused: $reason"
    fi
done
if [[ ${#reasons[@]} -gt 0 && -z $best_effort && -z $dry_run ]]; then
    exit 2
fi

trap change_back EXIT
trap 'on_signal HUP 1' HUP
trap 'on_signal INT 2' INT
trap 'on_signal TERM 15' TERM

set_to performance "$governor"
set_to 1 $cpus/intel_pstate/no_turbo
set_to 0 $cpus/cpufreq/boost
# The kernel takes 5 % of every second from real-time tasks, all of it at once.
[[ -z $fifo ]] || set_to -1 /proc/sys/kernel/sched_rt_runtime_us

if [[ -n $dry_run ]]; then
    printf 'run'
    printf ' %q' ${prefix[@]+"${prefix[@]}"} "$@"
    printf '\n'
    [[ ${#reasons[@]} -eq 0 || -n $best_effort ]] || exit 2
    exit 0
fi

# Job control gives the command a process group of its own: it gets each signal once, from here, and INT is not
# ignored in it as in other background processes. A group in the background is stopped when it reads a terminal.
[[ ! -t 0 ]] || exec </dev/null
set -m
${prefix[@]+"${prefix[@]}"} "$@" &
set +m
while :; do
    interrupted=''
    code=0
    wait $! || code=$?
    # A signal ends the waiting, not the command.
    [[ -n $interrupted ]] || break
done
exit "$code"
