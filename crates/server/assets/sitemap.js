// Toggles of the sitemap without loading the page again.
for (const form of document.querySelectorAll("form.toggle")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const data = new FormData(form, event.submitter);
    const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(data) });
    if (!answer.ok) return form.submit();
    for (const button of form.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button === event.submitter));
    }
  });
}
