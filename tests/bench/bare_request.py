"""The least that a command of a shell can be: a Python program that makes one request and prints
the answer.

``python tests/bench/bare_request.py PORT``: a line of JSON to the port, and one back. The floor of ``shell_bench.py``.
"""

import json
import socket
import sys

with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as line:
    line.sendall(json.dumps({"request": "status"}).encode() + b"\n")
    answer = json.loads(line.makefile("rb").readline())
print(json.dumps(answer, indent=2))
