#!/bin/sh
# Runs the tests of a Unity project in a batch-mode editor, through unity-bridge.
#
#   UNITY=/opt/unity/Editor/Unity sh unity-tests.sh PROJECT RESULTS.xml
#
# Exit status: that of `unity-bridge test`; 1 if the editor ended before it was ready (its log is printed).
set -eu

project=$1
results=$2
bridge=${UNITY_BRIDGE:-unity-bridge}
log=${UNITY_LOG:-unity-editor.log}
export UNITY_BRIDGE_BATCHMODE=1 # the plugin stays out of batch mode otherwise

# Without -quit, which would end the editor before the tests.
"$UNITY" -batchmode -nographics -projectPath "$project" -logFile "$log" &
editor=$!
trap 'kill "$editor" 2>/dev/null && wait "$editor" || true' EXIT

# An editor without a licence, or with scripts that do not compile, ends by itself.
until "$bridge" wait-ready --project "$project" --timeout 3; do
    if ! kill -0 "$editor" 2>/dev/null; then
        cat "$log" >&2
        exit 1
    fi
done

"$bridge" test --project "$project" --junit "$results" --timeout 1800
