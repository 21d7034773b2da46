// Keeps the crawl page live: one event a second, written into what carries `data-live`. Text is set as text, never as
// markup: titles and addresses come from the Web.
const crawl = document.getElementById("crawl");
const live = (name) => crawl.querySelector(`[data-live="${name}"]`);
const grouped = (n) => n.toLocaleString("en-US");

const cell = (tag, text, isNumber) => {
  const made = document.createElement(tag);
  made.textContent = text;
  if (tag === "th") made.scope = "row";
  if (isNumber) made.className = "number";
  return made;
};
const row = (...cells) => {
  const made = document.createElement("tr");
  made.append(...cells);
  return made;
};
const fill = (name, rows) => live(name)?.replaceChildren(...rows);

const WHEN = {
  start: ["idle"],
  pause: ["crawling"],
  resume: ["paused"],
  stop: ["crawling", "paused"],
  index: ["idle"],
};

function show(view) {
  for (const name of ["visited", "relevant", "waiting", "parked", "pictures", "failed", "documents"]) {
    live(name).textContent = grouped(view[name]);
  }
  live("state").textContent = view.state;
  live("external").hidden = !view.external;
  live("harvest_ratio").textContent = view.harvest_ratio.toFixed(3);
  live("rate").textContent = view.rate.toFixed(1);
  live("left").textContent = view.left ? `Left: ${view.left}` : "";
  live("waits_for").textContent = view.waits_for ? `Waiting for ${view.waits_for}` : "";
  live("message").textContent = view.message ?? "";
  live("message").hidden = !view.message;
  for (const button of crawl.querySelectorAll("[data-order]")) {
    button.disabled = !WHEN[button.dataset.order].includes(view.state);
  }
  fill("page_types", view.page_types.map((kind) => row(
    cell("th", kind.name), cell("td", grouped(kind.fetched), true), cell("td", grouped(kind.relevant), true),
    cell("td", kind.waiting == null ? "" : grouped(kind.waiting), true))));
  fill("hosts", view.hosts.map((host) => row(
    cell("th", host.host), cell("td", grouped(host.waiting), true), cell("td", grouped(host.fetched), true),
    cell("td", grouped(host.failed), true), cell("td", host.delay.toFixed(1), true), cell("td", host.health))));
  for (const name of ["errors", "skipped"]) {
    fill(name, Object.entries(view[name]).map(([kind, n]) => row(cell("th", kind), cell("td", grouped(n), true))));
  }
  visits(view.recent);
  draw(view);
}

// Rows stay as long as their visits are listed: who is about to press a thumb should not lose it.
function visits(recent) {
  const body = live("recent");
  let at = body.firstElementChild;
  for (const view of recent) {
    if (at?.dataset.n === String(view.n)) at = at.nextElementSibling;
    else body.insertBefore(visit(view), at);
    const { url, good } = view;
    document.dispatchEvent(new CustomEvent("rated", { detail: { url, good } }));
  }
  while (at) {
    const next = at.nextElementSibling;
    at.remove();
    at = next;
  }
}

// Thumbs as the server makes them; failures and redirects have none.
function thumbs(view) {
  const made = cell("td", "");
  made.className = "rate";
  if (view.status < 200 || view.status > 299) return made;
  made.append(document.getElementById("thumbs-of-visit").firstElementChild.cloneNode(true));
  made.firstElementChild.setAttribute("aria-label", `Rate ${view.title?.trim() || view.url}`);
  for (const button of made.querySelectorAll("button")) button.value = view.url;
  return made;
}

function visit(view) {
  const link = document.createElement("a");
  link.href = `${crawl.dataset.item}?url=${encodeURIComponent(view.url)}`;
  link.textContent = view.title?.trim() || view.url;
  const page = document.createElement("td");
  page.append(link);
  const why = Object.entries(view.why).map(([name, value]) => `${name} ${value.toFixed(3)}`).join(", ");
  const made = row(cell("td", grouped(view.n), true), page, cell("td", view.page_type ?? ""),
    cell("td", view.status, true), cell("td", view.relevant ? "yes" : ""), cell("td", view.score.toFixed(4), true),
    thumbs(view), cell("td", why));
  made.dataset.n = view.n;
  return made;
}

// the server draws: a new picture when there is more to see
function draw({ visited, relevant }) {
  const [image, caption] = [document.querySelector("#curve img"), document.querySelector("#curve p")];
  const words = `${caption.textContent.split(":")[0]}: ${grouped(relevant)} relevant of ${grouped(visited)} visited`;
  if (caption.textContent === words) return;
  caption.textContent = words;
  image.src = `${image.src.split("?")[0]}?visited=${visited}`;
}

const events = new EventSource(crawl.dataset.events);
events.addEventListener("crawl", (event) => show(JSON.parse(event.data)));
addEventListener("pagehide", () => events.close());
