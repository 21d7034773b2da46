"""Other tools read what Osprey writes: warcio the archive, py-wacz the WACZ, pyarrow the Parquet.

Usage: witness.py OSPREY. Crawls the mirror in fixtures/ into a temporary project; ends with `N passed, 0 failed`.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import pyarrow.parquet
from warcio.archiveiterator import ArchiveIterator

osprey = pathlib.Path(sys.argv[1]).resolve()
fixtures = pathlib.Path(__file__).resolve().parent.parent / "fixtures"
passed = 0


def check(what, condition, detail=""):
    global passed
    if not condition:
        sys.exit(f"witness: {what} failed: {detail}")
    passed += 1
    print(f"ok  {what}")


def run(*args):
    done = subprocess.run([str(a) for a in args], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"witness: {' '.join(map(str, args))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def warc_records(path, **options):
    with open(path, "rb") as stream:
        for record in ArchiveIterator(stream, **options):
            body = record.content_stream().read()
            yield record, body


with tempfile.TemporaryDirectory() as folder:
    project = pathlib.Path(folder) / "project"
    run(osprey, "init", project, "--seed", "http://harbour.example/", "--replay", fixtures / "harbour", "--base", "http://harbour.example/")
    run(osprey, "crawl", project, "--quiet")
    visits = [json.loads(line) for line in run(osprey, "export", project, "--what", "visits").splitlines()]

    seen, kinds = {}, {}
    for path in sorted((project / "data" / "archive").glob("*.warc.gz")):
        for record, body in warc_records(path, check_digests="raise"):
            kinds[record.rec_type] = kinds.get(record.rec_type, 0) + 1
            if record.rec_type in ("response", "revisit"):
                url = record.rec_headers.get_header("WARC-Target-URI")
                seen[url] = (record.http_headers.get_statuscode(), record.rec_type, len(body))
    check("warcio reads every record, digests hold", kinds.get("warcinfo", 0) == 1 and kinds.get("response", 0) > 50, kinds)
    check("a repeated body is a revisit record", kinds.get("revisit", 0) == 1, kinds)
    for visit in visits:
        status, kind, size = seen[visit["url"]]
        if int(status) != visit["status"] or (kind == "response" and size != visit["bytes"]):
            sys.exit(f"witness: {visit['url']}: archived as {status} with {size} bytes, visited as {visit}")
    check(f"all {len(visits)} visits are archived with their status and size", True)

    wacz = project / "harbour.wacz"
    run(osprey, "export", project, "--what", "warc", "--format", "wacz", "--out", wacz)
    told = run(pathlib.Path(sys.executable).parent / "wacz", "validate", "-f", wacz)
    check("py-wacz validates the WACZ", "Valid" in told or "valid" in told, told)

    parquet = project / "visits.parquet"
    run(osprey, "export", project, "--what", "visits", "--format", "parquet", "--out", parquet)
    table = pyarrow.parquet.read_table(parquet).to_pylist()
    check("pyarrow reads the same URLs in the same order", [row["url"] for row in table] == [v["url"] for v in visits])
    check("and the same relevance and why", all(json.loads(row["why"]) == v["why"] for row, v in zip(table, visits)))

    again = pathlib.Path(folder) / "again"
    run(osprey, "init", again, "--seed", "http://harbour.example/", "--replay", wacz)
    run(osprey, "crawl", again, "--quiet")
    urls = [json.loads(line)["url"] for line in run(osprey, "export", again, "--what", "visits").splitlines()]
    check("the WACZ replays to the same visits", urls == [v["url"] for v in visits])

print(f"{passed} passed, 0 failed")
