// A click on a tag of the graph is a click on its check box, and the other way round.
const boxes = new Map([...document.querySelectorAll("input[data-tag]")].map((box) => [box.dataset.tag, box]));
for (const node of document.querySelectorAll("#graph .node")) {
  const box = boxes.get(node.dataset.tag);
  if (!box) continue;
  const show = () => node.classList.toggle("dropped", !box.checked);
  node.addEventListener("click", () => box.click());
  box.addEventListener("change", show);
  show();
}
