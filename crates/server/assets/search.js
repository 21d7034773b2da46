// Makes searching quicker in browsers with scripts: completions, shift-click for minus, a picture dropped anywhere,
// keys to go through results. Everything it does can be done without it.
const form = document.getElementById("search");
const box = document.getElementById("q");
const list = document.getElementById("completions");
const minus = document.getElementById("minus");

// completions of the last word, when typing pauses
let timer = 0;
let asked = "";
box?.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(complete, 150);
});
async function complete() {
  const text = box.value;
  if (text === asked || !/\S\S$/.test(text)) return;
  asked = text;
  try {
    const answer = await fetch(`${form.dataset.complete}?q=${encodeURIComponent(text)}`);
    if (!answer.ok || box.value !== text) return;
    const { completions } = await answer.json();
    list.replaceChildren(...completions.map((value) => Object.assign(document.createElement("option"), { value })));
  } catch {
    // nothing is proposed
  }
}

// shift-click on a swatch: without it; left to itself, a browser opens the answer in another window
form?.addEventListener("click", (event) => {
  const swatch = event.shiftKey && event.target.closest("button[name=add]");
  if (!swatch) return;
  event.preventDefault();
  minus.checked = true;
  form.requestSubmit(swatch);
});

// a picture dropped anywhere
const image = document.getElementById("image");
const example = document.getElementById("example");
if (image && example) {
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dropping");
  });
  document.addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    document.body.classList.remove("dropping");
    if (event.dataTransfer.files.length === 0) return;
    image.files = event.dataTransfer.files;
    example.requestSubmit();
  });
  image.addEventListener("change", () => image.files.length > 0 && example.requestSubmit());
}

// `/` goes to the box, j and k through results
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
  if (event.key === "/") {
    event.preventDefault();
    box.focus();
    // one goes on where the question ends
    box.setSelectionRange(box.value.length, box.value.length);
    return;
  }
  const step = { j: 1, k: -1 }[event.key];
  if (!step) return;
  const links = [...document.querySelectorAll(".hit h3 a")];
  const at = links.indexOf(document.activeElement);
  links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
});
