"""The self-test: rows of behaviour that a real Unity carries out, and a report of what it did (SPEC
§25).

Tests of this repository run against stubs of Unity. The self-test is the same program for a real
editor and for the headless one of the tests, so that what it finds in one can be compared with the
other.

    row.py          Row, its steps and what they expect, as data
    rows/           the rows, one module a group. A new row is one more entry there
    expected.py     compares what was expected with what was seen, and words both for the report
    project/        the files of the scratch project
    scratch.py      ScratchProject: makes it, edits its files and puts them back
    editor.py       Editor: opens and closes the editor of the scratch project
    calls.py        Calls: one call of a tool and its end, through a server of our own
    runner.py       Runner: carries out rows, and brings the editor back after each
    report.py       the report, without names of users and without paths
"""
