#!/usr/bin/env python3
"""Outside witnesses of the lab.

Every simulated world is crawled over real HTTP by another client (Python's own), which has to find exactly the pages that
the world says it has; and the reports are opened in a real browser, which has nothing to complain of.

    lab_witness.py OSPREY LAB_OUT
"""

import html.parser
import json
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from collections import deque
from pathlib import Path

KINDS = "photo video forum qa movies ratings sports campus portal shop archive".split()
PAGES = 300
SEED = 7
MOST_FETCHES = 6000


class Links(html.parser.HTMLParser):
    """The targets of `a`, and the base they are relative to."""

    def __init__(self):
        super().__init__()
        self.found, self.base = [], None

    def handle_starttag(self, tag, attrs):
        href = dict(attrs).get("href")
        if tag == "a" and href:
            self.found.append(href)
        if tag == "base" and href:
            self.base = href


class Stay(urllib.request.HTTPRedirectHandler):
    """Redirects are answers."""

    def redirect_request(self, *args):
        return None


class World:
    """A served world, asked through it as a proxy, so that no name has to resolve."""

    def __init__(self, osprey, kind, *more):
        self.options = [kind, "--pages", str(PAGES), "--random-seed", str(SEED), "--domain", "example", *more]
        self.osprey = osprey
        command = [osprey, "lab", "serve", *self.options, "--port", "0", "--no-delay", "--json"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        said = json.loads(self.process.stdout.readline())
        self.seeds = said["seeds"]
        proxy = urllib.request.ProxyHandler({"http": "http://" + said["addr"]})
        self.opener = urllib.request.build_opener(proxy, Stay)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=10)

    def get(self, url):
        try:
            with self.opener.open(url, timeout=20) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def truth(self, urls=()):
        command = [self.osprey, "lab", "truth", *self.options, "--json", *urls]
        rows = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["pages"]
        return {row["url"]: row for row in rows}

    def crawl(self, most=None):
        """Every URL of the world that can be reached (the first so many), with its status and media type."""
        host = "." + self.options[0] + ".example"
        answers, queue, known = {}, deque(self.seeds), set(self.seeds)
        while queue and (most is None or len(answers) < most):
            url = queue.popleft()
            status, headers, body = self.get(url)
            media = headers.get_content_type()
            answers[url] = (status, media)
            assert len(answers) <= MOST_FETCHES, f"more than {MOST_FETCHES} URLs in a tame world: {url}"
            targets = [headers["Location"]] if status in (301, 302) else []
            base = url
            if status == 200 and media == "text/html":
                links = Links()
                links.feed(body.decode(headers.get_content_charset() or "utf-8", "replace"))
                targets, base = links.found, urllib.parse.urljoin(url, links.base or "")
            for target in targets:
                target = urllib.parse.urldefrag(urllib.parse.urljoin(base, target.strip())).url
                parts = urllib.parse.urlsplit(target)
                if parts.scheme == "http" and (parts.netloc or "").endswith(host) and target not in known:
                    known.add(target)
                    queue.append(target)
        return answers


def check_world(osprey, kind):
    with World(osprey, kind, "--tame") as world:
        answers = world.crawl()
        status, _, robots = world.get(urllib.parse.urljoin(world.seeds[0], "/robots.txt"))
        assert status in (200, 404), f"{kind}: robots.txt: {status}"
        listed = world.truth()
        pages = [url for url, (status, media) in answers.items() if status == 200 and media == "text/html"]
        truth = world.truth(pages)
        found = {row["duplicate_of"] or url for url, row in truth.items() if row["waste"] is None}
        missing, extra = sorted(set(listed) - found), sorted(found - set(listed))
        assert not missing, f"{kind}: {len(missing)} pages were not found, the first: {missing[0]}"
        assert not extra, f"{kind}: {len(extra)} pages are not listed, the first: {extra[0]}"
        again = {url: world.get(url)[2] for url in pages[:20]}
        assert all(world.get(url)[2] == body for url, body in again.items()), f"{kind}: an answer changed"
        print(f"world {kind}: passed: {len(listed)} pages found by another client in {len(answers)} requests")


def check_nastiness(osprey, kind):
    """What the truth says of waste is what a server says of it."""
    statuses = {"redirect": (301, 302), "dead": (404,), "soft-404": (200,), "login": (200, 302), "calendar": (200,), "spam": (200,)}
    with World(osprey, kind) as world:
        answers = world.crawl(most=1200)
        truth = world.truth(answers)
        seen = {}
        for url, (status, media) in answers.items():
            waste = truth[url]["waste"]
            if waste in statuses:
                assert status in statuses[waste], f"{url}: {waste}, but {status}"
                seen[waste] = seen.get(waste, 0) + 1
            elif waste is None and media == "text/html":
                assert status == 200, f"{url}: a page, but {status}"
        copies = sum(1 for row in truth.values() if row["duplicate_of"])
        wasted = ", ".join(f"{name} {count}" for name, count in sorted(seen.items()))
        assert len(seen) >= 3 and copies > 0, f"{kind}: too tame: {seen}, {copies} duplicates"
        print(f"world {kind}: passed: {len(answers)} requests as nasty as the truth says: {wasted}, duplicates {copies}")


def check_same_crawl(out):
    """The lab's own comparison of memory and HTTP found no difference."""
    run = json.loads((out / "same-crawl" / "results.json").read_text())
    assert run["cells"], "same-crawl: nothing was compared"
    for cell in run["cells"]:
        figures = cell["findings"]["figures"]
        same, missed = figures["same_visits_share"], figures["pages_missed_live"]
        assert same == 1 and missed == 0, f"same-crawl: {cell['corpus']}, {cell['variant']}: {figures}"
    print(f"same-crawl: passed: {len(run['cells'])} crawls are the same in memory and over HTTP")


def check_report(chromium, path):
    with tempfile.TemporaryDirectory() as profile:
        flags = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
        flags += "--disable-component-update --disable-sync --enable-logging=stderr --dump-dom"
        command = [chromium, *flags.split(), "--user-data-dir=" + profile, path.absolute().as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    complaints = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert not complaints, f"{path}: {complaints[0]}"
    plots, tables = done.stdout.count("<svg"), done.stdout.count("<table")
    assert plots + tables > 0 and "</html>" in done.stdout, f"{path}: nothing was drawn"
    print(f"report {path.parent.name}: passed: {plots} drawings and {tables} tables in a real browser")


def main():
    osprey, out = sys.argv[1], Path(sys.argv[2])
    for kind in KINDS:
        check_world(osprey, kind)
    for kind in ("photo", "forum", "movies", "campus", "portal"):
        check_nastiness(osprey, kind)
    check_same_crawl(out)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    reports = sorted(out.glob("*/report.html"))
    assert reports, f"{out}: no reports"
    if chromium is None:
        print("left out: reports in a real browser (no chromium)")
        return
    for path in reports:
        check_report(chromium, path)


main()
