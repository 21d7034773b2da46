#!/usr/bin/env python3
"""Draws the figures of docs/guide/policies.md and ARCHITECTURE.md into docs/img, with nothing but Python.

    scripts/figures.py                  the diagrams of how policies think
    scripts/figures.py ~/.local/share/osprey/demo      these, and the harvest curves of an `osprey demo` in that folder

Colours follow the reader's light or dark mode. OSPREY names the program if it is not in the PATH.
"""
import json
import os
import pathlib
import subprocess
import sys

IMG = pathlib.Path(__file__).resolve().parent.parent / "docs" / "img"
STYLE = """<style>
text{font:13px sans-serif;fill:#222}.s{font-size:11px;fill:#666}.n{font-weight:bold;fill:#fff}
.l{stroke:#999;fill:none;stroke-width:1.3}.b{stroke:#555;fill:#eef1f4;stroke-width:1.2}
.w{fill:#1f7a4d}.d{fill:#8a94a0}.p{fill:#b5651d}.c1{stroke:#1f7a4d;fill:none;stroke-width:2.2}
.c2{stroke:#8a94a0;fill:none;stroke-width:2.2}.g{stroke:#ccc;stroke-width:1}
@media(prefers-color-scheme:dark){text{fill:#ddd}.s{fill:#aaa}.b{fill:#2a3036;stroke:#99a}.g{stroke:#444}}
</style><defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0 0L8 4L0 8z" fill="#999"/></marker></defs>"""


class Figure:
    """An SVG being drawn."""

    def __init__(self, width, height, title):
        self.head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
                     f'height="{height}" role="img"><title>{title}</title>{STYLE}')
        self.parts = []

    def text(self, x, y, text, kind="", anchor="start"):
        self.parts.append(f'<text x="{x}" y="{y}" class="{kind}" text-anchor="{anchor}">{text}</text>')

    def line(self, x1, y1, x2, y2, head=True):
        arrow = ' marker-end="url(#a)"' if head else ""
        self.parts.append(f'<path class="l" d="M{x1} {y1}L{x2} {y2}"{arrow}/>')

    def dot(self, x, y, kind, label="", r=13):
        self.parts.append(f'<circle cx="{x}" cy="{y}" r="{r}" class="{kind}"/>')
        self.text(x, y + 4, label, "n", "middle")

    def box(self, x, y, width, height, lines):
        self.parts.append(f'<rect class="b" x="{x}" y="{y}" width="{width}" height="{height}" rx="5"/>')
        first = y + height / 2 + 4 - 8 * (len(lines) - 1)
        for n, line in enumerate(lines):
            self.text(x + width / 2, first + 16 * n, line, "s" if n else "", "middle")

    def curve(self, points, kind):
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        self.parts.append(f'<path class="{kind}" d="M{path}"/>')

    def write(self, name):
        IMG.mkdir(parents=True, exist_ok=True)
        (IMG / f"{name}.svg").write_text(self.head + "\n" + "\n".join(self.parts) + "\n</svg>\n")


def loop():
    f = Figure(640, 150, "A page is fetched, judged, and its links are placed; the best link whose host is ready is next")
    f.box(10, 45, 110, 50, ["page", "fetched, read"])
    f.box(170, 10, 120, 45, ["judge", "how relevant?"])
    f.box(170, 90, 120, 45, ["policy", "what are links worth?"])
    f.box(350, 45, 130, 50, ["frontier", "factor(group) x own"])
    f.box(530, 45, 100, 50, ["next link", "host is ready"])
    f.line(120, 60, 170, 38)
    f.line(120, 80, 170, 108)
    f.line(230, 55, 230, 90)
    f.line(290, 110, 350, 85)
    f.line(480, 70, 530, 70)
    f.line(580, 95, 580, 145, False)
    f.line(580, 145, 65, 145, False)
    f.line(65, 145, 65, 95)
    f.write("policy-loop")


def tree(f, x, order, wanted):
    """A start page, three lists, six things; numbers say when each is fetched."""
    places = {"home": (x + 110, 20), "a": (x + 30, 75), "b": (x + 110, 75), "c": (x + 190, 75)}
    for n, name in enumerate("uvwxyz"):
        places[name] = (x + 10 + 40 * n, 130)
    for parent, children in {"home": "abc", "a": "uv", "b": "wx", "c": "yz"}.items():
        for child in children:
            (x1, y1), (x2, y2) = places[parent], places[child]
            f.line(x1, y1 + 13, x2, y2 - 14)
    for name, (px, py) in places.items():
        label = str(order.index(name) + 1) if name in order else ""
        f.dot(px, py, "w" if name in wanted else "d", label)


def orders():
    f = Figure(560, 185, "The same site in the order of breadth-first and of a focused policy")
    tree(f, 20, ["home", "a", "b", "c", "u", "v"], "yz")
    tree(f, 310, ["home", "c", "y", "z", "b", "a"], "yz")
    f.text(130, 175, "breadth-first: first found, first fetched", "s", "middle")
    f.text(420, 175, "focused: six fetches bring both wanted pages", "s", "middle")
    f.write("policy-orders")


def words():
    f = Figure(600, 165, "What a link's words say: page, anchor, words around it, URL, place on the site")
    f.box(10, 20, 300, 120, [])
    f.text(25, 42, "Travel to the coast")
    f.text(25, 66, "Ferries leave at nine for the island.", "s")
    f.text(25, 92, "More: <tspan text-decoration='underline'>the best beaches</tspan> near town")
    f.text(25, 124, "/travel/coast/beaches.html", "s")
    for y, label, score in [(30, "page: what it is about", 0.4), (62, "anchor and words around it", 0.9),
                            (94, "tokens of the URL", 0.8), (126, "place: deeper in the same folder", 0.5)]:
        f.line(310, 80, 345, y)
        f.text(350, y + 4, label)
        f.parts.append(f'<rect class="w" x="545" y="{y - 6}" width="{50 * score:.0f}" height="11"/>')
    f.write("policy-words")


def siblings():
    f = Figure(560, 160, "A relevant page raises its siblings that still wait")
    for x, known in [(20, False), (310, True)]:
        f.dot(x + 110, 25, "d", "list", 20)
        for n in range(5):
            px = x + 10 + 50 * n
            f.line(x + 110, 45, px, 92)
            fetched = known and n == 1
            f.dot(px, 105, "w" if fetched else "p" if known else "d", "" if fetched else ("0.6" if known else "0.2"), 15)
        if known:
            f.text(x + 60, 109, "&#10003;", "n", "middle")
    f.text(130, 150, "five links of one page, little known", "s", "middle")
    f.text(420, 150, "one is fetched and relevant: the others rise", "s", "middle")
    f.line(255, 90, 290, 90)
    f.write("policy-siblings")


def kinds():
    f = Figure(600, 165, "Kinds of page and of link: which kind of link leads to which kind of page")
    f.box(20, 55, 90, 40, ["home"])
    f.box(190, 15, 100, 40, ["board list"])
    f.box(190, 105, 100, 40, ["calendar"])
    f.box(380, 15, 90, 40, ["thread"])
    f.box(380, 105, 90, 40, ["calendar"])
    f.line(110, 68, 190, 38)
    f.line(110, 85, 190, 120)
    f.line(290, 35, 380, 35)
    f.line(290, 125, 380, 125)
    f.text(150, 40, "nav/a", "s", "end")
    f.text(335, 28, "table/td/a: 0.9", "s", "middle")
    f.text(335, 118, "a[next]: 0", "s", "middle")
    f.text(490, 32, "what users wrote:", "s")
    f.text(490, 47, "wanted", "s")
    f.text(490, 122, "all alike:", "s")
    f.text(490, 137, "left for later", "s")
    f.write("policy-kinds")


def adaptive():
    f = Figure(680, 215, "adaptive: links of a page are sorted into kinds, and each kind has what its links have brought")
    f.text(20, 20, "a page of a forum about everything; wanted: sailing", "s")
    f.box(20, 30, 190, 30, ["log in | help"])
    for y, lines in [(68, ["Which knot?   in: sailing"]), (106, ["Which oven?   in: cooking"]), (144, ["boards:  sailing   music"])]:
        f.box(20, y, 190, 30, lines)
    f.box(20, 182, 190, 26, ["next page"])
    f.text(330, 20, "kind of link", "s")
    f.text(520, 20, "brought so far", "s")
    f.text(622, 20, "next", "s")
    rows = [
        (45, "menu, says nothing", "0 of 4", 0.02),
        (83, "thread, its row says it", "9 of 11", 0.79),
        (121, "thread, says nothing", "1 of 14", 0.09),
        (159, "board, the link says it", "leads to 0.6 a fetch", 0.55),
        (195, "further page of this list", "6 new, 1 wanted", 0.12),
    ]
    for y, kind, brought, score in rows:
        f.line(212, y, 322, y)
        f.text(330, y + 4, kind)
        f.text(520, y + 4, brought, "s")
        f.parts.append(f'<rect class="w" x="640" y="{y - 6}" width="{max(1, 40 * score):.0f}" height="11"/>')
    f.write("policy-adaptive")


def profile():
    f = Figure(620, 190, "Photos wait for the rank of who uploaded them")
    f.box(15, 70, 90, 45, ["list", "new photos"])
    for y, name, rank, kind, says in [(45, "anna", "0.42", "w", "beach, sea, sand"), (140, "otto", "0.00", "d", "trains, stations")]:
        f.line(105, 92, 150, y)
        f.box(150, y - 20, 150, 40, [f"profile of {name}", says])
        f.line(300, y, 345, y)
        f.text(350, y + 4, f"rank {rank}")
        f.line(412, y, 575, y, False)
        for n in range(4):
            f.dot(455 + 40 * n, y, kind, "", 11)
    f.text(515, 78, "fetched now", "s", "middle")
    f.text(515, 173, "come last; a rank can rise", "s", "middle")
    f.line(225, 65, 225, 118)
    f.text(232, 96, "contact: ranks of contacts count, too", "s")
    f.write("policy-profile")


def opic():
    f = Figure(560, 130, "A page shares its cash among its links")
    f.dot(60, 65, "p", "1.0", 26)
    for y, label in [(25, "0.33"), (65, "0.33"), (105, "0.33")]:
        f.line(87, 65, 190, y)
        f.dot(215, y, "p", label, 18)
    f.line(233, 25, 330, 45)
    f.line(233, 65, 330, 50)
    f.dot(355, 47, "p", "0.5", 22)
    f.line(233, 105, 330, 105)
    f.dot(350, 105, "p", "0.17", 17)
    f.text(395, 52, "paid from two sides: next")
    f.write("policy-opic")


def harvest(folder):
    """Relevant pages over fetched pages, of both crawls of a demonstration."""
    osprey = os.environ.get("OSPREY", "osprey")
    f = Figure(640, 300, "Relevant pages over fetched pages in the demonstration (simulated)")
    curves = {}
    for policy in ["profile", "breadth-first"]:
        rows = subprocess.run([osprey, "export", str(pathlib.Path(folder) / policy), "--what", "visits", "--quiet"],
                              check=True, capture_output=True, text=True).stdout.splitlines()
        total, found = 0, []
        for row in rows:
            total += bool(json.loads(row).get("relevant"))
            found.append(total)
        curves[policy] = found
    visits = max(len(found) for found in curves.values())
    most = max(found[-1] for found in curves.values())
    step = 10 ** (len(str(most)) - 1)
    top = (most // step + 1) * step
    place = lambda n, value: (60 + 480 * n / visits, 250 - 220 * value / top)
    for value in range(0, top + 1, step):
        y = place(0, value)[1]
        f.parts.append(f'<path class="g" d="M60 {y:.1f}H540"/>')
        f.text(52, round(y + 4, 1), f"{value:,}", "s", "end")
    for n in range(0, visits + 1, 500):
        f.text(round(place(n, 0)[0], 1), 268, f"{n:,}", "s", "middle")
    f.text(300, 290, "pages fetched (simulated photo site, topic beach)", "s", "middle")
    f.text(60, 18, "relevant pages")
    for (policy, found), kind in zip(curves.items(), ["c1", "c2"]):
        every = max(1, len(found) // 120)
        points = [(0, 0)] + [(n + 1, value) for n, value in enumerate(found) if n % every == 0 or n + 1 == len(found)]
        f.curve([place(n, value) for n, value in points], kind)
        x, y = place(len(found), found[-1])
        f.text(round(x + 6, 1), round(y + 4, 1), f"{policy} {found[-1]:,}", "s")
    f.write("demo-harvest")


def crates():
    """The crates and who uses whom, from `cargo metadata`: arrows that follow from others are left out."""
    output = subprocess.run(["cargo", "metadata", "--format-version=1", "--no-deps", "--offline"], cwd=IMG.parent.parent,
                            check=True, capture_output=True, text=True).stdout
    short = lambda name: name.removeprefix("osprey-")
    uses = {}
    for package in json.loads(output)["packages"]:
        if package["name"].startswith("osprey") and package["name"] != "osprey-rogue":
            uses[short(package["name"])] = {short(dep["name"]) for dep in package["dependencies"]
                                            if dep["kind"] is None and dep["name"].startswith("osprey")}
    reach = {}

    def reached(name):
        if name not in reach:
            reach[name] = uses[name].union(*(reached(used) for used in uses[name])) if uses[name] else set()
        return reach[name]

    level = {}

    def height(name):
        if name not in level:
            level[name] = 1 + max((height(used) for used in uses[name]), default=-1)
        return level[name]

    direct = {name: {used for used in uses[name] if not any(used in reached(other) for other in uses[name])} for name in uses}
    rows = {}
    for name in sorted(uses, key=lambda name: (height(name), name)):
        rows.setdefault(height(name), []).append(name)
    width, step, box = 860, 78, (104, 34)
    figure = Figure(width, step * len(rows) + 10, "The crates of Osprey, and who uses whom")
    place = {}
    for row in range(max(rows) + 1):
        names = rows[row]
        if row:  # below what they use, as far as there is room
            names.sort(key=lambda name: sum(place[used][0] for used in direct[name]) / max(1, len(direct[name])))
        for n, name in enumerate(names):
            place[name] = ((n + 0.5) * width / len(names), step * (max(rows) - row) + 10)
    for name, targets in direct.items():
        for used in targets:
            (x1, y1), (x2, y2) = place[name], place[used]
            figure.line(round(x1), round(y1 + box[1]), round(x2), round(y2 - 2))
    for name, (x, y) in place.items():
        figure.box(round(x - box[0] / 2), round(y), box[0], box[1], [name])
    figure.write("crates")


if __name__ == "__main__":
    for draw in [loop, orders, words, siblings, kinds, adaptive, profile, opic, crates]:
        draw()
    if len(sys.argv) > 1:
        harvest(sys.argv[1])
