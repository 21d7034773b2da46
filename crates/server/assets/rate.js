// Thumbs without loading the page again. A button says what it does by its name: good, bad, or undo when it is pressed.
const form = document.getElementById("thumbs");
const GOOD = { good: true, bad: false };

form?.addEventListener("submit", async (event) => {
  const pressed = event.submitter;
  if (!pressed || form.dataset.plain) return;
  event.preventDefault();
  const [url, good] = [pressed.value, GOOD[pressed.name] ?? null];
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ url, good });
  const answer = await fetch(form.dataset.api, { method: "POST", headers, body }).catch(() => null);
  if (!answer?.ok) {
    // as if there were no scripts: the answer says what is wrong
    form.dataset.plain = "true";
    form.requestSubmit(pressed);
    return;
  }
  showAll(url, good);
});

// the same page may stand in several places
function showAll(url, good) {
  for (const button of document.querySelectorAll("button[form=thumbs]")) {
    if (button.value === url) show(button, good);
  }
}

function show(button, good) {
  const kind = button.classList.contains("good") ? "good" : "bad";
  const isPressed = good === GOOD[kind];
  button.name = isPressed ? "undo" : kind;
  button.setAttribute("aria-pressed", String(isPressed));
}

// who shows pages by a script says how they are rated
document.addEventListener("rated", ({ detail: { url, good } }) => showAll(url, good));
