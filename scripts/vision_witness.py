"""Other tools compute what Osprey's vision does: Pillow decodes, numpy smooths, filters and converts, scikit-image segments.

Usage: vision_witness.py STAGES, the built example `stages` of osprey-vision. Pictures are made here, from a fixed seed. Each
check states its bound; ends with `N passed, 0 failed`.
"""
import io
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy
from PIL import Image
from skimage.segmentation import felzenszwalb

stages = pathlib.Path(sys.argv[1]).resolve()
passed = 0


def check(what, condition, detail=""):
    global passed
    if not condition:
        sys.exit(f"witness: {what} failed: {detail}")
    passed += 1
    print(f"ok  {what}{f' ({detail})' if detail != '' else ''}")


def seen_in(*paths):
    done = subprocess.run([str(stages), *map(str, paths)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"witness: stages: exit {done.returncode}\n{done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


# Pictures: shapes on a slope with grain; clouds; stripes beside a checkerboard.
chance = numpy.random.default_rng(2008)
height, width = 256, 384
y, x = numpy.mgrid[0:height, 0:width].astype(float)


def shapes():
    picture = numpy.stack([x / 3 + 60, y / 2 + 50, 160 - x / 6], axis=-1)
    for _ in range(25):
        cx, cy, r = chance.integers(0, width), chance.integers(0, height), chance.integers(12, 70)
        picture[(x - cx) ** 2 + (y - cy) ** 2 < r * r] = chance.integers(0, 256, 3)
    return picture + chance.normal(0, 4, picture.shape)


def clouds():
    spectrum = numpy.fft.fft2(chance.normal(0, 1, (height, width, 3)), axes=(0, 1))
    fy, fx = numpy.fft.fftfreq(height)[:, None], numpy.fft.fftfreq(width)[None]
    spectrum /= (numpy.hypot(fy, fx) + 1 / width)[..., None] ** 1.2
    noise = numpy.fft.ifft2(spectrum, axes=(0, 1)).real
    return 128 + 45 * noise / noise.std()


def patterns():
    left = 128 + 100 * numpy.sin(x * 0.9 + y * 0.3)
    right = numpy.where((x // 24 + y // 24) % 2 == 0, 40, 210)
    grey = numpy.where(x < width / 2, left, right)
    return numpy.stack([grey, grey * 0.8, 255 - grey], axis=-1)


def to_bytes(picture):
    return numpy.clip(numpy.rint(picture), 0, 255).astype(numpy.uint8)


def smoothed(pixels, edge, steps):
    """Halved, then Tukey's biweight: equation 7 of Zhang 2008 with lambda 1."""
    planes = pixels.astype(float)
    planes = planes[: planes.shape[0] // 2 * 2, : planes.shape[1] // 2 * 2]
    planes = (planes[0::2, 0::2] + planes[0::2, 1::2] + planes[1::2, 0::2] + planes[1::2, 1::2]) / 4
    neighbours = numpy.full(planes.shape[:2], 4.0)
    neighbours[[0, -1], :] -= 1
    neighbours[:, [0, -1]] -= 1
    for _ in range(steps):
        flow = numpy.zeros_like(planes)
        for axis in (0, 1):
            difference = numpy.diff(planes, axis=axis)
            psi = numpy.where(abs(difference) < edge, difference * (1 - (difference / edge) ** 2) ** 2, 0)
            ends = [(0, 0)] * 3
            ends[axis] = (0, 1)
            flow += numpy.pad(psi, ends)
            ends[axis] = (1, 0)
            flow -= numpy.pad(psi, ends)
        planes = planes + flow / neighbours[..., None]
    return planes


def gabor(tile):
    """Mean and deviation of 4 scales x 6 orientations, by Manjunath and Ma's formulas in the plane of frequencies."""
    spectrum = numpy.fft.fft2(tile - tile.mean())
    v, u = numpy.meshgrid(numpy.fft.fftfreq(32), numpy.fft.fftfreq(32), indexing="ij")
    high, low, two_ln2 = 0.4, 0.05, 2 * math.log(2)
    ratio = (high / low) ** (1 / 3)
    along = (ratio - 1) * high / ((ratio + 1) * math.sqrt(two_ln2))
    across = math.tan(math.pi / 12) * (high - two_ln2 * along**2 / high) / math.sqrt(two_ln2 - (two_ln2 * along / high) ** 2)
    found = []
    for scale in range(4):
        for orientation in range(6):
            shrink, angle = ratio**-scale, math.pi * orientation / 6
            cu, cv = high * shrink * math.cos(angle), high * shrink * math.sin(angle)
            du, dv = u - cu, v - cv
            du, dv = (du + 0.5) % 1 - 0.5, (dv + 0.5) % 1 - 0.5
            a, b = du * math.cos(angle) + dv * math.sin(angle), dv * math.cos(angle) - du * math.sin(angle)
            passes = numpy.exp(-0.5 * ((a / (along * shrink)) ** 2 + (b / (across * shrink)) ** 2))
            response = abs(numpy.fft.ifft2(spectrum * passes))
            found += [response.mean(), response.std()]
    return numpy.array(found)


def oklab(pixels):
    value = pixels / 255
    light = numpy.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    to_lms = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]]
    to_lab = [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099], [0.0259040371, 0.7827717662, -0.8086757660]]
    return numpy.cbrt(light @ numpy.array(to_lms).T) @ numpy.array(to_lab).T


def by_the_book(planes, scale, least, rounded):
    """Felzenszwalb and Huttenlocher, edge by edge. `rounded`: differences in quarters of a level, equal ones in the order of
    pixels, as Osprey sorts them."""
    rows, columns, _ = planes.shape
    place = numpy.arange(rows * columns).reshape(rows, columns)
    pairs = []
    for row in range(rows):
        pairs.append((place[row, :-1], place[row, 1:]))
        if row + 1 < rows:
            pairs += [(place[row], place[row + 1]), (place[row, :-1], place[row + 1, 1:]), (place[row, 1:], place[row + 1, :-1])]
    one, two = (numpy.concatenate(side) for side in zip(*pairs))
    flat = planes.reshape(-1, 3).astype(numpy.float32 if rounded else float)
    weights = numpy.sqrt(((flat[one] - flat[two]) ** 2).sum(axis=1))
    if rounded:
        weights = numpy.floor(weights * 4) / 4
    order = numpy.argsort(weights, kind="stable")
    parent, size, limit = list(range(rows * columns)), [1] * (rows * columns), [float(scale)] * (rows * columns)

    def root(at):
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    def join(a, b, weight):
        parent[b] = a
        size[a] += size[b]
        limit[a] = weight + scale / size[a]

    edges = list(zip(one[order].tolist(), two[order].tolist(), weights[order].tolist()))
    for a, b, weight in edges:
        a, b = root(a), root(b)
        if a != b and weight <= min(limit[a], limit[b]):
            join(a, b, weight)
    for a, b, _ in edges:
        a, b = root(a), root(b)
        if a != b and min(size[a], size[b]) < least:
            join(a, b, 0.0)
    return numpy.array([root(at) for at in range(rows * columns)]).reshape(rows, columns)


def agreement(a, b):
    """The adjusted Rand index of two ways to part pixels."""
    pairs = lambda counts: (counts * (counts - 1) / 2).sum()
    both = numpy.unique(numpy.stack([a.ravel(), b.ravel()]), axis=1, return_counts=True)[1].astype(float)
    one, two = (numpy.unique(c, return_counts=True)[1].astype(float) for c in (a, b))
    expected = pairs(one) * pairs(two) / pairs(numpy.array([a.size], float))
    return (pairs(both) - expected) / ((pairs(one) + pairs(two)) / 2 - expected)


def fields(pixels):
    """The grey of 9 x 8 fields, exact: Pillow's box filter on floating-point numbers."""
    channels = [Image.fromarray(pixels[..., channel].astype(numpy.float32)) for channel in range(3)]
    red, green, blue = (numpy.asarray(channel.resize((9, 8), Image.Resampling.BOX)) for channel in channels)
    return 0.299 * red + 0.587 * green + 0.114 * blue


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    for name, made in (("shapes", shapes()), ("clouds", clouds()), ("patterns", patterns())):
        pixels = to_bytes(made)
        Image.fromarray(pixels).save(folder / f"{name}.png")
        (seen,) = seen_in(folder / f"{name}.png")
        ours = numpy.array(seen["pixels"], numpy.uint8).reshape(height, width, 3)
        check(f"{name}: Pillow's pixels", (ours == pixels).all())
        planes = numpy.array(seen["smoothed"]["values"]).reshape(height // 2, width // 2, 3)
        apart = abs(planes - smoothed(pixels, seen["edge"], seen["steps"])).max()
        check(f"{name}: smoothed as numpy does, within 0.01 of 255", apart < 0.01, f"{apart:.5f}")
        labels = numpy.array(seen["segments"]["labels"]).reshape(height // 2, width // 2)
        theirs = felzenszwalb(planes / 255, scale=seen["scale"], sigma=0, min_size=seen["least"], channel_axis=-1)
        book = {rounded: by_the_book(planes, seen["scale"], seen["least"], rounded) for rounded in (True, False)}
        same = [agreement(labels, book[True]), agreement(theirs, book[False])]
        check(f"{name}: segments are those of the book with rounded differences, scikit-image's those without: both the same to the pixel", min(same) == 1.0, f"{same[0]:.3f}, {same[1]:.3f}")
        # Not a bound: what rounding to quarters of a level does. Much, where a picture has no edges.
        print(f"    {name}: {seen['segments']['count']} and {len(numpy.unique(theirs))} segments, adjusted Rand index {agreement(labels, theirs):.3f}")
        tile = pixels[:32, :32] @ [0.299, 0.587, 0.114]
        whole, product = (numpy.array(seen["texture"][key]) for key in ("whole", "product"))
        theirs = gabor(tile)
        apart = abs(whole - theirs).max() / theirs.max()
        check(f"{name}: Gabor responses as numpy's, within 0.001 of the largest", apart < 1e-3, f"{apart:.6f}")
        apart = abs(product - theirs).sum() / theirs.sum()
        check(f"{name}: those of small boxes, within a tenth in sum", apart < 0.1, f"{apart:.4f}")
        apart = abs(numpy.array(seen["oklab"]) - oklab(pixels.reshape(-1, 3)[::101])).max()
        check(f"{name}: OKLab by its definition, within 1e-5", apart < 1e-5, f"{apart:.7f}")
        steps = numpy.diff(fields(pixels), axis=1).ravel()
        bits = numpy.array([int(bit) for bit in f"{int(seen['hash'], 16):064b}"])
        clear = abs(steps) > 1
        wrong = int((bits[clear] != (steps[clear] > 0)).sum())
        check(f"{name}: fingerprint by Pillow's means, every bit whose fields differ by more than a level", wrong == 0, f"{wrong} of {clear.sum()} clear bits differ")

    # Files of odd kinds. Pillow converts each to RGB; ours may round differently.
    pixels = to_bytes(shapes())
    picture = Image.fromarray(pixels)
    deep = (pixels[..., 0].astype(numpy.uint16) << 8) | 77
    odd = {
        "cmyk.jpg": (picture.convert("CMYK"), {"quality": 95}, 0.05),
        "grey.jpg": (picture.convert("L"), {"quality": 95}, 0.05),
        "progressive.jpg": (picture, {"quality": 90, "progressive": True}, 0.5),
        "palette.png": (picture.quantize(200), {}, 0.0),
        "bits.png": (picture.convert("1"), {}, 0.0),
        "deep.png": (Image.fromarray(deep), {}, 0.0),
        "alpha.png": (picture.convert("RGBA"), {}, 0.0),
        "still.gif": (picture.quantize(128), {}, 0.0),
        "lossless.webp": (picture, {"lossless": True}, 0.0),
        "lossy.webp": (picture, {"quality": 80}, 0.05),
        "plain.bmp": (picture, {}, 0.0),
    }
    for name, (made, options, bound) in odd.items():
        made.save(folder / name, **options)
        (seen,) = seen_in(folder / name)
        if "refused" in seen:
            check(f"{name}: read", False, seen["refused"])
        ours = numpy.array(seen["pixels"], float).reshape(height, width, 3)
        if name == "deep.png":
            theirs = numpy.repeat((deep >> 8).astype(float)[..., None], 3, axis=2)
        else:
            theirs = numpy.asarray(Image.open(folder / name).convert("RGB")).astype(float)
        apart = abs(ours - theirs).mean()
        check(f"{name}: as Pillow decodes it, within {bound} of 255 in the mean", apart <= bound, f"{apart:.3f}")

    # What is cut is refused.
    whole = io.BytesIO()
    picture.save(whole, "JPEG", quality=90)
    (folder / "cut.jpg").write_bytes(whole.getvalue()[:4000])
    (seen,) = seen_in(folder / "cut.jpg")
    try:
        Image.open(folder / "cut.jpg").load()
        theirs = "read"
    except OSError as error:
        theirs = str(error)
    check("a cut file is refused by both", "refused" in seen and theirs != "read", f"{seen.get('refused')}; Pillow: {theirs}")

print(f"{passed} passed, 0 failed")
