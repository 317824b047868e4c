#!/bin/sh
# Runs the tests of a Unity project in a batch-mode editor, through unity-bridge.
#
#   UNITY=/opt/unity/Editor/Unity sh unity-tests.sh PROJECT RESULTS.xml [OPTION...]
#
# The options are those of `unity-bridge test`, as in --shard 2/8.
#
# Exit status: that of `unity-bridge test`; 1 if the editor ended before it was ready, 4 if it was not ready within
# UNITY_START_SECONDS (900). The editor's log is printed then. The editor is ended in every case, by a signal too.
set -eu

project=$1
results=$2
shift 2
bridge=${UNITY_BRIDGE:-unity-bridge}
log=${UNITY_LOG:-unity-editor.log}
export UNITY_BRIDGE_BATCHMODE=1 # the plugin stays out of batch mode otherwise

editor=
tests=
end() {
    for child in $tests $editor; do
        kill "$child" 2>/dev/null && wait "$child" || true
    done
}
trap end EXIT
# A shell that a signal ends runs no EXIT trap.
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

fail() {
    printf '%s\n%s\n' "$said" "$2" >&2
    if [ -f "$log" ]; then cat "$log" >&2; else echo "It wrote no log: there is no $log." >&2; fi
    exit "$1"
}

# Without -quit, which would end the editor before the tests.
"$UNITY" -batchmode -nographics -projectPath "$project" -logFile "$log" &
editor=$!

deadline=$(($(date +%s) + ${UNITY_START_SECONDS:-900}))
while :; do
    status=0
    said=$("$bridge" wait-ready --project "$project" --timeout 3 2>&1) || status=$?
    if [ "$status" -eq 0 ]; then break; fi
    if [ "$status" -eq 2 ]; then fail 2 "unity-bridge was not called as it should be."; fi
    # An editor without a licence, or with scripts that do not compile, ends by itself.
    if ! kill -0 "$editor" 2>/dev/null; then fail 1 "The editor ended before it was ready."; fi
    # One that a dialog or a licence server keeps waiting never does.
    if [ "$(date +%s)" -ge "$deadline" ]; then fail 4 "The editor was not ready in time."; fi
done

# In the background, so that a signal to this script does not wait for the tests.
"$bridge" test --project "$project" --junit "$results" --timeout 1800 "$@" &
tests=$!
wait "$tests"
