#!/bin/sh
# Activates Unity in an image of unityci/editor, or gives the licence back: sh unity-activate.sh [--return]
#
# UNITY_SERIAL with UNITY_EMAIL and UNITY_PASSWORD, or UNITY_LICENSE, the text of a .ulf file. A file has nothing to give
# back. Exit status: 1 if Unity refuses the licence, 2 if there is none.
set -eu

unity=${UNITY:-/opt/unity/Editor/Unity}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

unity_says() {
    "$unity" -batchmode -nographics -quit -logFile "$log" "$@"
}

fail() {
    echo "$1" >&2
    # The log has the serial number and the address: only lines about licences are shown, without either.
    grep -i "licens" "$log" | sed -e "s|${UNITY_SERIAL:-@@}|(serial)|g" -e "s|${UNITY_EMAIL:-@@}|(address)|g" >&2 || true
    exit 1
}

if [ "${1:-}" = "--return" ]; then
    if [ -n "${UNITY_SERIAL:-}" ]; then
        unity_says -returnlicense -username "$UNITY_EMAIL" -password "$UNITY_PASSWORD" || fail "Unity keeps the licence."
    fi
elif [ -n "${UNITY_SERIAL:-}" ]; then
    unity_says -serial "$UNITY_SERIAL" -username "$UNITY_EMAIL" -password "$UNITY_PASSWORD" ||
        fail "Unity refuses the serial number."
elif [ -n "${UNITY_LICENSE:-}" ]; then
    file=$(mktemp)
    printf '%s\n' "$UNITY_LICENSE" | tr -d '\r' >"$file"
    # Unity exits with 1 here also if it takes the file, and its log says whether it did.
    unity_says -manualLicenseFile "$file" || true
    rm -f "$file"
    grep -q "Next license update check is after" "$log" || fail "Unity refuses the licence file."
else
    echo "There is no licence: set UNITY_SERIAL, UNITY_EMAIL and UNITY_PASSWORD, or UNITY_LICENSE." >&2
    exit 2
fi
