"""Puts the results of bench/agents/run into the docs: python3 write.py ROOT REPORT.md TRANSCRIPT.md ROUNDS."""
import datetime
import pathlib
import re
import sys

root, report, transcript, rounds = sys.argv[1:]
date = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
page = pathlib.Path(root, "docs/benchmarks.md")
count = "1 round" if rounds == "1" else f"{rounds} rounds"
body = f"<!-- agents -->\n{date}, {count}.\n\n{pathlib.Path(report).read_text()}<!-- /agents -->"
text, count = re.subn(r"<!-- agents -->.*<!-- /agents -->", lambda _: body, page.read_text(), flags=re.S)
assert count == 1, "docs/benchmarks.md has no markers for the agents' tables"
page.write_text(text)

opening = """# Twenty tasks, as a model reads them

`bench/agents/run --write` makes this page: the calls of a scripted agent and, indented, the text of Belay's answers, from the last round of
the [benchmark](benchmarks.md#the-agent-tools). The programs are in `bench/agents/programs`. An answer without a status line in brackets
means that the command has exited with 0. In long answers some lines are left out here, as marked.

"""
pathlib.Path(root, "docs/agents-transcript.md").write_text(opening + pathlib.Path(transcript).read_text())
