// While a crawl runs, its results grow: every few seconds the page asks for itself. Nothing that is shown moves: a new hit is
// added below the others as long as the page has room, and what has come above is offered behind the count. Without scripts
// a reload shows the same.
const found = document.querySelector(".found[data-growing]");
const EVERY = 3000;

async function look() {
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const now = page.querySelector(".found");
    if (answer.ok && now) {
      show(now);
      if (!now.hasAttribute("data-growing")) return;
    }
  } catch {
    // the next look may find it
  }
  setTimeout(look, EVERY);
}

const key = (hit) => hit.querySelector("h3 a")?.getAttribute("href");

function show(now) {
  const list = found.querySelector(".hits");
  const have = new Set([...list.querySelectorAll(".hit")].map(key));
  const fresh = [...now.querySelectorAll(".hits .hit")].filter((hit) => !have.has(key(hit)));
  const room = Number(found.dataset.growing) - have.size;
  list.append(...fresh.slice(0, Math.max(0, room)).map((hit) => document.adoptNode(hit)));
  const [count, total] = [found.querySelector(".count"), now.querySelector(".count strong")];
  if (total) count.querySelector("strong").textContent = total.textContent;
  const more = fresh.length - Math.max(0, Math.min(room, fresh.length));
  let offer = count.querySelector("a.fresh");
  if (more > 0) {
    if (!offer) {
      offer = Object.assign(document.createElement("a"), { className: "fresh", href: location.href });
      count.append(" ", offer);
    }
    offer.textContent = `${more} new on this page: show`;
  }
}

if (found) setTimeout(look, EVERY);
