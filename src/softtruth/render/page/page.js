"use strict";
// The slider steps through the rows of a table. No number is computed here: what is shown stands in the table.
for (const sweep of document.querySelectorAll("[data-sweep]")) {
  const blocks = [...sweep.querySelectorAll(".curves")];
  const [which, slider, reset, says] = ["select", "input", "button", "output"].map((tag) => sweep.querySelector(tag));
  const block = () => blocks[which ? which.selectedIndex : 0];
  const part = (cell, name) => cell.querySelector(name).textContent;

  const show = () => {
    const table = block().querySelector("table");
    const row = table.tBodies[0].rows[slider.value];
    const prior = row.cells[0].textContent;
    const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
    block().querySelector(".now").textContent = prior;
    slider.setAttribute("aria-valuetext", prior);
    block().querySelectorAll(".card").forEach((card, i) => {
      const cell = row.cells[i + 1];
      for (const name of [".v", ".e"]) card.querySelector(name).textContent = part(cell, name);
      const dot = card.querySelector(".at");
      dot.setAttribute("cx", row.dataset.x);
      dot.setAttribute("cy", cell.dataset.y);
    });
    const numbers = heads.slice(1).map((head, i) => `${head} ${row.cells[i + 1].textContent}`);
    says.textContent = `At ${prior}: ${numbers.join("; ")}.`;
  };

  const choose = () => {
    blocks.forEach((each) => { each.hidden = each !== block(); });
    slider.max = block().querySelector("tbody").rows.length - 1;
    slider.value = block().dataset.own;
    show();
  };

  slider.addEventListener("input", show);
  reset.addEventListener("click", choose);
  if (which) which.addEventListener("change", choose);
  sweep.querySelector(".controls").hidden = false;
  choose();
}
